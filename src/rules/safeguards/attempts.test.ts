import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../contracts/model.ts';
import type { FailureContext } from '../../contracts/state/ledger.ts';
import { advancedInRow, attemptsOf, iterationsUsed, lastFailure, lastViolations } from './attempts.ts';
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

describe('lastViolations', () => {
  it('are those of the last iteration that was not cut short', () => {
    const violations = [{ rule: 'x', message: 'm' }];
    expect(lastViolations([aLine({ violations }), aLine({ verdict: 'limited' })], 'A')).toEqual(violations);
    expect(lastViolations([aLine({ violations }), aLine()], 'A')).toEqual([]);
  });
});

describe('iterationsUsed', () => {
  it('counts those of the run, without interrupted and limited ones', () => {
    const ledger = [...lines('accepted', 'interrupted', 'limited', 'rejected'), aLine({ run: 'r2' }), aReset()];
    expect(iterationsUsed(ledger, 'r1')).toBe(2);
  });
});
