import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import type { Mode, Story } from '../../contracts/index.ts';
import { type Case, fixing, judged, reviewing } from './judged.fixture.ts';
import { aBacklog, aStory } from './story.fixture.ts';

describe('the transition table, refused', () => {
  const A = aStory('A');
  const B = aStory('B');
  const cases: readonly (Case & { readonly name: string; readonly rule: string; readonly says: string })[] = [
    {
      name: 'self-approval by passes',
      rule: 'transition/self-approval',
      before: [A],
      after: [{ ...A, passes: true }],
      says: 'A passes false → true is not allowed',
    },
    {
      name: 'self-approval by status',
      rule: 'transition/self-approval',
      before: [A],
      after: [{ ...A, passes: true, reviewStatus: 'approved' }],
      says: 'A reviewStatus null → "approved" is not allowed',
    },
    {
      name: 'passes taken back while implementing',
      rule: 'transition/passes-cleared',
      before: [{ ...A, passes: true, reviewStatus: 'changes_requested', reviewFeedback: 'x' }],
      after: [{ ...A, reviewStatus: 'changes_requested', reviewFeedback: 'x' }],
      says: 'A passes true → false',
    },
    {
      name: 'a review count changed while implementing',
      rule: 'transition/review-count',
      before: [A],
      after: [{ ...A, reviewCount: 1 }],
      says: 'A reviewCount 0 → 1 is not allowed',
    },
    {
      name: 'a negative review count',
      rule: 'transition/review-count',
      before: [A],
      after: [{ ...A, reviewCount: -1 }],
      says: 'A reviewCount 0 → -1',
    },
    {
      name: 'a status that skips the review',
      rule: 'transition/implement-status',
      before: [A],
      after: [{ ...A, reviewStatus: 'changes_requested', reviewFeedback: 'x' }],
      says: 'null → "changes_requested"',
    },
    {
      name: 'feedback written while implementing',
      rule: 'transition/implement-status',
      before: [A],
      after: [{ ...A, reviewFeedback: 'x' }],
      says: 'A reviewFeedback',
    },
    {
      name: "another story's review fields",
      rule: 'transition/other-story-reviewed',
      before: [A, B],
      after: [A, { ...B, reviewStatus: 'needs_review' }],
      says: 'only A is your story',
    },
    {
      name: 'a new story born done',
      rule: 'transition/story-born-done',
      before: [A],
      after: [A, aStory('N', { passes: true })],
      says: 'N passes (absent) → true',
    },
    {
      name: 'a new story born reviewed',
      rule: 'transition/story-born-done',
      before: [A],
      after: [A, aStory('N', { reviewCount: 2 })],
      says: 'a new story starts with reviewCount 0',
    },
    {
      name: 'a sixth new story',
      rule: 'transition/too-many-stories',
      before: [A],
      after: [A, ...[1, 2, 3, 4, 5, 6].map((n) => aStory(`N${n}`))],
      says: 'N6',
    },
    {
      name: 'a removed story',
      rule: 'transition/story-removed',
      before: [A, B],
      after: [A],
      says: 'B: a story never disappears',
    },
    {
      name: 'blocked set',
      rule: 'transition/blocked-edited',
      before: [A],
      after: [{ ...A, blocked: 'no' }],
      says: 'A blocked (absent) → "no"',
    },
    {
      name: 'blocked cleared',
      rule: 'transition/blocked-edited',
      before: [A, { ...B, blocked: 'no' }],
      after: [A, B],
      says: 'B blocked "no" → (absent)',
    },
    {
      name: 'dependencies of another story',
      rule: 'transition/other-dependencies',
      before: [A, { ...B, dependsOn: ['A'] }],
      after: [A, B],
      says: 'B dependsOn ["A"] → []',
    },
    {
      name: 'own dependencies beyond a split',
      rule: 'transition/dependencies',
      before: [{ ...A, dependsOn: ['B'] }, B],
      after: [A, B],
      says: 'A dependsOn',
    },
    {
      name: 'a deleted criterion',
      rule: 'transition/criteria-weakened',
      before: [{ ...A, acceptanceCriteria: ['x', 'y'] }],
      after: [{ ...A, acceptanceCriteria: ['y'] }],
      says: 'may only be appended to',
    },
    {
      name: 'a reworded criterion',
      rule: 'transition/criteria-weakened',
      before: [A],
      after: [{ ...A, acceptanceCriteria: ['It works a bit'] }],
      says: 'may only be appended to',
    },
    {
      name: 'criteria of another story',
      rule: 'transition/other-criteria',
      before: [A, B],
      after: [A, { ...B, acceptanceCriteria: ['x'] }],
      says: 'B acceptanceCriteria',
    },
    {
      name: "a story's verifyCommands",
      rule: 'transition/verify-commands',
      before: [{ ...A, verifyCommands: ['npm test'] }],
      after: [{ ...A, verifyCommands: ['true'] }],
      says: 'A verifyCommands ["npm test"] → ["true"]',
    },
    {
      name: 'global verifyCommands',
      rule: 'transition/verify-commands',
      before: [A],
      after: aBacklog([A], { verifyCommands: ['true'] }),
      says: 'verifyCommands [] → ["true"]',
    },
    {
      name: 'the branch name',
      rule: 'transition/settings',
      before: [A],
      after: aBacklog([A], { branchName: 'main' }),
      says: 'branchName null → "main"',
    },
    {
      name: "a story's model",
      rule: 'transition/settings',
      before: [A],
      after: [{ ...A, model: 'big' }],
      says: 'A model',
    },
    {
      name: 'a review count that grows by two',
      mode: 'review',
      rule: 'transition/review-count',
      before: [reviewing],
      after: [{ ...reviewing, reviewCount: 2, reviewStatus: 'approved', passes: true }],
      says: 'a review sets it to 1',
    },
    {
      name: 'a review without a count',
      mode: 'review',
      rule: 'transition/review-count',
      before: [reviewing],
      after: [{ ...reviewing, reviewStatus: 'approved', passes: true }],
      says: 'a review sets it to 1',
    },
    {
      name: 'a review without an outcome',
      mode: 'review',
      rule: 'transition/review-outcome',
      before: [reviewing],
      after: [{ ...reviewing, reviewCount: 1 }],
      says: 'a review ends with',
    },
    {
      name: 'an approval without passes',
      mode: 'review',
      rule: 'invariant/approved-passes',
      before: [reviewing],
      after: [{ ...reviewing, reviewCount: 1, reviewStatus: 'approved' }],
      says: 'passes: true',
    },
    {
      name: 'requested changes without feedback',
      mode: 'review',
      rule: 'invariant/feedback-given',
      before: [reviewing],
      after: [{ ...reviewing, reviewCount: 1, reviewStatus: 'changes_requested' }],
      says: 'item by item',
    },
    {
      name: 'a second story reviewed',
      mode: 'review',
      rule: 'transition/other-story-reviewed',
      before: [reviewing, B],
      after: [reviewing, { ...B, reviewCount: 1 }],
      says: 'B reviewCount 0 → 1',
    },
    {
      name: 'a story added by a review',
      mode: 'review',
      rule: 'transition/story-added',
      before: [reviewing],
      after: [reviewing, aStory('N')],
      says: 'N',
    },
    {
      name: 'a title changed by a worker',
      mode: 'implement',
      rule: 'transition/text',
      before: [aStory('A')],
      after: [aStory('A', { title: 'Less' })],
      says: 'A title',
    },
    {
      name: 'a title changed by a review',
      mode: 'review',
      rule: 'transition/text',
      before: [reviewing],
      after: [{ ...reviewing, title: 'Less' }],
      says: 'A title',
    },
    {
      name: 'an approval by who fixes',
      mode: 'review-fix',
      rule: 'transition/self-approval',
      before: [fixing],
      after: [{ ...fixing, reviewStatus: 'approved', passes: true }],
      says: 'A reviewStatus',
    },
    {
      name: 'a count changed by who fixes',
      mode: 'review-fix',
      rule: 'transition/review-count',
      before: [fixing],
      after: [{ ...fixing, reviewCount: 2 }],
      says: 'A reviewCount 1 → 2',
    },
    {
      name: 'feedback kept by who fixes',
      mode: 'review-fix',
      rule: 'transition/fix-feedback',
      before: [fixing],
      after: [{ ...fixing, reviewStatus: 'needs_review' }],
      says: 'clear it',
    },
    {
      name: 'a fix that resets the story',
      mode: 'review-fix',
      rule: 'transition/fix-status',
      before: [fixing],
      after: [{ ...fixing, reviewStatus: null }],
      says: '"changes_requested" → null',
    },
    {
      name: 'other stories touched by who fixes',
      mode: 'review-fix',
      rule: 'transition/text',
      before: [fixing, B],
      after: [fixing, { ...B, notes: 'x' }],
      says: 'B notes',
    },
  ];

  it.each(cases)('$name', ({ name: _, rule, says, ...input }) => {
    const { violations, edits } = judged(input);
    const found = violations.filter((v) => v.rule === rule).map((v) => v.message);
    expect(found.join('\n')).toContain(says);
    const touched = edits.flatMap((edit) => (edit.kind === 'set' ? Object.keys(edit.fields) : []));
    for (const field of ['passes', 'reviewStatus', 'reviewCount', 'reviewFeedback', 'blocked', 'title', 'description'])
      expect(touched).not.toContain(field);
  });

  it('has a case for every rule', () => {
    const covered = new Set(cases.map(({ rule }) => rule));
    const source = readFileSync(new URL('transitions.ts', import.meta.url), 'utf8');
    const rules = [...source.matchAll(/ name: '([^']+)'/g)].map(([, name = '']) => name);
    expect(rules.length).toBeGreaterThan(15);
    expect(rules.filter((name) => !covered.has(name))).toEqual([]);
  });
});

