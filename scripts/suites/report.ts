import type { AllowedSkip } from './allowed-skips.ts';
import type { Tally } from './tally.ts';

/** The part that we read of what vitest's JSON reporter writes. */
export interface VitestReport {
  readonly testResults: readonly {
    /** Absolute path. */
    readonly name: string;
    readonly status: string;
    /** What failed outside of its tests. */
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
      readonly tags?: readonly string[];
    }[];
  }[];
}

export interface SuiteFacts {
  readonly name: string;
  /** Null when vitest ended without writing one. */
  readonly report: VitestReport | null;
  readonly exitCode: number | null;
  /** Skips fail unless they are allowed. */
  readonly strict: boolean;
  readonly allowed: readonly AllowedSkip[];
  /** What was asked for, by the tags `promise` and `long`; the rest is reported as skipped, and is not. */
  readonly only?: 'promises' | 'others';
  /** Absolute path of the repository, ending with a separator. */
  readonly root: string;
}

/**
 * Counts a suite. Each way in which a suite can go wrong without a failed test counts as one failure: a file that
 * does not load, an error outside of any test, a run cut short, no test at all, a skip that is not allowed.
 */
export function judgeSuite({ name, report, exitCode, strict, allowed, only, root }: SuiteFacts): Tally {
  const faults: string[] = [];
  let passed = 0;
  let skipped = 0;
  for (const file of report?.testResults ?? []) {
    const path = file.name.replace(root, '');
    const isBroken = file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed');
    if (isBroken) faults.push(`${path} failed outside of its tests${firstLine(file.message)}`);
    for (const test of file.assertionResults) {
      const tags = test.tags ?? [];
      const isAskedFor = only === undefined || (only === 'promises' ? tags.includes('promise') : tags.length === 0);
      if (test.status === 'passed') passed += 1;
      else if (!isAskedFor && test.status === 'skipped') continue;
      else if (test.status === 'failed') faults.push(failureLine(path, test));
      else if (isBroken) skipped += 1;
      else if (strict && !isAllowed(allowed, path, test.fullName)) faults.push(`skipped: ${path}: ${test.fullName}`);
      else skipped += 1;
    }
  }
  if (report === null) faults.push(`${name}: the runner wrote no report (exit ${exitCode})`);
  else if (passed + faults.length === 0) faults.push(`${name}: ran no test`);
  else if (exitCode !== 0 && faults.length === 0) {
    faults.push(`${name}: an error outside of the tests (exit ${exitCode})`);
  }
  return { passed, failed: faults.length, skipped, faults };
}

/** File and line, title, the first line of the error, and below it the command that runs only this test. */
function failureLine(
  path: string,
  { fullName, failureMessages = [] }: { readonly fullName: string; readonly failureMessages?: readonly string[] },
): string {
  const [said = ''] = failureMessages;
  const [, line] = said.split(`${path}:`);
  const where = line === undefined ? path : `${path}:${Number.parseInt(line, 10)}`;
  const [, seed] = /Property failed after[\s\S]*?seed: (-?\d+)/.exec(said) ?? [];
  const inputs = seed === undefined ? '' : `PROPERTY_SHARE=1 PROPERTY_SEED=${seed} `;
  const again = `${inputs}npm test -- ${path} -t '${fullName.replaceAll("'", "'\\''")}'`;
  return `${where}: ${fullName}${firstLine(said)}\n  ${again}`;
}

function firstLine(said = ''): string {
  const [why = ''] = said.split('\n');
  return why === '' ? '' : `: ${why.slice(0, 300)}`;
}

function isAllowed(allowed: readonly AllowedSkip[], path: string, title: string): boolean {
  return allowed.some((skip) => skip.file === path && title.startsWith(skip.title));
}
