/**
 * How long it takes to start: bare Node, `ralph --version`, `ralph run --dry-run` in a small project, and
 * `ralph run` up to its first selected story. Rounds are interleaved, so that a busy moment hits all alike.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeAgent } from './support/agent.ts';
import { build, RALPH } from './support/built.ts';
import { backlogText, cleanEnvironment, makeRepository, temporaryFolder } from './support/repository.ts';
import { median, ms, ratio, report } from './support/statistics.ts';

const ROUNDS = 21;

await build();
const home = temporaryFolder();
const project = join(home, 'project');
mkdirSync(project);
makeRepository(project, 20, {
  'ralph/tasks.json': backlogText(40),
  'ralph/prd.md': '# Wanted\n',
  'ralph.config.json': JSON.stringify({ agents: { claude: { command: writeAgent(home, null) } } }),
});
const env = cleanEnvironment(home);

function timeOf(args: readonly string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: project, env, encoding: 'utf8' });
  const took = performance.now() - start;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return took;
}

/** Milliseconds until a run says which story it works on. */
async function timeToFirstStory(): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [RALPH, 'run', '--json', '--once'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  let took = Number.NaN;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (Number.isNaN(took) && said.includes('"type":"select"')) took = performance.now() - start;
  });
  await once(child, 'close');
  if (Number.isNaN(took)) throw new Error(`no story was selected: ${said}`);
  return took;
}

// What the run leaves behind at first (shadow git dir, branch) belongs to no round.
await timeToFirstStory();
const times = { node: [] as number[], version: [] as number[], dryRun: [] as number[], first: [] as number[] };
for (let round = 0; round < ROUNDS; round++) {
  times.node.push(timeOf(['-e', '0']));
  times.version.push(timeOf([RALPH, '--version']));
  times.dryRun.push(timeOf([RALPH, 'run', '--dry-run']));
  times.first.push(await timeToFirstStory());
}
const bare = median(times.node);
report('node -e 0', ms(bare));
report('ralph --version', ms(median(times.version)), ratio(median(times.version) / bare, 1.5));
report('ralph run --dry-run', ms(median(times.dryRun)), ratio(median(times.dryRun) / bare, 6));
report('ralph run, to the first selected story', ms(median(times.first)), '(target < 500 ms)');
