import type { TestOutcome } from './api.ts';
import { ownValue } from './recognise/own-value.ts';

/** Exit codes that frameworks give a meaning of their own. */
const MEANINGS: Readonly<Record<string, Readonly<Record<number, TestOutcome>>>> = {
  // https://docs.pytest.org/en/stable/reference/exit-codes.html
  pytest: { 1: 'fail', 2: 'error', 3: 'error', 4: 'error', 5: 'no-tests' },
  unittest: { 5: 'no-tests' },
  ctest: { 8: 'fail' },
  go: { 1: 'fail', 2: 'error' },
  phpunit: { 255: 'error' },
};

/** `timeout` ended it. */
const TIMED_OUT = 124;
/** From here on the shell could not start it (125–127), or a signal ended it. */
const NOT_RUN = 125;

/** What a code other than 0 means by itself; null when it only means that it ended badly. */
export function meaningOfCode(framework: string | null, code: number | null): TestOutcome | null {
  if (code === null) return null;
  const own = framework === null ? undefined : ownValue(MEANINGS, framework)?.[code];
  if (own !== undefined) return own;
  return code >= NOT_RUN || code === TIMED_OUT ? 'error' : null;
}
