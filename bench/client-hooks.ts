/**
 * What hooks add to a tool call in the real Claude Code: from the model's answer that asks for a Read to the request
 * with its result. Without hooks; with our HTTP hooks, in a run; with hook.cjs; with a bash script that does nothing.
 * The client's model is scripted, on loopback. Sessions are interleaved.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/root.ts';
import { claudeBinary, whyNoClaude } from '../test/support/claude-client.ts';
import { clientEnvironment } from '../test/support/client-environment.ts';
import { startModelServer } from '../test/support/model-server.ts';
import { build, RALPH } from './support/built.ts';
import { backlogText, cleanEnvironment, makeRepository, temporaryFolder } from './support/repository.ts';
import { median, ms, quantile, ratio, report } from './support/statistics.ts';

const SESSIONS = 3;
const CALLS = 40;
const MODEL = 'claude-sonnet-5-5';

const client = await claudeBinary();
if (!client) {
  report('HTTP hooks, in a run, added to a call', 'not measured', `there is no client here: ${whyNoClaude()}`);
  process.exit(0);
}
await build();

const home = temporaryFolder();
const project = join(home, 'project');
mkdirSync(project);
makeRepository(project, 20, {
  'ralph/tasks.json': backlogText(40),
  'ralph/prd.md': '# Wanted\n',
  'ralph.config.json': JSON.stringify({ model: MODEL, agents: { claude: { command: client } } }),
});

let answeredAt = 0;
let times: number[] = [];
const server = await startModelServer(({ turn }) => {
  // The first calls load what is loaded once.
  if (turn > 3) times.push(performance.now() - answeredAt);
  answeredAt = performance.now();
  const file = join(project, `src/part-0/file-${turn % 20}.js`);
  return turn <= CALLS ? { tools: [{ name: 'Read', input: { file_path: file } }] } : 'I have read enough.';
});
const env = { ...cleanEnvironment(home), ...(await clientEnvironment(home, server.url)) };

const nothing = join(home, 'nothing.sh');
writeFileSync(nothing, '#!/bin/bash\nexit 0\n', { mode: 0o755 });
const commandHooks = (command: string, args: readonly string[]) => {
  const hooks = [{ matcher: 'Read', hooks: [{ type: 'command', command, args, timeout: 10 }] }];
  return ['--settings', JSON.stringify({ hooks: { PreToolUse: hooks, PostToolUse: hooks } })];
};
const alone = (more: readonly string[]) =>
  run(client, ['-p', '--setting-sources', '', '--dangerously-skip-permissions', '--model', MODEL, ...more]);

const VARIANTS = {
  'no hooks': () => alone([]),
  'HTTP hooks, in a run': () => run(process.execPath, [RALPH, 'run', '--once', '--no-branch']),
  'hook.cjs': () => alone(commandHooks(process.execPath, [join(root, 'plugin/hook.cjs')])),
  'a bash script that does nothing': () => alone(commandHooks(nothing, [])),
};
const measured = new Map<string, number[]>();
for (let session = 0; session < SESSIONS; session++) {
  for (const [name, start] of Object.entries(VARIANTS)) {
    times = [];
    await start();
    if (times.length < CALLS - 5) throw new Error(`${name}: only ${times.length} calls were made`);
    measured.set(name, [...(measured.get(name) ?? []), ...times]);
  }
}
await server.close();

const floor = median(measured.get('no hooks') ?? []);
for (const [name, values] of measured) {
  const added = median(values) - floor;
  const perHook = name === 'no hooks' ? '' : `+ ${ms(added)} a call, ${ms(added / 2)} a hook`;
  report(name, ms(median(values)), `p99 ${ms(quantile(values, 0.99))}   ${perHook}`);
}

const addedBy = (name: keyof typeof VARIANTS) => median(measured.get(name) ?? []) - floor;
const ours = addedBy('HTTP hooks, in a run');
report('added to a call: ours by bash', ms(ours), ratio(ours / addedBy('a bash script that does nothing'), 1.2));

async function run(file: string, args: readonly string[]): Promise<void> {
  const child = spawn(file, args, { cwd: project, env, stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end('Read the files.');
  await once(child, 'close');
}
