/**
 * `npm run simulate [-- --runs N] [--seed S] [--only loop|streams|scheduler] [--jobs N] [--failures N] [--replay WHAT]`:
 * plays the decisions of loop and streams through, in worlds made from seeds. WHAT is a seed, a world as JSON, or a file
 * that holds one. See docs/testing.md.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runProgram } from './run-program.ts';
import { bundleSimulation } from './simulation/bundle.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    failures: { type: 'string', default: '1' },
    replay: { type: 'string' },
  },
});

const folder = await mkdtemp(join(tmpdir(), 'ralph-simulation-'));
try {
  const file = join(folder, 'simulation.mjs');
  await bundleSimulation(file);
  const only = values.only === undefined ? [] : ['--only', values.only];
  // Most of what is made is thrown away at once.
  const start = ['--max-semi-space-size=64', file, ...only];
  const commands = values.replay === undefined ? slices(start) : [[...start, '--replay', worldIn(values.replay)]];
  const results = await Promise.all(commands.map((args) => runProgram(process.execPath, args, { cwd: folder })));
  process.exitCode = results.every(({ exitCode }) => exitCode === 0) ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Each job takes seeds of its own; together they are those that one job would take. */
function slices(start: readonly string[]): readonly (readonly string[])[] {
  const [runs, seed, jobs] = [Number(values.runs), Number(values.seed), Number(values.jobs)];
  const each = Math.ceil(runs / jobs);
  return Array.from({ length: jobs }, (_, job) => [
    ...[...start, '--failures', values.failures],
    ...['--runs', String(Math.min(each, runs - job * each)), '--seed', String(seed + job * each)],
  ]);
}

function worldIn(what: string): string {
  return existsSync(what) ? readFileSync(what, 'utf8') : what;
}
