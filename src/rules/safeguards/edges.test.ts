import { describe, expect, it } from 'vitest';
import type { FailureContext } from '../../contracts/state/ledger.ts';
import { attemptsOf, lastFailure, lastViolations } from './attempts.ts';
import { evidenceOf, mendOf } from './breaker-words.ts';
import { estimate } from './estimate.ts';
import { aBadLine, aLine, aReset } from './ledger.fixture.ts';
import { normaliseError } from './normalise-error.ts';
import { usualOutputs } from './output-decline.ts';
import { decideVerdict, type VerdictInput } from './verdict.ts';

/** Small differences that mutation testing showed nobody had looked at: docs/mutation.md. */

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
    expect(mendOf('no-progress', 'open', []).join()).toContain('`ralph circuit reset`');
    const half = mendOf('no-progress', 'half-open', []).join();
    expect(half).toContain('a good iteration closes the circuit');
    expect(half).not.toContain('circuit reset');
  });

  it('cut a reason that is longer than a line, and no other', () => {
    const shown = (length: number) => evidenceOf([aBadLine({ reason: 'x'.repeat(length) })])[0] ?? '';
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
    expect(normaliseError(text)).toBe(expected);
  });
});

it('what is usual is told by answers, and by no iteration that counts for nothing', () => {
  const answers = [10, 20].map((outputChars) => aLine({ mode: 'review', outputChars }));
  const cut = aLine({ mode: 'review', outputChars: 1, verdict: 'interrupted', counts: 'ignored' });
  expect(usualOutputs([...answers, aReset(), cut])).toEqual(new Map([['review', [10, 20]]]));
});

describe('a verdict', () => {
  const quiet: VerdictInput = {
    ...{ mode: 'implement', claim: null, agent: 'ok', changedOutsideLog: true, changedSinceStoryStart: true },
    ...{ skipReview: false, checks: { regressions: [], ownFailures: [] }, reviewTouchedCode: false, tampering: [] },
    ...{ advancedInRow: 0, alreadyDone: null },
  };
  const tampering = [{ path: 'a.test.ts', line: 3, detail: 'a test was skipped' }] as never;

  it.each<[string, string, Partial<VerdictInput>]>([
    ['interrupted', 'the iteration was interrupted before it ended', { agent: 'interrupted' }],
    ['limited', 'the provider refused to go on: a usage limit was reached', { agent: 'limited' }],
    ['rejected', 'tests or checks were weakened: a.test.ts:3: a test was skipped', { tampering }],
    ['no-progress', 'the review ended without a verdict', { mode: 'review' }],
    ['no-progress', 'nothing was changed and nothing was claimed', { changedOutsideLog: false }],
    [
      'no-progress',
      'the story was called finished, but nothing was changed for it: without a review nothing can show that it was done before',
      { claim: { kind: 'ready', source: 'backlog' }, skipReview: true, changedSinceStoryStart: false },
    ],
  ])('%s says why: %s', (verdict, reason, input) => {
    expect(decideVerdict({ ...quiet, ...input })).toMatchObject({ verdict, reason });
  });

  it('asks only a review whether it left the files alone, and only others whether tests were weakened', () => {
    expect(decideVerdict({ ...quiet, reviewTouchedCode: true }).verdict).toBe('advanced');
    const approved = { kind: 'approved', source: 'backlog' } as const;
    expect(decideVerdict({ ...quiet, mode: 'review', claim: approved, tampering }).verdict).toBe('accepted');
  });
});
