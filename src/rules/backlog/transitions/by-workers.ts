import { REVIEW_FIELDS } from '../diff.ts';
import { violation } from '../violation.ts';
import { changedFields, isNative, reviewFieldsDiffer, selectedChange, type TransitionRule } from './rule.ts';

/** The most stories an agent may add in one iteration. */
export const MAX_NEW_STORIES = 5;

const selfApproval: TransitionRule = {
  name: 'transition/self-approval',
  modes: ['implement', 'review-fix'],
  check: (context) => {
    const change = selectedChange(context);
    if (change === undefined || context.skipReview || !isNative(context)) return [];
    const instead =
      'an agent never marks its own work done; set reviewStatus to "needs_review" and a fresh review decides.';
    const rule = 'transition/self-approval';
    return [
      ...(change.after.passes ? changedFields(rule, change, ['passes'], instead) : []),
      ...(change.after.reviewStatus === 'approved' ? changedFields(rule, change, ['reviewStatus'], instead) : []),
    ];
  },
};

/** `passes` true → false: whoever works on a story decides neither that it is done nor that it is not. */
const passesCleared: TransitionRule = {
  name: 'transition/passes-cleared',
  modes: ['implement', 'review-fix'],
  check: (context) => {
    const change = selectedChange(context);
    if (change === undefined || change.after.passes) return [];
    return changedFields('transition/passes-cleared', change, ['passes'], 'only the loop changes it.');
  },
};

const countByWorker: TransitionRule = {
  name: 'transition/review-count',
  modes: ['implement', 'review-fix'],
  check: (context) => {
    const change = selectedChange(context);
    return change === undefined
      ? []
      : changedFields(
          'transition/review-count',
          change,
          ['reviewCount'],
          'it grows by one per review and only then; leave it.',
        );
  },
};

const implementStatus: TransitionRule = {
  name: 'transition/implement-status',
  modes: ['implement'],
  check: (context) => {
    const change = selectedChange(context);
    if (change === undefined) return [];
    const { before, after } = change;
    const legal =
      (before.reviewStatus === null && after.reviewStatus === 'needs_review') || after.reviewStatus === 'approved';
    const instead = 'an implement iteration only moves its story from null to "needs_review".';
    return [
      ...(legal ? [] : changedFields('transition/implement-status', change, ['reviewStatus'], instead)),
      ...changedFields(
        'transition/implement-status',
        change,
        ['reviewFeedback'],
        'feedback is written by reviews; use the notes.',
      ),
    ];
  },
};

const fixStatus: TransitionRule = {
  name: 'transition/fix-status',
  modes: ['review-fix'],
  check: (context) => {
    const change = selectedChange(context);
    if (change === undefined || !reviewFieldsDiffer(change)) return [];
    const { before, after } = change;
    const cleared = after.reviewFeedback === '';
    if (after.reviewStatus === 'needs_review' && !cleared) {
      const instead = 'clear it when the story goes back to "needs_review"; the loop keeps the text.';
      return [violation({ rule: 'transition/fix-feedback', story: change.id, field: 'reviewFeedback', instead })];
    }
    // Marking the story done is judged elsewhere (self-approval), and allowed under --skip-review.
    const done = after.reviewStatus === 'approved' || (context.skipReview && after.passes);
    const moved = done || after.reviewStatus === 'needs_review';
    const instead =
      'a review-fix iteration only moves its story from "changes_requested" to "needs_review" and clears the feedback.';
    return [
      ...(moved ? [] : changedFields('transition/fix-status', change, ['reviewStatus'], instead)),
      ...(moved && (cleared || before.reviewFeedback === after.reviewFeedback)
        ? []
        : changedFields('transition/fix-status', change, ['reviewFeedback'], instead)),
    ];
  },
};

/** Reviews and review-fixes may not touch priorities either: see `by-reviewers.ts`. */
const textByWorker: TransitionRule = {
  name: 'transition/text',
  modes: ['implement'],
  check: ({ diff }) =>
    diff.changed.flatMap((change) =>
      changedFields(
        'transition/text',
        change,
        ['title', 'description'],
        'titles and descriptions belong to people; your wording was put into the notes as a proposal.',
      ),
    ),
};

const tooManyStories: TransitionRule = {
  name: 'transition/too-many-stories',
  modes: ['implement'],
  check: ({ diff }) =>
    diff.added.slice(MAX_NEW_STORIES).map((story) =>
      violation({
        rule: 'transition/too-many-stories',
        story: story.id,
        instead: `an iteration adds at most ${MAX_NEW_STORIES} stories; this one was dropped.`,
      }),
    ),
};

const bornReviewed: TransitionRule = {
  name: 'transition/story-born-done',
  modes: ['implement'],
  check: ({ diff }) =>
    diff.added.flatMap((story) => {
      const newborn = { passes: false, reviewStatus: null, reviewCount: 0, reviewFeedback: '' } as const;
      return REVIEW_FIELDS.filter((field) => story[field] !== newborn[field]).map((field) =>
        violation({
          rule: 'transition/story-born-done',
          story: story.id,
          field,
          from: undefined,
          to: story[field],
          instead: `a new story starts with ${field} ${JSON.stringify(newborn[field])}.`,
        }),
      );
    }),
};

/** What holds while a story is implemented or fixed. */
export const BY_WORKERS: readonly TransitionRule[] = [
  selfApproval,
  passesCleared,
  countByWorker,
  implementStatus,
  fixStatus,
  textByWorker,
  tooManyStories,
  bornReviewed,
];
