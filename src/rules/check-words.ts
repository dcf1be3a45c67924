import type { CheckResult } from '../contracts/model.ts';

/** How a red check ended, to be put after its command: `failed with exit code 1`. */
export function howItFailed({ exitCode, timedOut, tests }: Omit<CheckResult, 'command' | 'tail'>): string {
  if (timedOut) return 'ran out of time';
  if (exitCode === null) return 'was killed by a signal';
  if (exitCode !== 0) return `failed with exit code ${exitCode}`;
  const failed = tests?.failed ? `that ${tests.failed} of its tests failed` : 'that its tests failed';
  return `ended with exit code 0, but its output says ${failed}`;
}