const statuses = [null, 'needs_review', 'changes_requested', 'approved'] as const;
const reviewState = fc.record({
  passes: fc.boolean(),
  reviewStatus: fc.constantFrom(...statuses),
  reviewCount: fc.integer({ min: -1, max: 4 }),
  reviewFeedback: fc.constantFrom('', 'fix it', 'rename it'),
});
const startOf = { implement: aStory('A'), review: reviewing, 'review-fix': fixing } as const;

/** The transition table once more, written the other way round: the moves of the selected story that are legal. */
function isLegalMove(mode: Mode, skipReview: boolean, from: Story, to: Story): boolean {
  const key = (s: Story) => JSON.stringify([s.passes, s.reviewStatus, s.reviewCount, s.reviewFeedback]);
  const count = from.reviewCount;
  const moves: Record<Mode, Partial<Story>[]> = {
    implement: [{ reviewStatus: 'needs_review' }],
    review: [
      { passes: true, reviewStatus: 'approved', reviewCount: count + 1, reviewFeedback: to.reviewFeedback },
      { reviewStatus: 'changes_requested', reviewCount: count + 1, reviewFeedback: 'fix it' },
      { reviewStatus: 'changes_requested', reviewCount: count + 1, reviewFeedback: 'rename it' },
    ],
    'review-fix': [{ reviewStatus: 'needs_review', reviewFeedback: '' }],
  };
  const finished: Record<Mode, Partial<Story>[]> = {
    implement: [{ reviewStatus: null }, { reviewStatus: 'needs_review' }, { reviewStatus: 'approved' }],
    review: [],
    'review-fix': [
      {},
      ...[null, 'approved' as const].flatMap((reviewStatus) => [
        { reviewStatus },
        { reviewStatus, reviewFeedback: '' },
      ]),
      { reviewStatus: 'needs_review', reviewFeedback: '' },
    ],
  };
  const legal = [{}, ...moves[mode], ...(skipReview ? finished[mode].map((move) => ({ ...move, passes: true })) : [])];
  return legal.some((move) => key({ ...from, ...move }) === key(to));
}

