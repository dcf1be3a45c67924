import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FailureContext, Signals, Verdict } from '../../contracts/index.ts';
import {
  advancedInRow,
  attemptsOf,
  estimate,
  exitBySignals,
  iterationsUsed,
  lastFailure,
  lastViolations,
  signalsOf,
} from './attempts.ts';
import { aLine, aReset } from './ledger.fixture.ts';

const lines = (...verdicts: Verdict[]) => verdicts.map((verdict) => aLine({ verdict }));
const failure = (reason: string, rescue: string | null = null): FailureContext => ({
  reason,
  checks: [],
  rescue,
  diffStat: null,
});

describe('attemptsOf', () => {
  it('counts failed iterations of this story in any mode', () => {
    const ledger = [
      ...lines('rejected', 'no-progress', 'timed-out', 'agent-error'),
      aLine({ story: 'B', verdict: 'rejected' }),
    ];
    expect(attemptsOf(ledger, 'A')).toBe(4);
    expect(attemptsOf([aLine({ verdict: 'rejected', mode: 'review' })], 'A')).toBe(1);
    expect(attemptsOf([], 'A')).toBe(0);
  });

  it('does not count interrupted and limited iterations', () => {
    expect(attemptsOf(lines('interrupted', 'rejected', 'limited'), 'A')).toBe(1);
  });

  it('counts advanced from the third in a row, an interruption does not end the row', () => {
    expect(attemptsOf(lines('advanced', 'advanced'), 'A')).toBe(0);
    expect(attemptsOf(lines('advanced', 'advanced', 'advanced', 'advanced'), 'A')).toBe(2);
    expect(attemptsOf(lines('advanced', 'advanced', 'rejected', 'advanced'), 'A')).toBe(1);
    expect(attemptsOf(lines('advanced', 'interrupted', 'advanced', 'advanced'), 'A')).toBe(1);
    expect(advancedInRow(lines('rejected', 'advanced', 'limited', 'advanced'), 'A')).toBe(2);
  });

  it('starts again on a changed review state and on a reset by a person', () => {
    const failed = aLine({ verdict: 'rejected' });
    expect(attemptsOf([failed, failed, aLine({ stateChanged: true }), failed], 'A')).toBe(1);
    expect(attemptsOf([failed, failed, aReset()], 'A')).toBe(0);
    expect(attemptsOf([failed, failed, aReset('B')], 'A')).toBe(2);
  });
});

describe('lastFailure', () => {
  it('is the failure of the last iteration, until progress or a changed state ends it', () => {
    const rejected = aLine({ verdict: 'rejected', failure: failure('red') });
    expect(lastFailure([rejected], 'A')).toEqual(failure('red'));
    expect(lastFailure([rejected, aLine({ story: 'B' })], 'A')).toEqual(failure('red'));
    expect(lastFailure([rejected, aLine({ verdict: 'advanced' })], 'A')).toBeNull();
    expect(lastFailure([rejected, aLine({ stateChanged: true, rescue: 'refs/x' })], 'A')).toBeNull();
    expect(lastFailure([rejected, aReset()], 'A')).toBeNull();
  });

  it('names the rescue of an interruption and keeps the failure before it', () => {
    const interrupted = aLine({ verdict: 'interrupted', reason: 'stopped', rescue: 'refs/x' });
    expect(lastFailure([interrupted], 'A')).toEqual(failure('stopped', 'refs/x'));
    const rejected = aLine({ verdict: 'rejected', failure: failure('red', 'refs/w') });
    expect(lastFailure([rejected, interrupted], 'A')).toEqual(failure('stopped. Before that: red', 'refs/x'));
    expect(lastFailure([rejected, aLine({ verdict: 'limited' })], 'A')).toEqual(failure('red', 'refs/w'));
  });
});

it('lastViolations are those of the last iteration that was not cut short', () => {
  const violations = [{ rule: 'x', message: 'm' }];
  expect(lastViolations([aLine({ violations }), aLine({ verdict: 'limited' })], 'A')).toEqual(violations);
  expect(lastViolations([aLine({ violations }), aLine()], 'A')).toEqual([]);
});

it('iterationsUsed counts those of the run, without interrupted and limited ones', () => {
  const ledger = [...lines('accepted', 'interrupted', 'limited', 'rejected'), aLine({ run: 'r2' }), aReset()];
  expect(iterationsUsed(ledger, 'r1')).toBe(2);
});

