import { describe, expect, it } from 'vitest';
import type { FailureContext } from '../../contracts/index.ts';
import { attemptsOf, estimate, lastFailure, lastViolations } from './attempts.ts';
import { breakerOf } from './breaker.ts';
import { errorOf } from './errors.ts';
import { aBadLine, aCrash, aLine, aReset } from './ledger.fixture.ts';

const SETTINGS = { noProgress: 3, sameError: 9, outputDecline: 70, cooldownMs: null };
const bad = (count: number, reason = 'no') => Array.from({ length: count }, () => aBadLine({ reason }));

/** Small differences that mutation testing showed nobody had looked at: docs/testing.md. */

describe('attempts', () => {
  it('are not spent by an accepted iteration, whether the state of the story changed or not', () => {
    expect(attemptsOf([aBadLine(), aLine({ verdict: 'accepted', stateChanged: false })], 'A')).toBe(1);
  });

  it('of an interruption without a rescue keep what the failure before it changed', () => {
    const earlier: FailureContext = { reason: 'red', checks: [], rescue: 'refs/r', diffStat: '1 file' };
    const cut: FailureContext = { reason: 'cut off', checks: [], rescue: null, diffStat: '9 files' };
    const ledger = [aBadLine({ failure: earlier }), aLine({ verdict: 'interrupted', failure: cut })];
    expect(lastFailure(ledger, 'A')).toMatchObject({ rescue: 'refs/r', diffStat: '1 file' });
  });

  it('that broke rules are told of also when a person reset the story since', () => {
    const violations = [{ rule: 'x', message: 'y' }] as never;
    expect(lastViolations([aBadLine({ violations }), aReset()], 'A')).toEqual(violations);
  });
});

describe('the words of the breaker', () => {
  it('ask for a reset only where it is open', () => {
    expect(breakerOf(bad(3), SETTINGS).fix.join()).toContain('`ralph circuit reset`');
    const half = breakerOf(bad(2), SETTINGS).fix.join();
    expect(half).toContain('a good iteration closes the circuit');
    expect(half).not.toContain('circuit reset');
  });

  it('cut a reason that is longer than a line, and no other', () => {
    const shown = (length: number) => breakerOf(bad(2, 'x'.repeat(length)), SETTINGS).evidence[0] ?? '';
    expect(shown(160).endsWith('x')).toBe(true);
    expect(shown(161).endsWith('x…')).toBe(true);
  });
});

it('an estimate counts iterations, and nothing that people said between them', () => {
  const ledger = [aLine({ state: 'approved' }), aReset(), aReset()];
  expect(estimate({ storiesLeft: 1, ledger, skipReview: false }).iterationsPerStory).toBe(1);
});

describe('a normalised error', () => {
  it.each([
    ['no such file /tmp/shop-kQzXw', 'no such file #'],
    ['no such folder src/cart/', 'no such folder cart'],
    ['no such folder /', 'no such folder'],
    ['failed abc1d2', 'failed #'],
    ['failed abc12def3', 'failed #'],
    ['failed 11a22d', 'failed #'],
    ['failed abcdef1', 'failed #'],
    ['failed deadbeefcafe', 'failed #'],
    ['failed module2', 'failed module#'],
  ])('%s is %s', (text, expected) => {
    expect(errorOf(aCrash(text))).toBe(expected);
  });
});

it('what is usual is told by answers, and by no iteration that counts for nothing', () => {
  const answers = [1000, 1000, 1000].map((outputChars) => aLine({ mode: 'review', outputChars }));
  const cut = Array.from({ length: 5 }, () => aLine({ outputChars: 1, mode: 'review', counts: 'ignored' }));
  const short = aBadLine({ mode: 'review', outputChars: 100 });
  expect(breakerOf([...answers, ...cut, short], SETTINGS).cause).toBe('output-decline');
  expect(breakerOf([...answers, aReset(), ...cut, short], SETTINGS).cause).toBe('output-decline');
});
