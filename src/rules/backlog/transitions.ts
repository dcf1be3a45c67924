import type { Backlog, Mode, Story, Violation } from '../../contracts/index.ts';
import {
  type BacklogDiff,
  type Broken,
  criteriaAppended,
  differs,
  isSplit,
  REVIEW_FIELDS,
  reviewFieldsDiffer,
  type StoryChange,
  violation,
} from './changes.ts';

interface TransitionContext {
  readonly mode: Mode;
  readonly selected: string;
  readonly skipReview: boolean;
  readonly before: Backlog;
  readonly after: Backlog;
  readonly diff: BacklogDiff;
}

/** All violations of the transition table, in the table's order. */
export function checkTransitions(context: TransitionContext): Violation[] {
  return TRANSITIONS.filter(({ modes }) => modes === undefined || modes.includes(context.mode)).flatMap((row) =>
    objectionsOf(row, context).map((broken) => violation({ rule: row.name, ...broken })),
  );
}

/** A broken rule; `rule` is set only when another name than that of the table row fits better. */
type Objection = Omit<Broken, 'rule'> & Partial<Pick<Broken, 'rule'>>;

/** Fields that stay as they are, in the story of the iteration, in all others, or in all. */
interface FieldRow {
  readonly of: 'selected' | 'others' | 'all';
  readonly fields: readonly (keyof Story)[];
  /** Absent: whenever one of the fields differs. */
  readonly when?: (change: StoryChange, context: TransitionContext) => boolean;
  readonly instead: string | ((context: TransitionContext) => string);
}

type TransitionRow = {
  readonly name: string;
  /** Modes it applies to; absent = all. */
  readonly modes?: readonly Mode[];
} & (FieldRow | { check(context: TransitionContext): readonly Objection[] });

function objectionsOf(row: TransitionRow, context: TransitionContext): readonly Objection[] {
  if ('check' in row) return row.check(context);
  const { of, fields, when, instead } = row;
  const text = typeof instead === 'string' ? instead : instead(context);
  return context.diff.changed
    .filter(({ id }) => of === 'all' || (id === context.selected) === (of === 'selected'))
    .filter((change) => when?.(change, context) ?? true)
    .flatMap((change) => changedFields(change, fields, text));
}

const BY_WORKERS: readonly Mode[] = ['implement', 'review-fix'];
const BY_REVIEWS: readonly Mode[] = ['review', 'review-fix'];

/** The most stories an agent may add in one iteration. */
export const MAX_NEW_STORIES = 5;

const SELF_APPROVAL =
  'an agent never marks its own work done; set reviewStatus to "needs_review" and a fresh review decides.';
const CHECKS_OF_PEOPLE = 'the checks of a backlog are decided by people; put your proposal into the notes.';
const OF_PEOPLE = 'that is for people to decide; leave it as it was.';
const NOT_REWRITTEN =
  'stories may be rewritten only in an implement iteration; put the remark into the notes of your story.';

