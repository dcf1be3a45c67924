import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../root.ts';
import { runProgram } from '../run-program.ts';
import { allowedSkips } from './allowed-skips.ts';
import { judgeSuite, type VitestReport } from './report.ts';
import type { Tally } from './tally.ts';

/** In this order: what is quick and points at the cause first. */
export const SUITES = ['unit', 'sandbox', 'docs', 'e2e', 'browser', 'simulation', 'torture'] as const;

/** Vitest keeps a processor to itself: on two that makes one worker. What mostly waits for others can share them. */
const WORKERS: Readonly<Record<SuiteName, readonly string[]>> = {
  unit: ['--maxWorkers=2'],
  sandbox: [],
  docs: ['--maxWorkers=2'],
  e2e: ['--maxWorkers=2'],
  browser: ['--maxWorkers=2'],
  simulation: [],
  torture: ['--maxWorkers=2'],
};

export type SuiteName = (typeof SUITES)[number];

/**
 * Runs one vitest project to its end, its output going to ours.
 *
 * @param options.node the Node binary to run it on, for the matrix; ours by default
 * @param options.filters parts of file names, as vitest takes them
 */
export async function runSuite(
  name: SuiteName,
  options: { readonly node?: string; readonly filters?: readonly string[] } = {},
): Promise<Tally> {
  const folder = await mkdtemp(join(tmpdir(), 'ralph-suite-'));
  const file = join(folder, 'report.json');
  try {
    const { exitCode } = await runProgram(
      options.node ?? process.execPath,
      [
        join(root, 'node_modules/vitest/vitest.mjs'),
        ...['run', '--project', name, '--passWithNoTests'],
        ...WORKERS[name],
        ...['--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
        ...(options.filters ?? []),
      ],
      { cwd: root },
    );
    const report = await readReport(file);
    const strict = process.env['CI'] === 'true' && (options.filters ?? []).length === 0;
    return judgeSuite({ name, report, exitCode, strict, allowed: allowedSkips, root });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readReport(file: string): Promise<VitestReport | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return null;
  }
}
