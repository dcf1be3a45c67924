/**
 * `npm run picture`: draws docs/demo.svg and docs/task.svg from what the demo and a task really printed, and
 * docs/monitor.svg from the monitor beside a demo. Builds dist/ if need be.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isStale } from './build/freshness.ts';
import { chooseLines } from './picture/choose.ts';
import { monitorScreen } from './picture/monitor.ts';
import { renderSvg } from './picture/svg.ts';
import { taskOutput } from './picture/task.ts';
import { root } from './root.ts';
import { runProgram } from './run-program.ts';

const COLUMNS = 108;

if (await isStale()) await (await import('./build/bundle.ts')).bundle();
const { exitCode, output } = await runProgram(process.execPath, [join(root, 'bin/ralph.js'), 'demo'], {
  cwd: root,
  env: { ...process.env, FORCE_COLOR: '1', NO_COLOR: undefined },
  capture: true,
});
if (exitCode !== 0) throw new Error(`the demo ended with ${exitCode}`);

const lines = ['$ ralph demo', '', ...chooseLines(output)];
const shown = lines.map((line) => line.replace(/\S*ralph-demo-\w+/g, '/tmp/ralph-demo'));
await writeFile(join(root, 'docs/demo.svg'), renderSvg(shown, { title: 'ralph demo', columns: COLUMNS }));
console.log(`docs/demo.svg: ${shown.length} lines of ${output.split('\n').length}`);

const task = ['$ ralph "Add a --json flag"', ...(await taskOutput()).split('\n')];
await writeFile(join(root, 'docs/task.svg'), renderSvg(task, { title: 'ralph "Add a --json flag"', columns: COLUMNS }));
console.log(`docs/task.svg: ${task.length} lines`);

// What stands at the right end of the line stays there.
const screen = (await monitorScreen(COLUMNS)).map((line) =>
  line.replace(/ralph-demo(-\w+)(.*?)(?= {2}\S+$|$)/, (_, cut, rest) => `ralph-demo${rest}${' '.repeat(cut.length)}`),
);
await writeFile(join(root, 'docs/monitor.svg'), renderSvg(screen, { title: 'ralph monitor', columns: COLUMNS }));
console.log(`docs/monitor.svg: ${screen.length} lines`);
