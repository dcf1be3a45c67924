import { violation } from '../violation.ts';
import {
  changedFields,
  isNative,
  otherChanges,
  reviewFieldsDiffer,
  selectedChange,
  type TransitionRule,
} from './rule.ts';

const countByReviewer: TransitionRule = {
  name: 'transition/review-count',
  modes: ['review'],
  check: (context) => {
    const change = selectedChange(context);
    if (change === undefined || !isNative(context) || !reviewFieldsDiffer(change)) return [];
    const { before, after } = change;
    if (after.reviewCount === before.reviewCount + 1) return [];
    return [
      violation({
        rule: 'transition/review-count',
        story: change.id,
        field: 'reviewCount',
        from: before.reviewCount,
        to: after.reviewCount,
        instead: `a review sets it to ${before.reviewCount + 1}.`,
      }),
    ];
  },
};

const reviewOutcome: TransitionRule = {
  name: 'transition/review-outcome',
  modes: ['review'],
  check: (context) => {
    const change = selectedChange(context);
    if (change === undefined || !isNative(context) || !reviewFieldsDiffer(change)) return [];
    const { before, after } = change;
    if (after.reviewStatus === 'approved' || after.reviewStatus === 'changes_requested') return [];
    return [
      violation({
        rule: 'transition/review-outcome',
        story: change.id,
        field: 'reviewStatus',
        from: before.reviewStatus,
        to: after.reviewStatus,
        instead: 'a review ends with "approved" and passes: true, or with "changes_requested" and feedback.',
      }),
    ];
  },
};

const textByReviewer: TransitionRule = {
  name: 'transition/text',
  modes: ['review', 'review-fix'],
  check: (context) => {
    const instead =
      'stories are rewritten only while one is implemented; put the remark into the notes of the story under work.';
    const rule = 'transition/text';
    const selected = selectedChange(context);
    return [
      ...(selected ? changedFields(rule, selected, ['title', 'description', 'priority'], instead) : []),
      ...otherChanges(context).flatMap((change) =>
        changedFields(rule, change, ['title', 'description', 'priority', 'notes'], instead),
      ),
    ];
  },
};

const storyAddedLate: TransitionRule = {
  name: 'transition/story-added',
  modes: ['review', 'review-fix'],
  check: ({ diff }) =>
    diff.added.map((story) =>
      violation({
        rule: 'transition/story-added',
        story: story.id,
        instead: 'stories are added only while one is implemented; name the missing work in the feedback or the notes.',
      }),
    ),
};

/** What holds in a review; texts and new stories are left alone in a review-fix as well. */
export const BY_REVIEWERS: readonly TransitionRule[] = [countByReviewer, reviewOutcome, textByReviewer, storyAddedLate];
