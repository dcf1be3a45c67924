/** `npm run picture`: plays the demo and draws docs/demo.svg from what it really printed, and docs/monitor.svg from the monitor beside it. Builds dist/ if need be. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isStale } from './build/freshness.ts';
import { chooseLines } from './picture/choose.ts';
import { monitorScreen } from './picture/monitor.ts';
import { renderSvg } from './picture/svg.ts';
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

const lines = ['$ npm run demo', '', ...chooseLines(output)];
const shown = lines.map((line) => line.replace(/\S*ralph-demo-\w+/g, '/tmp/ralph-demo'));
await writeFile(join(root, 'docs/demo.svg'), renderSvg(shown, { title: 'npm run demo', columns: COLUMNS }));
console.log(`docs/demo.svg: ${shown.length} lines of ${output.split('\n').length}`);

// What stands at the right end of the line stays there.
const screen = (await monitorScreen(COLUMNS)).map((line) =>
  line.replace(/ralph-demo(-\w+)(.*?)(?= {2}\S+$|$)/, (_, cut, rest) => `ralph-demo${rest}${' '.repeat(cut.length)}`),
);
await writeFile(join(root, 'docs/monitor.svg'), renderSvg(screen, { title: 'ralph monitor', columns: COLUMNS }));
console.log(`docs/monitor.svg: ${screen.length} lines`);
