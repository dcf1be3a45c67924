import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Story } from '../../contracts/index.ts';
import { isDone, select } from './select.ts';
import { aStory } from './story.fixture.ts';

const NORMAL = { skipReview: false };
const SKIP = { skipReview: true };
const done = { passes: true, reviewStatus: 'approved' } as const;

describe('isDone', () => {
  it.each([
    [true, 'approved', true],
    [true, null, true],
    [false, 'approved', false],
    [true, 'needs_review', false],
    [true, 'changes_requested', false],
    [false, null, false],
  ] as const)('says passes %s with review %s: done %s', (passes, reviewStatus, expected) => {
    expect(isDone(aStory('A', { passes, reviewStatus }))).toBe(expected);
  });
});

describe('select', () => {
  it('prefers requested changes to reviews and reviews to new work', () => {
    const open = aStory('A', { priority: 1 });
    const review = aStory('B', { priority: 2, reviewStatus: 'needs_review' });
    const fix = aStory('C', { priority: 3, reviewStatus: 'changes_requested' });
    expect(select([open, review, fix], NORMAL)).toEqual({ kind: 'work', mode: 'review-fix', story: fix });
    expect(select([open, review], NORMAL)).toEqual({ kind: 'work', mode: 'review', story: review });
    expect(select([open], NORMAL)).toEqual({ kind: 'work', mode: 'implement', story: open });
  });

  it('takes the lowest priority number and the first in the file among equals', () => {
    const stories = [aStory('A', { priority: 2 }), aStory('B', { priority: 1 }), aStory('C', { priority: 1 })];
    expect(select(stories, NORMAL)).toMatchObject({ story: { id: 'B' } });
  });

  it('waits with a story until everything it depends on is done', () => {
    const first = aStory('A', { priority: 9 });
    const second = aStory('B', { priority: 1, dependsOn: ['A'] });
    expect(select([second, first], NORMAL)).toMatchObject({ story: { id: 'A' } });
    expect(select([second, { ...first, ...done }], NORMAL)).toMatchObject({ story: { id: 'B' } });
    expect(select([second, { ...first, passes: true }], NORMAL)).toMatchObject({ story: { id: 'B' } });
  });

  it('skips blocked stories in every mode', () => {
    const stories = [
      aStory('A', { reviewStatus: 'changes_requested', blocked: 'x' }),
      aStory('B', { reviewStatus: 'needs_review', blocked: 'x' }),
      aStory('C', { blocked: 'x' }),
      aStory('D', { priority: 9 }),
    ];
    expect(select(stories, NORMAL)).toMatchObject({ mode: 'implement', story: { id: 'D' } });
  });

  it('is complete when every story is done, also with none at all', () => {
    expect(select([aStory('A', done), aStory('B', { passes: true, blocked: 'stale' })], NORMAL)).toEqual({
      kind: 'complete',
    });
    expect(select([], NORMAL)).toEqual({ kind: 'complete' });
  });

  it('names why each remaining story is held up, and where the chain begins', () => {
    const stories = [
      aStory('A', { blocked: 'no database' }),
      aStory('B', { dependsOn: ['A'] }),
      aStory('C', { dependsOn: ['B'] }),
      aStory('D', done),
    ];
    expect(select(stories, NORMAL)).toEqual({
      kind: 'blocked',
      stories: [
        { id: 'A', reason: 'no database' },
        { id: 'B', reason: 'waits for A, which is blocked: no database' },
        { id: 'C', reason: 'waits for B; A is blocked: no database' },
      ],
    });
  });

  it('ends on cycles, unknown dependencies and impossible states instead of looping', () => {
    const stories = [
      aStory('A', { dependsOn: ['B'] }),
      aStory('B', { dependsOn: ['A'] }),
      aStory('C', { dependsOn: ['Z'] }),
      aStory('D', { reviewStatus: 'approved' }),
    ];
    expect(select(stories, NORMAL)).toMatchObject({
      kind: 'blocked',
      stories: [
        { id: 'A', reason: expect.stringContaining('depends on itself') },
        { id: 'B', reason: expect.stringContaining('depends on itself') },
        { id: 'C', reason: 'waits for Z, which does not exist' },
        { id: 'D', reason: expect.stringContaining('passes is false') },
      ],
    });
  });

  it('under --skip-review verifies what waits for a review and never reviews', () => {
    const review = aStory('A', { reviewStatus: 'needs_review' });
    const fix = aStory('B', { reviewStatus: 'changes_requested' });
    expect(select([review, aStory('C')], SKIP)).toEqual({ kind: 'verify', story: review });
    expect(select([review, fix], SKIP)).toMatchObject({ kind: 'work', mode: 'review-fix' });
    expect(select([aStory('A', { passes: true })], SKIP)).toEqual({ kind: 'complete' });
  });

  it('with one story asked for looks at that one only', () => {
    const stories = [aStory('A'), aStory('B', { dependsOn: ['A'] }), aStory('C', done)];
    expect(select(stories, { ...NORMAL, only: 'B' })).toEqual({
      kind: 'blocked',
      stories: [{ id: 'B', reason: 'waits for A, which is not done' }],
    });
    expect(select(stories, { ...NORMAL, only: 'C' })).toEqual({ kind: 'complete' });
    expect(select(stories, { ...NORMAL, only: 'X' })).toMatchObject({ kind: 'blocked', stories: [{ id: 'X' }] });
  });

  it('leaves stories of other lanes alone and waits while they may free others', () => {
    const stories = [aStory('A'), aStory('B', { dependsOn: ['A'] }), aStory('C', { priority: 5 })];
    const taken = new Set(['A']);
    expect(select(stories, { ...NORMAL, taken })).toMatchObject({ story: { id: 'C' } });
    expect(select(stories.slice(0, 2), { ...NORMAL, taken })).toEqual({ kind: 'wait', stories: ['A'] });
  });
});

