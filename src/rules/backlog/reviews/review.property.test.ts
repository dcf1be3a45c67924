import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Claim, Story } from '../../../contracts/index.ts';
import { isDone, select } from '../select.ts';
import { aStory } from '../story.fixture.ts';
import { applyClaim } from './review.ts';

const text = fc.constantFrom('', ' ', 'the header is wrong', 'still wrong');
/** What a reviewer may say, and what the loop finds out by itself. */
const turns = fc.record({
  approves: fc.boolean(),
  feedback: text,
  checksGreen: fc.boolean(),
  unproven: fc.constantFrom('', 'its tests pass without its code'),
  converged: fc.integer({ min: 0, max: 5 }).map((die) => die === 0),
  notes: text,
});
const settings = fc.record({
  skipReview: fc.boolean(),
  reviewCap: fc.integer({ min: 1, max: 5 }),
  onReviewCap: fc.constantFrom('approve' as const, 'block' as const),
});

function claimOf(
  mode: string,
  { approves, feedback, notes }: { approves: boolean; feedback: string; notes: string },
): Claim {
  if (mode !== 'review') return { kind: 'ready', source: 'tool' };
  return approves
    ? { kind: 'approved', source: 'tool', notes }
    : { kind: 'changes-requested', source: 'tool', feedback };
}

/** As the edit of a backlog does it: null takes a block away. */
function withFields(story: Story, { blocked, ...fields }: ReturnType<typeof applyClaim>['fields']): Story {
  return { ...story, ...fields, ...(blocked ? { blocked } : {}) } as Story;
}

test('whatever reviews say, a story is done or blocked once its reviews are used up, and never done on red checks', () => {
  fc.assert(
    fc.property(settings, fc.infiniteStream(turns), (given, stream) => {
      let story = aStory('US-1');
      let reviews = 0;
      let tries = 0;
      for (const turn of stream) {
        const next = select([story], { skipReview: given.skipReview });
        if (next.kind !== 'work') break;
        // Without reviews only red checks send a story back, and they may for ever.
        if (given.skipReview && tries++ > 20) return;
        const input = {
          story,
          claim: claimOf(next.mode, turn),
          ...given,
          failingOutput: turn.checksGreen ? '' : 'red',
        };
        const applied = applyClaim({ ...input, ...turn, agentNotes: turn.notes, summary: 'made it' });
        const after = withFields(story, applied.fields);
        if (next.mode === 'review') reviews += 1;
        expect(after.reviewCount).toBe(reviews);
        expect(after.reviewCount).toBeLessThanOrEqual(given.reviewCap);
        if (isDone(after)) {
          expect(turn.checksGreen && turn.unproven === '').toBe(true);
          expect(after.notes.trim()).not.toBe('');
          expect(after.reviewFeedback).toBe('');
        }
        // An approval that says nothing else clears the feedback; what sends a story back always tells why, if anybody did.
        if (applied.outcome === 'changes-requested' && !turn.checksGreen) expect(after.reviewFeedback).toContain('red');
        expect([applied.state === 'blocked', applied.state === 'approved' || applied.state === 'done']).toEqual([
          after.blocked !== undefined,
          isDone(after) || (after.passes && given.skipReview),
        ]);
        // The same claim about the same story says the same again.
        expect(applyClaim({ ...input, ...turn, agentNotes: turn.notes, summary: 'made it' })).toEqual(applied);
        story = after;
      }
      expect(isDone(story) || story.blocked !== undefined || (story.passes && given.skipReview)).toBe(true);
    }),
  );
});