/** The transition table of the backlog: what an agent must not do to it, by mode. */
const TRANSITIONS: readonly TransitionRow[] = [
  {
    name: 'transition/story-removed',
    check: ({ diff }) => {
      const instead = 'a story never disappears from the backlog; leave it, and say in its notes why it should go.';
      return diff.removed.map((story) => ({ story: story.id, instead }));
    },
  },
  {
    name: 'transition/blocked-edited',
    check: ({ diff }) =>
      ofAll(
        diff,
        'blocked',
        'an agent neither sets nor clears it in the file; report STATUS: BLOCKED with the reason as RECOMMENDATION.',
      ),
  },
  {
    name: 'transition/other-story-reviewed',
    of: 'others',
    fields: REVIEW_FIELDS,
    instead: ({ selected }) => `only ${selected} is your story; leave the review state of other stories alone.`,
  },
  {
    name: 'transition/other-dependencies',
    of: 'others',
    fields: ['dependsOn'],
    instead: ({ selected }) =>
      `leave the dependencies of other stories alone; only ${selected} may depend on stories split off from it.`,
  },
  {
    name: 'transition/other-criteria',
    of: 'others',
    fields: ['acceptanceCriteria'],
    instead: ({ selected }) => `only ${selected} is your story; put a remark about this one into its notes.`,
  },
  {
    name: 'transition/criteria-weakened',
    of: 'selected',
    fields: ['acceptanceCriteria'],
    when: (change) => !criteriaAppended(change),
    instead: 'criteria of your story may only be appended to; meet them as written, or report the blocker.',
  },
  {
    name: 'transition/verify-commands',
    check: ({ before, after, diff }) => [
      ...ofHeader(before, after, ['verifyCommands'], CHECKS_OF_PEOPLE),
      ...ofAll(diff, 'verifyCommands', CHECKS_OF_PEOPLE),
    ],
  },
  {
    name: 'transition/settings',
    check: ({ before, after }) => ofHeader(before, after, ['project', 'branchName', 'description'], OF_PEOPLE),
  },
  {
    name: 'transition/settings',
    of: 'all',
    fields: ['model', 'paths', 'estimate', 'labels', 'url', 'repo'],
    instead: OF_PEOPLE,
  },
  {
    name: 'transition/dependencies',
    of: 'selected',
    fields: ['dependsOn'],
    when: (change, { mode, diff }) => mode !== 'implement' || !isSplit(change, diff.added),
    instead:
      'in an implement iteration, a story may depend on stories split off from it; no other dependency may be added.',
  },
  {
    name: 'transition/self-approval',
    modes: BY_WORKERS,
    of: 'selected',
    fields: ['passes'],
    when: ({ after }, context) => after.passes && !context.skipReview && isNative(context),
    instead: SELF_APPROVAL,
  },
  {
    name: 'transition/self-approval',
    modes: BY_WORKERS,
    of: 'selected',
    fields: ['reviewStatus'],
    when: ({ after }, context) => after.reviewStatus === 'approved' && !context.skipReview && isNative(context),
    instead: SELF_APPROVAL,
  },
  {
    // True → false: the agent that works on a story decides neither that it is done nor that it is not.
    name: 'transition/passes-cleared',
    modes: BY_WORKERS,
    of: 'selected',
    fields: ['passes'],
    when: ({ after }) => !after.passes,
    instead: 'only the loop changes it.',
  },
  {
    name: 'transition/review-count',
    modes: BY_WORKERS,
    of: 'selected',
    fields: ['reviewCount'],
    instead: 'it grows by one with each review; leave it alone.',
  },
  {
    name: 'transition/implement-status',
    modes: ['implement'],
    of: 'selected',
    fields: ['reviewStatus'],
    when: ({ before, after }) =>
      after.reviewStatus !== 'approved' && !(before.reviewStatus === null && after.reviewStatus === 'needs_review'),
    instead: 'an implement iteration only moves its story from null to "needs_review".',
  },
  {
    name: 'transition/implement-status',
    modes: ['implement'],
    of: 'selected',
    fields: ['reviewFeedback'],
    instead: 'feedback is written by reviews; use the notes.',
  },
  { name: 'transition/fix-status', modes: ['review-fix'], check: fixStatus },
  {
    name: 'transition/text',
    modes: ['implement'],
    of: 'all',
    fields: ['title', 'description'],
    instead: 'titles and descriptions belong to people; your wording was put into the notes as a proposal.',
  },
  {
    name: 'transition/too-many-stories',
    modes: ['implement'],
    check: ({ diff }) => {
      const instead = `an iteration adds at most ${MAX_NEW_STORIES} stories; this one was dropped.`;
      return diff.added.slice(MAX_NEW_STORIES).map((story) => ({ story: story.id, instead }));
    },
  },
  {
    name: 'transition/story-born-done',
    modes: ['implement'],
    check: ({ diff }) => {
      const newborn = { passes: false, reviewStatus: null, reviewCount: 0, reviewFeedback: '' } as const;
      return diff.added.flatMap((story) =>
        REVIEW_FIELDS.filter((field) => story[field] !== newborn[field]).map((field) => {
          const instead = `a new story starts with ${field} ${JSON.stringify(newborn[field])}.`;
          return { story: story.id, field, from: undefined, to: story[field], instead };
        }),
      );
    },
  },
  {
    name: 'transition/review-count',
    modes: ['review'],
    check: (context) =>
      ofReviewed(context, 'reviewCount', ({ before, after }) =>
        after.reviewCount === before.reviewCount + 1 ? null : `a review sets it to ${before.reviewCount + 1}.`,
      ),
  },
  {
    name: 'transition/review-outcome',
    modes: ['review'],
    check: (context) =>
      ofReviewed(context, 'reviewStatus', ({ after: { reviewStatus } }) =>
        reviewStatus === 'approved' || reviewStatus === 'changes_requested'
          ? null
          : 'a review ends with "approved" and passes: true, or with "changes_requested" and feedback.',
      ),
  },
  {
    name: 'transition/text',
    modes: BY_REVIEWS,
    of: 'selected',
    fields: ['title', 'description', 'priority'],
    instead: NOT_REWRITTEN,
  },
  {
    name: 'transition/text',
    modes: BY_REVIEWS,
    of: 'others',
    fields: ['title', 'description', 'priority', 'notes'],
    instead: NOT_REWRITTEN,
  },
  {
    name: 'transition/story-added',
    modes: BY_REVIEWS,
    check: ({ diff }) => {
      const instead =
        'stories may be added only in an implement iteration; name the missing work in the feedback or the notes.';
      return diff.added.map((story) => ({ story: story.id, instead }));
    },
  },
];