const arbitraryStories = fc
  .array(
    fc.record({
      priority: fc.integer({ min: 1, max: 3 }),
      passes: fc.boolean(),
      reviewStatus: fc.constantFrom(null, 'needs_review', 'changes_requested', 'approved'),
      isBlocked: fc.boolean(),
      dependsOn: fc.array(fc.nat(7), { maxLength: 2 }),
    }),
    { maxLength: 8 },
  )
  .map((drafts) =>
    drafts.map(({ isBlocked, dependsOn, ...draft }, i) =>
      aStory(`S${i}`, { ...draft, dependsOn: dependsOn.map((d) => `S${d}`), ...(isBlocked ? { blocked: 'x' } : {}) }),
    ),
  );

describe('select, against a model that sorts', () => {
  it('finds the same work', () => {
    fc.assert(
      fc.property(arbitraryStories, (stories) => {
        const finished = new Set(
          stories
            .filter((s) => s.passes && s.reviewStatus !== 'needs_review' && s.reviewStatus !== 'changes_requested')
            .map((s) => s.id),
        );
        const rank = (s: Story) =>
          s.reviewStatus === 'changes_requested' ? 0 : s.reviewStatus === 'needs_review' ? 1 : 2;
        const candidates = stories
          .filter((s) => !finished.has(s.id) && s.blocked === undefined && s.reviewStatus !== 'approved')
          .filter((s) => s.reviewStatus !== null || s.dependsOn.every((id) => finished.has(id)))
          .sort((a, b) => rank(a) - rank(b) || a.priority - b.priority || stories.indexOf(a) - stories.indexOf(b));
        const selection = select(stories, NORMAL);
        const [best] = candidates;
        if (best)
          expect(selection).toEqual({
            kind: 'work',
            mode: ['review-fix', 'review', 'implement'][rank(best)],
            story: best,
          });
        else expect(selection.kind).toBe(stories.every((s) => finished.has(s.id)) ? 'complete' : 'blocked');
        expect(select(stories, NORMAL)).toEqual(selection);
      }),
    );
  });

  it('looks at each dependency list a constant number of times, however long the chain', () => {
    const readsPerStory = (length: number): number => {
      let reads = 0;
      const stories = Array.from({ length }, (_, i) => {
        const story = aStory(`S${i}`, i === 0 ? { blocked: 'x' } : {});
        const dependsOn = i === 0 ? [] : [`S${i - 1}`];
        return Object.defineProperty(story, 'dependsOn', {
          get: () => {
            reads += 1;
            return dependsOn;
          },
        });
      });
      expect(select(stories.reverse(), NORMAL).kind).toBe('blocked');
      return reads / length;
    };
    expect(readsPerStory(10_000)).toBeLessThan(readsPerStory(100) + 1);
  });
});
