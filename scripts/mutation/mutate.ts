import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { root } from '../root.ts';
import type { Area } from './areas.ts';

/** One small change of the sources, and what the tests said. */
export type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

export interface MutationOptions {
  /** How many mutants; null: all. */
  readonly sample: number | null;
  /** Chooses the sample. */
  readonly seed: number;
  /** Mutants tried at the same time. */
  readonly jobs: number;
  /** Leaves out what is only run while modules are loaded: such a mutant takes a process and all tests. */
  readonly skipStatic: boolean;
}

/** Big and of no use to the tests; the sandbox is a copy of everything else. */
const LEFT_OUT = ['dist', 'coverage', '.ralph-test', 'docs', 'dashboard', 'bench', 'examples', 'test/fixtures/big'];

/**
 * Tries the mutants of an area in a copy of the repository below `.ralph-test/`, which is removed afterwards; the
 * sources stay as they are. Mutants outside the sample come back as `CompileError`.
 */
export async function mutate(
  area: Area,
  { sample, seed, jobs, skipStatic }: MutationOptions,
): Promise<readonly Mutant[]> {
  process.chdir(root);
  // Children of Stryker inherit it: scripts/mutation/vitest.config.ts reads it.
  process.env['MUTATION_TESTS'] = area.tests.join(',');
  const stryker = new Stryker({
    mutate: [...area.sources],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', join(root, 'scripts/mutation/plugin.mjs')],
    // Not by imports: half of all tests import the backlog somehow, and these rules are to be held by their own tests.
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    concurrency: jobs,
    ignoreStatic: skipStatic,
    ...(sample === null ? {} : { checkers: ['sample'], sample: { count: sample, seed } }),
    // A loop without an end is noticed, too.
    timeoutMS: 10_000,
    timeoutFactor: 3,
    // It would rewrite paths in ours with an interface that TypeScript 7 does not have any more; the copy is whole.
    tsconfigFile: 'none.json',
    ignorePatterns: LEFT_OUT,
    tempDirName: '.ralph-test/mutation',
    cleanTempDir: 'always',
    reporters: ['missed', process.stderr.isTTY ? 'progress' : 'progress-append-only'],
    allowConsoleColors: false,
    thresholds: { high: 100, low: 0, break: null },
  });
  return await stryker.runMutationTest();
}
