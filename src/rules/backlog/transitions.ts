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
  /** Id of the story under work. */
  readonly selected: string;
  readonly skipReview: boolean;
  readonly before: Backlog;
  readonly after: Backlog;
  readonly diff: BacklogDiff;
}

/** All violations of the transition table, in the table's order. */
export function checkTransitions(context: TransitionContext): Violation[] {
  return TRANSITIONS.filter(({ modes }) => modes === undefined || modes.includes(context.mode)).flatMap(
    ({ name, check }) => check(context).map((broken) => violation({ rule: name, ...broken })),
  );
}

/** A broken rule; `rule` is set only when another name than that of the table row fits better. */
type Objection = Omit<Broken, 'rule'> & Partial<Pick<Broken, 'rule'>>;

interface TransitionRule {
  readonly name: string;
  /** Modes it applies to; absent = all. */
  readonly modes?: readonly Mode[];
  check(context: TransitionContext): readonly Objection[];
}

const BY_WORKERS: readonly Mode[] = ['implement', 'review-fix'];

/** The most stories an agent may add in one iteration. */
export const MAX_NEW_STORIES = 5;

/** The transition table of the backlog: what an agent must not do to it, by mode. */
const TRANSITIONS: readonly TransitionRule[] = [
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
    check: (context) =>
      ofOthers(
        context,
        REVIEW_FIELDS,
        `only ${context.selected} is under work; leave the review state of other stories alone.`,
      ),
  },
  {
    name: 'transition/other-dependencies',
    check: (context) =>
      ofOthers(
        context,
        ['dependsOn'],
        `the dependencies of other stories stay; only ${context.selected} may come to depend on stories split off from it.`,
      ),
  },
  {
    name: 'transition/other-criteria',
    check: (context) =>
      ofOthers(
        context,
        ['acceptanceCriteria'],
        `only ${context.selected} is under work; put a remark about this story into its notes.`,
      ),
  },
  {
    name: 'transition/criteria-weakened',
    check: (context) =>
      ofSelected(context, (change) => {
        const instead =
          'criteria of the story under work are only ever appended to; meet them as they stand, or report the blocker.';
        return criteriaAppended(change) ? [] : changedFields(change, ['acceptanceCriteria'], instead);
      }),
  },
  {
    name: 'transition/verify-commands',
    check: ({ before, after, diff }) => {
      const instead = 'the checks of a backlog are decided by people; put your proposal into the notes.';
      return [...ofHeader(before, after, ['verifyCommands'], instead), ...ofAll(diff, 'verifyCommands', instead)];
    },
  },
  {
    name: 'transition/settings',
    check: ({ before, after, diff }) => {
      const instead = 'that is for people to decide; leave it as it was.';
      return [
        ...ofHeader(before, after, ['project', 'branchName', 'description'], instead),
        ...diff.changed.flatMap((change) => changedFields(change, ['model', 'paths', 'estimate', 'labels'], instead)),
      ];
    },
  },
  {
    name: 'transition/dependencies',
    check: (context) =>
      ofSelected(context, (change) => {
        const instead = 'a story may only come to depend on stories split off from it, while it is implemented.';
        const split = context.mode === 'implement' && isSplit(change, context.diff.added);
        return split ? [] : changedFields(change, ['dependsOn'], instead);
      }),
  },
  {
    name: 'transition/self-approval',
    modes: BY_WORKERS,
    check: (context) =>
      ofSelected(context, (change) => {
        if (context.skipReview || !isNative(context)) return [];
        const instead =
          'an agent never marks its own work done; set reviewStatus to "needs_review" and a fresh review decides.';
        const { passes, reviewStatus } = change.after;
        return changedFields(
          change,
          [
            ...(passes ? (['passes'] as const) : []),
            ...(reviewStatus === 'approved' ? (['reviewStatus'] as const) : []),
          ],
          instead,
        );
      }),
  },
  {
    // True → false: the agent that works on a story decides neither that it is done nor that it is not.
    name: 'transition/passes-cleared',
    modes: BY_WORKERS,
    check: (context) =>
      ofSelected(context, (change) =>
        change.after.passes ? [] : changedFields(change, ['passes'], 'only the loop changes it.'),
      ),
  },
  {
    name: 'transition/review-count',
    modes: BY_WORKERS,
    check: (context) =>
      ofSelected(context, (change) =>
        changedFields(change, ['reviewCount'], 'it grows by one per review and only then; leave it.'),
      ),
  },
  {
    name: 'transition/implement-status',
    modes: ['implement'],
    check: (context) =>
      ofSelected(context, (change) => {
        const { before, after } = change;
        const legal =
          (before.reviewStatus === null && after.reviewStatus === 'needs_review') || after.reviewStatus === 'approved';
        const instead = 'an implement iteration only moves its story from null to "needs_review".';
        return [
          ...(legal ? [] : changedFields(change, ['reviewStatus'], instead)),
          ...changedFields(change, ['reviewFeedback'], 'feedback is written by reviews; use the notes.'),
        ];
      }),
  },
  {
    name: 'transition/fix-status',
    modes: ['review-fix'],
    check: (context) =>
      ofSelected(context, (change) => {
        if (!reviewFieldsDiffer(change)) return [];
        const { before, after } = change;
        const cleared = after.reviewFeedback === '';
        if (after.reviewStatus === 'needs_review' && !cleared) {
          const instead = 'clear it when the story goes back to "needs_review"; the loop keeps the text.';
          return [{ rule: 'transition/fix-feedback', story: change.id, field: 'reviewFeedback', instead }];
        }
        // Marking the story done is judged elsewhere (self-approval), and is allowed under --skip-review.
        const done = after.reviewStatus === 'approved' || (context.skipReview && after.passes);
        const moved = done || after.reviewStatus === 'needs_review';
        const instead =
          'a review-fix iteration only moves its story from "changes_requested" to "needs_review" and clears the feedback.';
        const keptOrCleared = cleared || before.reviewFeedback === after.reviewFeedback;
        return [
          ...(moved ? [] : changedFields(change, ['reviewStatus'], instead)),
          ...(moved && keptOrCleared ? [] : changedFields(change, ['reviewFeedback'], instead)),
        ];
      }),
  },
  {
    name: 'transition/text',
    modes: ['implement'],
    check: ({ diff }) => {
      const instead = 'titles and descriptions belong to people; your wording was put into the notes as a proposal.';
      return diff.changed.flatMap((change) => changedFields(change, ['title', 'description'], instead));
    },
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
      ofReviewed(context, ({ id, before, after }) => {
        const [from, to] = [before.reviewCount, after.reviewCount];
        const instead = `a review sets it to ${from + 1}.`;
        return to === from + 1 ? [] : [{ story: id, field: 'reviewCount', from, to, instead }];
      }),
  },
  {
    name: 'transition/review-outcome',
    modes: ['review'],
    check: (context) =>
      ofReviewed(context, ({ id, before, after }) => {
        const [from, to] = [before.reviewStatus, after.reviewStatus];
        const instead = 'a review ends with "approved" and passes: true, or with "changes_requested" and feedback.';
        const ended = to === 'approved' || to === 'changes_requested';
        return ended ? [] : [{ story: id, field: 'reviewStatus', from, to, instead }];
      }),
  },
  {
    name: 'transition/text',
    modes: ['review', 'review-fix'],
    check: (context) => {
      const instead =
        'stories are rewritten only while one is implemented; put the remark into the notes of the story under work.';
      return [
        ...ofSelected(context, (change) => changedFields(change, ['title', 'description', 'priority'], instead)),
        ...ofOthers(context, ['title', 'description', 'priority', 'notes'], instead),
      ];
    },
  },
  {
    name: 'transition/story-added',
    modes: ['review', 'review-fix'],
    check: ({ diff }) => {
      const instead =
        'stories are added only while one is implemented; name the missing work in the feedback or the notes.';
      return diff.added.map((story) => ({ story: story.id, instead }));
    },
  },
];

/** Whether the file itself has review fields; otherwise a done flag is all an agent can set, and it is only a claim. */
function isNative({ after }: TransitionContext): boolean {
  return after.format === 'tasks-json';
}

/** One objection for the story under work, if any of its fields differ. */
function ofSelected(
  { diff, selected }: TransitionContext,
  check: (change: StoryChange) => readonly Objection[],
): readonly Objection[] {
  const change = diff.changed.find(({ id }) => id === selected);
  return change === undefined ? [] : check(change);
}

/** One objection for the story under work, if the file has review fields and one of them changed. */
function ofReviewed(
  context: TransitionContext,
  check: (change: StoryChange) => readonly Objection[],
): readonly Objection[] {
  return ofSelected(context, (change) => (isNative(context) && reviewFieldsDiffer(change) ? check(change) : []));
}

/** One objection for every other story that differs. */
function ofOthers(
  { diff, selected }: TransitionContext,
  fields: readonly (keyof Story)[],
  instead: string,
): readonly Objection[] {
  return diff.changed.filter(({ id }) => id !== selected).flatMap((change) => changedFields(change, fields, instead));
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
