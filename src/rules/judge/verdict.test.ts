import { describe, expect, it } from 'vitest';
import type { AgentError, CheckResult, Claim } from '../../contracts/index.ts';
import { QUIET, type VerdictInput } from './verdict.fixture.ts';
import { decideVerdict } from './verdict.ts';

const ready: Claim = { kind: 'ready', source: 'backlog' };
const approved: Claim = { kind: 'approved', source: 'backlog' };
const blocked: Claim = { kind: 'blocked', source: 'tool', reason: 'no key' };
const red: CheckResult = { command: 'npm test', ok: false, exitCode: 1, timedOut: false, durationMs: 1, tail: '' };
const regression = { regressions: [red], ownFailures: [] };
const ownFailure = { regressions: [], ownFailures: [red] };

/** A good implement iteration; each test says what is different. */
function verdict(input: Partial<VerdictInput> = {}) {
  return decideVerdict({ ...QUIET, claim: ready, ...input });
}

const unchanged = { changedOutsideLog: false, changedSinceStoryStart: false };

describe('decideVerdict, row by row', () => {
  it('accepted: a legal claim and green checks make one commit', () => {
    expect(verdict()).toEqual({
      verdict: 'accepted',
      reason: 'implemented; goes to review',
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
        reason: 'a check that passed before fails now: `npm test` failed with exit code 1',
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

describe('a verdict says why', () => {
  const tampering = [{ path: 'a.test.ts', line: 3, detail: 'a test was skipped' }] as never;

  it.each<[string, string, Partial<VerdictInput>]>([
    ['interrupted', 'the iteration was interrupted before it ended', { agent: 'interrupted' }],
    ['limited', 'the provider stopped the agent: a usage limit was reached', { agent: 'limited' }],
    ['rejected', 'tests or checks were weakened: a.test.ts:3: a test was skipped', { tampering }],
    ['no-progress', 'the review ended without a decision', { mode: 'review' }],
    ['no-progress', 'the agent changed nothing and made no claim', { changedOutsideLog: false }],
    [
      'no-progress',
      'the agent says the story is finished, but nothing was changed for it: without a review nothing can show that it was done before',
      { claim: { kind: 'ready', source: 'backlog' }, skipReview: true, changedSinceStoryStart: false },
    ],
  ])('%s says why: %s', (verdict, reason, input) => {
    expect(decideVerdict({ ...QUIET, ...input })).toMatchObject({ verdict, reason });
  });

  it('asks only a review whether it left the files alone, and only others whether tests were weakened', () => {
    expect(decideVerdict({ ...QUIET, reviewTouchedCode: true }).verdict).toBe('advanced');
    const approved = { kind: 'approved', source: 'backlog' } as const;
    expect(decideVerdict({ ...QUIET, mode: 'review', claim: approved, tampering }).verdict).toBe('accepted');
  });
});

describe('the reason of a verdict', () => {
  const said = (kind: AgentError['kind'], message: string) => ({
    outcome: { ...QUIET.outcome, result: { ...QUIET.outcome.result, ok: false, error: { kind, message } } },
  });
  const refused = { outcome: 'passes-before', detail: 'its test passes without its code' } as never;
  const review = { mode: 'review', claim: approved } as const;
  const feedback: Claim = { kind: 'changes-requested', source: 'tool', feedback: 'no' };
  const hook = { kind: 'hook', hook: 'pre-commit', check: red } as const;
  const secrets = { kind: 'secrets', files: [{ path: '.env', names: ['KEY'] }] } as const;
  const overrun = { budget: 'story-cost', spent: 2, limit: 1 } as const;

  it.each<[string, Partial<VerdictInput>]>([
    ['please log in', { agent: 'limited', ...said('auth', 'please log in') }],
    ['the agent could not reach its provider: refused', { agent: 'limited', ...said('network', 'refused') }],
    [
      'the agent ended with an error (it broke) without a claim',
      { claim: null, agent: 'error', ...said('crash', 'it broke') },
    ],
    [
      'implemented; goes to review, although the agent ended with an error (it broke)',
      { agent: 'error', ...said('crash', 'it broke') },
    ],
    [
      'files changed and no check got worse; the agent made no claim; the agent ended without an answer',
      { claim: null, ...said('empty', 'no answer') },
    ],
    [
      'files changed and no check got worse; the agent made no claim; the agent lost its provider (reset)',
      { claim: null, ...said('network', 'reset') },
    ],
    [
      'the agent was stopped: $2.00 of the story spent, the limit is $1.00; --story-max-cost sets it',
      { agent: 'interrupted', outcome: { ...QUIET.outcome, overrun } },
    ],
    [
      'the agent was stopped from outside this run (exit code 130)',
      {
        agent: 'interrupted',
        outcome: { ...QUIET.outcome, result: { ...QUIET.outcome.result, ok: false, exitCode: 130 } },
      },
    ],
    ['the agent says the story is finished, but its proof is refused: passes-before', { proof: refused }],
    [
      'the agent says the story is finished, but its proof is refused: passes-before',
      { proof: refused, changedOutsideLog: false },
    ],
    [
      'the review approved the story, but its test passes without its code: changes are requested',
      { ...review, proof: refused },
    ],
    [
      'the review approved the story, but no reason was given for accepting 2 weakened tests: changes are requested',
      { ...review, unanswered: 2 },
    ],
    [
      'the review raised only settled findings: it counts as an approval',
      { ...review, review: { settledOnly: true, converged: false } },
    ],
    [
      'the review raised only settled findings, but `npm test` failed with exit code 1: changes are requested',
      { ...review, review: { settledOnly: true, converged: false }, checks: regression },
    ],
    [
      'the review found nothing new in unchanged work: the reviews converged',
      { ...review, claim: feedback, review: { settledOnly: false, converged: true } },
    ],
    [
      'the agent says the story is finished, but `npm test` failed with exit code 1: changes are requested',
      { mode: 'review', skipReview: true, checks: ownFailure },
    ],
    [
      'a check that passed before fails now: `npm test` failed with exit code 1; node_modules/ is gone',
      { checks: regression, gone: ['node_modules/'] },
    ],
    ['the commit hook pre-commit refused the work', { refusal: hook }],
    ['.env holds the value of KEY', { refusal: secrets }],
  ])('is: %s', (reason, input) => {
    expect(verdict(input).reason).toBe(reason);
  });

  it('charges no attempt for checks that fail since an ignored folder is gone', () => {
    expect(verdict({ checks: regression, gone: ['node_modules/'] })).toMatchObject({
      verdict: 'rejected',
      attemptDelta: 0,
    });
    expect(verdict({ gone: ['node_modules/'] })).toMatchObject({ verdict: 'accepted', counts: 'good' });
  });

  it('leaves an idle agent to the exit signals where there is no backlog', () => {
    const signals = { done: true, completion: true, testOnly: false, confidence: 100 };
    const idle = { claim: null, changedOutsideLog: false };
    expect(verdict({ ...idle, signals })).toMatchObject({
      counts: 'ignored',
      reason: expect.stringContaining('everything is done'),
    });
    expect(verdict({ ...idle, signals: { ...signals, done: false, testOnly: true } })).toMatchObject({
      counts: 'ignored',
      reason: 'only tests were run',
    });
    expect(verdict({ ...idle, signals: { ...signals, done: false } })).toMatchObject({
      verdict: 'no-progress',
      counts: 'bad',
    });
  });
});