function fixStatus({ diff, selected, skipReview }: TransitionContext): readonly Objection[] {
  const change = diff.changed.find(({ id }) => id === selected);
  if (change === undefined || !reviewFieldsDiffer(change)) return [];
  const { before, after } = change;
  const cleared = after.reviewFeedback === '';
  if (after.reviewStatus === 'needs_review' && !cleared) {
    const instead = 'clear it when the story goes back to "needs_review"; the loop keeps the text.';
    return [{ rule: 'transition/fix-feedback', story: change.id, field: 'reviewFeedback', instead }];
  }
  // Marking the story done is judged elsewhere (self-approval), and is allowed under --skip-review.
  const done = after.reviewStatus === 'approved' || (skipReview && after.passes);
  const moved = done || after.reviewStatus === 'needs_review';
  const isFeedbackLegal = moved && (cleared || before.reviewFeedback === after.reviewFeedback);
  const instead =
    'a review-fix iteration only moves its story from "changes_requested" to "needs_review" and clears the feedback.';
  const fields = [
    ...(moved ? [] : (['reviewStatus'] as const)),
    ...(isFeedbackLegal ? [] : (['reviewFeedback'] as const)),
  ];
  return changedFields(change, fields, instead);
}

/** Whether the file itself has review fields; otherwise a done flag is all an agent can set, and it is only a claim. */
function isNative({ after }: TransitionContext): boolean {
  return after.format === 'tasks-json';
}

/** An objection to a field of the iteration's story, if the file has review fields and one of them changed. */
function ofReviewed(
  context: TransitionContext,
  field: 'reviewCount' | 'reviewStatus',
  check: (change: StoryChange) => string | null,
): readonly Objection[] {
  const change = context.diff.changed.find(({ id }) => id === context.selected);
  if (change === undefined || !isNative(context) || !reviewFieldsDiffer(change)) return [];
  const instead = check(change);
  const { id, before, after } = change;
  return instead === null ? [] : [{ story: id, field, from: before[field], to: after[field], instead }];
}

/** One objection for every story that differs or is new. */
function ofAll({ changed, added }: BacklogDiff, field: 'blocked' | 'verifyCommands', instead: string): Objection[] {
  const born = added.filter((story) => story[field] !== undefined);
  return [
    ...changed.flatMap((change) => changedFields(change, [field], instead)),
    ...born.map((story) => ({ story: story.id, field, from: undefined, to: story[field], instead })),
  ];
}

/** One objection for the backlog as a whole. */
function ofHeader(
  before: Backlog,
  after: Backlog,
  fields: readonly (keyof Backlog)[],
  instead: string,
): readonly Objection[] {
  return fields
    .filter((field) => differs(before[field], after[field]))
    .map((field) => ({ field, from: before[field], to: after[field], instead }));
}

/** One objection for each listed field that differs. */
function changedFields(
  { id, before, after }: StoryChange,
  fields: readonly (keyof Story)[],
  instead: string,
): readonly Objection[] {
  return fields
    .filter((field) => differs(before[field], after[field]))
    .map((field) => ({ story: id, field, from: before[field], to: after[field], instead }));
}