describe('the transition table, against a model', () => {
  it('refuses exactly the moves of the selected story that the table does not list', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('implement', 'review', 'review-fix'),
        reviewState,
        fc.boolean(),
        (mode: Mode, state, skip) => {
          const skipReview = skip && mode !== 'review';
          const from = startOf[mode];
          const to = { ...from, ...state };
          const { violations, claim } = judged({ mode, before: [from], after: [to], options: { skipReview } });
          expect(violations.length === 0).toBe(isLegalMove(mode, skipReview, from, to));
          if (mode !== 'review') expect(claim === null || claim.kind === 'ready').toBe(true);
          else if (violations.length > 0) expect(claim).toBeNull();
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  it('never lets an agent move the review state of another story', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('implement', 'review', 'review-fix'),
        reviewState,
        reviewState,
        fc.boolean(),
        (mode: Mode, a, b, skipReview) => {
          const from = startOf[mode];
          const { violations, edits, claim } = judged({
            mode,
            before: [from, aStory('B', a)],
            after: [from, aStory('B', b)],
            options: { skipReview },
          });
          const moved = (['passes', 'reviewStatus', 'reviewCount', 'reviewFeedback'] as const).filter(
            (field) => a[field] !== b[field],
          );
          for (const field of moved) expect(violations).toContainEqual(expect.objectContaining({ story: 'B', field }));
          if (moved.length === 0) expect(violations).toEqual([]);
          expect(edits).toEqual([]);
          expect(claim).toBeNull();
        },
      ),
    );
  });
});
