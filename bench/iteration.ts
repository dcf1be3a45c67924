/**
 * What an iteration costs besides its agent: 1,000 iterations (500 stories, implemented and reviewed) of an agent that
 * answers at once, in a repository of 300 files, without checks, hooks and isolation.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeAgent } from './support/agent.ts';
import { build, RALPH } from './support/built.ts';
import { notesOfLoop } from './support/loop.ts';
import { backlogText, bareMemory, cleanEnvironment, makeRepository, temporaryFolder } from './support/repository.ts';
import { median, ms, quantile, ratio, report } from './support/statistics.ts';

const STORIES = Number(process.env['BENCH_STORIES'] ?? 500);
const FILES = 300;

await build();
const folder = temporaryFolder();
const project = join(folder, 'project');
const floorRepository = join(folder, 'floor');
mkdirSync(project);
makeRepository(project, FILES, {
  'ralph/tasks.json': backlogText(STORIES),
  'ralph/prd.md': '# Wanted\n',
  'ralph.config.json': JSON.stringify({
    maxAllowedIterations: 100_000,
    calls: 100_000,
    agents: { claude: { command: writeAgent(folder, floorRepository) } },
  }),
});
cpSync(project, floorRepository, { recursive: true });

const env = cleanEnvironment(folder);
const limit = String(STORIES * 2 + 5);
const { command, args, counted } = inOwnPidNamespace(process.execPath, [RALPH, 'run', limit]);
const notes = await notesOfLoop({ file: command, args, cwd: project, env, folder, iterations: STORIES * 2 });

/**
 * In a namespace of its own no other processes count, and the last pid given out is the number of processes (and
 * threads) started so far. Where that is not allowed, the machine must be quiet for that figure to mean anything.
 */
function inOwnPidNamespace(
  file: string,
  rest: readonly string[],
): { command: string; args: readonly string[]; counted: string } {
  const unshare = ['--pid', '--fork', '--mount-proc', '--kill-child'];
  for (const flags of [unshare, ['--user', '--map-root-user', ...unshare]]) {
    if (spawnSync('unshare', [...flags, 'true']).status === 0) {
      return { command: 'unshare', args: [...flags, file, ...rest], counted: 'in a pid namespace of its own' };
    }
  }
  return { command: file, args: rest, counted: 'on the whole machine: others count too' };
}

const gaps = notes.slice(1).map((note, at) => ({ after: notes[at] as (typeof notes)[number], note }));
const overheads = gaps.map(({ after, note }) => note.start - after.end);
const floors = notes.map(({ floor }) => floor);
const pairs = gaps.map(({ after, note }) => (note.start - after.end) / after.floor);

console.log(`${notes.length} iterations, ${FILES} files`);
report(
  'overhead: agent end to next agent start',
  ms(median(overheads)),
  `fastest tenth ${ms(quantile(overheads, 0.1))}`,
);
report('git floor, run inside each iteration', ms(median(floors)), `fastest tenth ${ms(quantile(floors, 0.1))}`);
report('overhead / floor, median of pairs', '', ratio(median(pairs), 2));
report('the same, fastest tenths', '', ratio(quantile(overheads, 0.1) / quantile(floors, 0.1), 2));
report('first 20 against last 20 iterations', ms(median(overheads.slice(0, 20))), ms(median(overheads.slice(-20))));

const bare = bareMemory();
report('memory of bare Node', `${bare.toFixed(1)} MB`);
for (const iteration of [20, 200, 1000]) {
  const memory = notes[iteration - 1]?.memory;
  if (memory !== undefined)
    report(`memory of the loop, iteration ${iteration}`, `${memory.toFixed(1)} MB`, ratio(memory / bare, 2.2));
}
const [early, late] = [notes[199]?.memory, notes[999]?.memory];
if (early !== undefined && late !== undefined)
  report('memory, iteration 1000 against 200', `${(late - early).toFixed(1)} MB`, ratio(late / early, 1.05));

const processes = gaps.map(({ after, note }) => note.pidAtStart - after.pidAtEnd);
report('processes started between two agents', String(median(processes)), counted);

// The first iterations also set things up.
const written = gaps.slice(20).map(({ note }) => note.files);
const isScratch = (path: string): boolean => path.split('/', 4).join(' ') === '. .git ralph work';
const isGits = (path: string): boolean =>
  path.startsWith('./.git/') && !/^\.\/\.git\/ralph\/(?!shadow\/index)/.test(path);
const isRecord = (path: string): boolean => !isScratch(path) && !isGits(path);
countFiles('files written per iteration: records', isRecord, '(target ≤ 12)');
countFiles("git's own: indexes, refs, logs", isGits);
countFiles('scratch files that scripts hand one another', isScratch);

/** How many of the files written in an iteration are of a kind, and which (in the last iteration). */
function countFiles(name: string, belongs: (path: string) => boolean, remark = ''): void {
  const counts = written.map((files) => files.filter(belongs).length);
  report(name, String(median(counts)), `${Math.min(...counts)} to ${Math.max(...counts)} ${remark}`);
  for (const path of (written.at(-1) ?? []).filter(belongs)) console.log(`    ${path}`);
}