describe('estimate', () => {
  it('guesses 2.6 iterations a story with review and 1.2 without while there is no history', () => {
    expect(estimate({ storiesLeft: 5, ledger: [], skipReview: false })).toEqual({
      storiesLeft: 5,
      iterationsPerStory: 2.6,
      iterations: 13,
      costUsd: null,
    });
    expect(estimate({ storiesLeft: 3, ledger: [aReset()], skipReview: true })).toMatchObject({ iterations: 4 });
    expect(estimate({ storiesLeft: 0, ledger: [], skipReview: false })).toMatchObject({ iterations: 0 });
  });

  it('takes iterations and costs from the stories this workspace finished', () => {
    const ledger = [
      aLine({ costUsd: 1 }),
      aLine({ verdict: 'limited', costUsd: 9 }),
      aLine({ mode: 'review', costUsd: 3, stateChanged: true, state: 'approved' }),
      aLine({ story: 'B', costUsd: 2 }),
    ];
    expect(estimate({ storiesLeft: 3, ledger, skipReview: false })).toEqual({
      storiesLeft: 3,
      iterationsPerStory: 2,
      iterations: 6,
      costUsd: 12,
    });
    expect(estimate({ storiesLeft: 3, ledger, skipReview: true })).toMatchObject({ iterationsPerStory: 1.2 });
  });
});

const WORK: Signals = { done: false, completion: false, testOnly: false, confidence: 20 };
const DONE: Signals = { done: true, completion: true, testOnly: false, confidence: 100 };
const TEST: Signals = { done: false, completion: false, testOnly: true, confidence: 20 };
const NAMES: Readonly<Record<string, Signals>> = { w: WORK, d: DONE, t: TEST };

const history = (letters: string): readonly Signals[] => [...letters].map((letter) => NAMES[letter] ?? WORK);

describe('exitBySignals', () => {
  it.each(['dd', 'wdd', 'wwwwwwdd', 'tdd', 'dwdd', 'ttdd'])('calls %s finished', (letters) => {
    expect(exitBySignals(history(letters))?.reason).toMatch(/finished in 2 iterations in a row/);
  });

  it.each(['ttt', 'wttt', 'dttt', 'tttttttt'])('ends %s: nothing but tests', (letters) => {
    expect(exitBySignals(history(letters))?.reason).toMatch(/nothing but run or write tests/);
  });

  it.each(['', 'd', 'w', 'dw', 'dwd', 'dwdw', 'ddw', 'dtd', 'tt', 'ttw', 'ttwt', 'tttw', 'ttd', 'wwwwww'])(
    'goes on after %j',
    (letters) => {
      expect(exitBySignals(history(letters))).toBeNull();
    },
  );

  it('agrees with a naive reading of the history', () => {
    const letters = fc.array(fc.constantFrom('w', 'd', 't'), { maxLength: 12 }).map((all) => all.join(''));
    fc.assert(
      fc.property(letters, (all) => {
        const expected = all.endsWith('dd') || all.endsWith('ttt');
        expect(exitBySignals(history(all)) !== null).toBe(expected);
      }),
    );
  });

  it('looks at no more than the last five', () => {
    const signals = fc.array(fc.constantFrom(WORK, DONE, TEST), { maxLength: 8 });
    const lastFive = fc.array(fc.constantFrom(WORK, DONE, TEST), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(signals, lastFive, (before, last) => {
        expect(exitBySignals([...before, ...last])).toEqual(exitBySignals(last));
      }),
    );
  });
});

describe('signalsOf', () => {
  it('collects the signals of one run in their order', () => {
    const ledger = [
      aLine({ run: 'r0', signals: DONE }),
      aLine({ iteration: 1, signals: WORK }),
      aReset(),
      aLine({ iteration: 2, signals: DONE }),
      aLine({ run: 'r2', signals: TEST }),
    ];
    expect(signalsOf(ledger, 'r1')).toEqual([WORK, DONE]);
  });

  it('passes over what was cut short, so that a limit between two iterations breaks no row', () => {
    const ledger = [
      aLine({ signals: DONE }),
      aLine({ iteration: 2, verdict: 'limited', counts: 'ignored' }),
      aLine({ iteration: 3, verdict: 'interrupted', counts: 'ignored', signals: WORK }),
      aLine({ iteration: 4, verdict: 'no-progress', counts: 'bad', signals: DONE }),
    ];
    expect(exitBySignals(signalsOf(ledger, 'r1'))).not.toBeNull();
  });

  it.each(['rejected', 'timed-out', 'agent-error'] as const)('believes nothing that was rolled back: %s', (verdict) => {
    const ledger = [
      aLine({ signals: DONE }),
      aLine({ iteration: 2, verdict, counts: 'bad', signals: DONE }),
      aLine({ iteration: 3, verdict, counts: 'bad', signals: DONE }),
    ];
    expect(exitBySignals(signalsOf(ledger, 'r1'))).toBeNull();
  });

  it('takes a line without signals as one that says nothing', () => {
    const [signals] = signalsOf([aLine()], 'r1');
    expect(signals).toEqual({ done: false, completion: false, testOnly: false, confidence: 0 });
  });

  it('is the same for a run that was stopped after any iteration: it reads nothing but lines', () => {
    const all = [WORK, DONE, TEST].map((signals, i) => aLine({ iteration: i + 1, signals }));
    for (let stop = 0; stop <= all.length; stop += 1) {
      expect([...signalsOf(all.slice(0, stop), 'r1'), ...signalsOf(all.slice(stop), 'r1')]).toEqual(
        signalsOf(all, 'r1'),
      );
    }
  });
});
