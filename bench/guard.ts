/**
 * How long the guard takes: an everyday command, a command of 200 KB, nesting 2,000 deep, and the command hook as a
 * process of its own against bare Node, by the wall clock, which is what a person waits for, and by processor time, which
 * a busy machine changes less. Rounds are interleaved.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/root.ts';
import { type GuardContext, judgeCommand } from '../src/rules/guard/index.ts';
import { build } from './support/built.ts';
import { cleanEnvironment, temporaryFolder } from './support/repository.ts';
import { median, ms, quantile, ratio, report, target } from './support/statistics.ts';

const ROUNDS = 21;
const place: GuardContext = {
  profile: 'run',
  cwd: '/home/dev/project',
  root: '/home/dev/project',
  home: '/home/dev',
  temp: ['/tmp'],
  isProtected: () => false,
  user: { allow: [], deny: [] },
};

const COMMANDS = {
  'an everyday command': 'cd packages/web && NODE_ENV=test npx vitest run src/login --reporter=dot 2>&1 | tail -40',
  '200 KB of arguments': `ls ${'src/some/file-name.ts '.repeat(9_100)}`,
  '200 KB of script': 'echo "line of a script" >> notes.txt; rm -rf build/part\n'.repeat(3_700),
  'sh -c, 2,000 deep': `${'sh -c "'.repeat(2_000)}ls${'"'.repeat(2_000)}`,
  '$( ), 2,000 deep': `${'echo $('.repeat(2_000)}ls${')'.repeat(2_000)}`,
  '( ), 2,000 deep': `${'('.repeat(2_000)}ls${')'.repeat(2_000)}`,
};
for (const [name, command] of Object.entries(COMMANDS)) {
  const times = Array.from({ length: ROUNDS + 3 }, () => timed(() => judgeCommand(command, place)));
  // The first rounds compile.
  const measured = times.slice(3);
  report(name, ms(median(measured)));
  report(`${name}, worst`, ms(quantile(measured, 0.99)), command.length > 1_000 ? target('<', 100, 'ms') : '');
}

await build();
const home = temporaryFolder();
const hook = join(root, 'plugin/hook.cjs');
const call = (tool_name: string, tool_input: object) =>
  JSON.stringify({
    hook_event_name: 'PreToolUse',
    session_id: 's',
    transcript_path: '',
    cwd: home,
    tool_name,
    tool_input,
  });
// As its client starts it.
const env = { ...cleanEnvironment(home), CLAUDE_PROJECT_DIR: home };
interface Starts {
  readonly wall: number[];
  /** Of all of them, in hundredths of a second. */
  processor: number;
}
const starts: Record<'bare' | 'read' | 'bash', Starts> = {
  bare: { wall: [], processor: 0 },
  read: { wall: [], processor: 0 },
  bash: { wall: [], processor: 0 },
};
const start = (of: keyof typeof starts, args: readonly string[], input: string) => {
  const before = processorOfChildren();
  starts[of].wall.push(
    timed(() => {
      const { status } = spawnSync(process.execPath, args, { cwd: home, env, input });
      if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
    }),
  );
  starts[of].processor += processorOfChildren() - before;
};
const read = call('Read', { file_path: join(home, 'a.ts') });
const bash = call('Bash', { command: COMMANDS['an everyday command'] });
// The first call of each leaves the compiled form.
for (const input of [read, bash]) spawnSync(process.execPath, [hook], { cwd: home, env, input });
for (let round = 0; round < ROUNDS; round++) {
  start('bare', ['-e', '0'], '');
  start('read', [hook], read);
  start('bash', [hook], bash);
}
const bare = median(starts.bare.wall);
report('node -e 0', ms(bare));
for (const [name, of, most] of [
  ['hook.cjs, a tool that is no Bash', 'read', 1.3],
  ['hook.cjs, Bash', 'bash', 1.8],
] as const) {
  report(name, ms(median(starts[of].wall)), ratio(median(starts[of].wall) / bare, most));
  report(`${name}, processor time`, '', `${(starts[of].processor / starts.bare.processor).toFixed(2)} ×`);
}

/** Hundredths of a second of all children that were waited for; of Linux. */
function processorOfChildren(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[13]) + Number(fields[14]);
}

function timed(work: () => void): number {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}
