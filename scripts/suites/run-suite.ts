import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../root.ts';
import { runProgram } from '../run-program.ts';
import { allowedSkips } from './allowed-skips.ts';
import { judgeSuite, type VitestReport } from './report.ts';
import type { Tally } from './tally.ts';

/** What `npm test` runs whole. */
export const QUICK = ['pure', 'unit'] as const;
/** What `npm test` runs the promises of, and `npm run verify` the rest. */
export const THOROUGH = ['sandbox', 'simulation', 'torture', 'docs', 'e2e', 'browser'] as const;

export type SuiteName = (typeof QUICK)[number] | (typeof THOROUGH)[number];

/** Vitest's own program. */
export const VITEST = join(root, 'node_modules/vitest/vitest.mjs');

/** What of the suites is run, and how. */
export interface SuiteOptions {
  /** The Node binary to run them on, for the matrix; ours by default. */
  readonly node?: string;
  /** Parts of file names, as vitest takes them. */
  readonly files?: readonly string[];
  /** Part of the full title of the tests. */
  readonly title?: string;
  /** Tests with the tag `promise` alone, or all others but those with the tag `long`. */
  readonly only?: 'promises' | 'others';
}

/** Runs suites beside each other in one process of vitest, its output going to ours. */
export async function runSuites(names: readonly SuiteName[], options: SuiteOptions = {}): Promise<Tally> {
  const { node = process.execPath, files = [], title, only } = options;
  const folder = await mkdtemp(join(tmpdir(), 'ralph-suite-'));
  const file = join(folder, 'report.json');
  try {
    const { exitCode } = await runProgram(
      node,
      [
        ...[VITEST, 'run', ...names.flatMap((name) => ['--project', name])],
        // Vitest keeps a processor to itself: on two that makes one worker. Tests wait for about half of their time.
        '--maxWorkers=4',
        ...['--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
        ...(title === undefined ? [] : ['-t', title]),
        ...(only === undefined ? [] : ['--tagsFilter', only === 'promises' ? 'promise' : '!promise && !long']),
        ...files,
      ],
      { cwd: root },
    );
    const strict = process.env['CI'] === 'true' && title === undefined;
    return judgeSuite({
      name: names.join(', '),
      report: await readReport(file),
      exitCode,
      strict,
      allowed: allowedSkips,
      ...(only === undefined ? {} : { only }),
      root,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Files of tests with the tag `promise`, relative to the root. */
export async function promiseFiles(): Promise<readonly string[]> {
  const files = await Promise.all(
    ['test', 'src/adapters/isolation'].map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true })).map((path) => `${folder}/${path}`),
    ),
  );
  const tests = files.flat().filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'));
  const texts = await Promise.all(tests.map((path) => readFile(join(root, path), 'utf8')));
  return tests.filter((_, at) => texts[at]?.includes("tags: ['promise']"));
}

async function readReport(file: string): Promise<VitestReport | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return null;
  }
}
