import { describe, expect, it } from 'vitest';
import type { CheckResult, Claim } from '../../contracts/model.ts';
import { decideVerdict, type VerdictInput } from './verdict.ts';

const ready: Claim = { kind: 'ready', source: 'backlog' };
const approved: Claim = { kind: 'approved', source: 'backlog' };
const blocked: Claim = { kind: 'blocked', source: 'tool', reason: 'no key' };
const red: CheckResult = { command: 'npm test', ok: false, exitCode: 1, timedOut: false, durationMs: 1, tail: '' };
const regression = { regressions: [red], ownFailures: [] };
const ownFailure = { regressions: [], ownFailures: [red] };

/** A good implement iteration; each test says what is different. */
function verdict(input: Partial<VerdictInput> = {}) {
  return decideVerdict({
    mode: 'implement',
    claim: ready,
    agent: 'ok',
    changedOutsideLog: true,
    changedSinceStoryStart: true,
    alreadyDone: null,
    skipReview: false,
    checks: { regressions: [], ownFailures: [] },
    reviewTouchedCode: false,
    tampering: [],
    advancedInRow: 0,
    ...input,
  });
}

const unchanged = { changedOutsideLog: false, changedSinceStoryStart: false };

describe('decideVerdict, row by row', () => {
  it('accepted: a legal claim and green checks make one commit', () => {
    expect(verdict()).toEqual({
      verdict: 'accepted',
      reason: 'the story is finished and goes to review',
      counts: 'good',
      action: 'commit',
      attemptDelta: 0,
    });
  });

  it('advanced: green changes without a claim are committed, and cost from the third in a row', () => {
    const row = (advancedInRow: number) => verdict({ claim: null, advancedInRow });
    expect(row(0)).toMatchObject({ verdict: 'advanced', counts: 'good', action: 'commit', attemptDelta: 0 });
    expect(row(1).attemptDelta).toBe(0);
    expect(row(2)).toMatchObject({ verdict: 'advanced', counts: 'good', action: 'commit', attemptDelta: 1 });
  });

  it('rejected: a check that was green is red, with a claim or without', () => {
    for (const claim of [ready, blocked, null]) {
      expect(verdict({ claim, checks: regression })).toEqual({
        verdict: 'rejected',
        reason: 'a check that was green before is red: `npm test` failed with exit code 1',
        counts: 'bad',
        action: 'roll-back',
        attemptDelta: 1,
      });
    }
  });

  it("rejected: a claim needs the story's own checks, going on does not", () => {
    expect(verdict({ checks: ownFailure })).toMatchObject({ verdict: 'rejected', action: 'roll-back' });
    expect(verdict({ claim: null, checks: ownFailure })).toMatchObject({ verdict: 'advanced' });
    expect(verdict({ claim: blocked, checks: ownFailure })).toMatchObject({ verdict: 'accepted' });
  });

  it('no-progress: no change and no claim leave the tree alone', () => {
    expect(verdict({ claim: null, ...unchanged })).toMatchObject({
      verdict: 'no-progress',
      counts: 'bad',
      action: 'keep',
      attemptDelta: 1,
    });
  });

  it.each([
    ['timed-out', 'timed-out'],
    ['error', 'agent-error'],
  ] as const)('%s: without a claim, or with red checks, everything is rolled back', (agent, expected) => {
    for (const input of [{ claim: null }, { checks: regression }, { checks: ownFailure }]) {
      expect(verdict({ agent, ...input })).toMatchObject({
        verdict: expected,
        counts: 'bad',
        action: 'roll-back',
        attemptDelta: 1,
      });
    }
  });

  it.each(['timed-out', 'error'] as const)(
    '%s with a legal claim and green checks is accepted, the bad end recorded',
    (agent) => {
      const decision = verdict({ agent });
      expect(decision).toMatchObject({ verdict: 'accepted', action: 'commit', attemptDelta: 0 });
      expect(decision.reason).toMatch(/although the agent (ran out of time|ended with an error)$/);
    },
  );

  it.each(['interrupted', 'limited'] as const)('%s: rolled back, spends nothing, whatever was claimed', (agent) => {
    expect(verdict({ agent })).toMatchObject({
      verdict: agent,
      counts: 'ignored',
      action: 'roll-back',
      attemptDelta: 0,
    });
  });
});

describe('decideVerdict, below the table', () => {
  it.each([
    ['without a word of it', null, 'no evidence'],
    ['without evidence', { evidence: [], missing: [] }, 'no evidence'],
    ['with evidence that does not exist', { evidence: ['a.ts', 'src/b.ts'], missing: ['src/b.ts'] }, 'src/b.ts'],
  ])('does not accept a claim without any change, %s', (_, alreadyDone, reason) => {
    for (const mode of ['implement', 'review-fix'] as const) {
      expect(verdict({ ...unchanged, mode, alreadyDone })).toMatchObject({
        verdict: 'no-progress',
        attemptDelta: 1,
        reason: expect.stringContaining(reason),
      });
    }
  });

  it('sends what was done before to review on evidence that exists, and never past a missing reviewer', () => {
    const alreadyDone = { evidence: ['src/sum.ts'], missing: [] };
    expect(verdict({ ...unchanged, alreadyDone })).toMatchObject({
      verdict: 'accepted',
      reason: 'the agent says no change was needed; a review decides',
    });
    expect(verdict({ ...unchanged, alreadyDone, skipReview: true })).toMatchObject({ verdict: 'no-progress' });
    expect(verdict({ changedOutsideLog: false, skipReview: true })).toMatchObject({ verdict: 'accepted' });
  });

  it('accepts a blocker without any change', () => {
    expect(verdict({ claim: blocked, ...unchanged, skipReview: true })).toMatchObject({
      verdict: 'accepted',
      reason: 'the agent is blocked: no key',
    });
  });

  it('never rejects a review for red checks', () => {
    const decision = verdict({ mode: 'review', claim: approved, checks: regression });
    expect(decision).toMatchObject({ verdict: 'accepted', counts: 'good', action: 'commit', attemptDelta: 0 });
    expect(decision.reason).toContain('changes are requested');
  });

  it('rolls back a review that touched code, and its verdict does not stand', () => {
    expect(verdict({ mode: 'review', claim: approved, reviewTouchedCode: true })).toMatchObject({
      verdict: 'rejected',
      action: 'roll-back',
      attemptDelta: 1,
    });
  });

  it('calls a review without a verdict no progress', () => {
    expect(verdict({ mode: 'review', claim: null })).toMatchObject({
      verdict: 'no-progress',
      action: 'keep',
      attemptDelta: 1,
    });
  });

  it('holds a review that ended badly to green checks', () => {
    expect(verdict({ mode: 'review', claim: approved, agent: 'timed-out' }).verdict).toBe('accepted');
    expect(verdict({ mode: 'review', claim: approved, agent: 'timed-out', checks: regression }).verdict).toBe(
      'timed-out',
    );
  });
});
