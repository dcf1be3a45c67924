/**
 * What checks cost a run: stories that are implemented, claimed by `complete_story` and approved once, in a project whose
 * check takes a while; in the clean room, and in the agent's tree as before there was a room. `BENCH_STORIES` (3) and
 * `BENCH_CHECK_SECONDS` (30) say how much.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, RALPH } from './support/built.ts';
import { backlogText, cleanEnvironment, makeRepository, temporaryFolder } from './support/repository.ts';
import { ratio, report, target } from './support/statistics.ts';

const STORIES = Number(process.env['BENCH_STORIES'] ?? 3);
const SECONDS = Number(process.env['BENCH_CHECK_SECONDS'] ?? 30);
/** What an agent takes for its own work. */
const AGENT_SECONDS = 2;

const STATUS = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const complete = { name: 'complete_story', arguments: { status: 'success', summary: 'done', tests: 'passing' } };
const ids = Array.from({ length: STORIES }, (_, index) => `US-${String(index + 1).padStart(3, '0')}`);
const steps = [
  ...ids.map((story) => ({
    when: { story, mode: 'implement' },
    do: [
      { write: { path: `${story}.txt`, content: 'x\n' } },
      { sleep: `${AGENT_SECONDS}s` },
      { tool: complete },
      STATUS,
    ],
  })),
  {
    when: { mode: 'review' },
    do: [{ sleep: `${AGENT_SECONDS}s` }, { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } }],
  },
];

interface Arm {
  readonly runs: number;
  readonly wallMs: number;
  readonly time: { readonly agentMs: number; readonly checkMs: number; readonly ownMs: number };
}

await build();
const folder = temporaryFolder();
const [room, tree] = [playIn('room'), playIn('tree')];
report(`runs of the checks, ${STORIES} stories`, String(room.runs), target('<', STORIES + 2));
report('the same in the work tree', String(tree.runs));
report('wall-clock, room · work tree', `${seconds(room.wallMs)} · ${seconds(tree.wallMs)}`);
report('wall-clock / work tree', '', ratio(room.wallMs / tree.wallMs, 0.6));
for (const [name, { time }] of [['room', room] as const, ['work tree', tree] as const])
  report(
    `agents · checks · ralph, ${name}`,
    [time.agentMs, time.checkMs, time.ownMs].map(seconds).join(' · '),
    `of a check that takes ${SECONDS} s`,
  );

function playIn(where: 'room' | 'tree'): Arm {
  const home = join(folder, where);
  const project = join(home, 'project');
  mkdirSync(project, { recursive: true });
  makeRepository(project, 50, {
    'ralph/tasks.json': backlogText(STORIES),
    'ralph/prd.md': '# Wanted\n',
    'ralph.config.json': JSON.stringify({
      agent: ['scripted'],
      verifyCommands: [`echo run >>"$HOME/runs"; sleep ${SECONDS}`],
      checks: { where },
    }),
  });
  const scenario = join(home, 'scenario.json');
  writeFileSync(scenario, JSON.stringify({ version: 1, steps }));
  const options = { cwd: project, env: cleanEnvironment(home), encoding: 'utf8' } as const;
  const start = performance.now();
  const run = spawnSync(process.execPath, [RALPH, 'run', '--scenario', scenario], options);
  const wallMs = performance.now() - start;
  if (run.status !== 0) throw new Error(`the run ended with ${run.status}: ${run.stderr}${run.stdout.slice(-2000)}`);
  const stats = spawnSync(process.execPath, [RALPH, 'status', '--stats', '--json'], options);
  const runs = readFileSync(join(home, 'runs'), 'utf8').trim().split('\n').length;
  return { runs, wallMs, time: JSON.parse(stats.stdout).time };
}

function seconds(value: number): string {
  return `${(value / 1000).toFixed(1)} s`;
}
