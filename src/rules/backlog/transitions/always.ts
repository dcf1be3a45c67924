import { differs, REVIEW_FIELDS } from '../diff.ts';
import { violation } from '../violation.ts';
import { changedFields, criteriaAppended, isSplit, otherChanges, selectedChange, type TransitionRule } from './rule.ts';

const storyRemoved: TransitionRule = {
  name: 'transition/story-removed',
  check: ({ diff }) =>
    diff.removed.map((story) =>
      violation({
        rule: 'transition/story-removed',
        story: story.id,
        instead: 'a story never disappears from the backlog; leave it, and say in its notes why it should go.',
      }),
    ),
};

const blockedEdited: TransitionRule = {
  name: 'transition/blocked-edited',
  check: ({ diff }) => {
    const instead =
      'an agent neither sets nor clears it in the file; report STATUS: BLOCKED with the reason as RECOMMENDATION.';
    return [
      ...diff.changed.flatMap((change) => changedFields('transition/blocked-edited', change, ['blocked'], instead)),
      ...diff.added
        .filter((story) => story.blocked !== undefined)
        .map((story) =>
          violation({
            rule: 'transition/blocked-edited',
            story: story.id,
            field: 'blocked',
            from: undefined,
            to: story.blocked,
            instead,
          }),
        ),
    ];
  },
};

const othersReviewed: TransitionRule = {
  name: 'transition/other-story-reviewed',
  check: (context) =>
    otherChanges(context).flatMap((change) =>
      changedFields(
        'transition/other-story-reviewed',
        change,
        REVIEW_FIELDS,
        `only ${context.selected} is under work; leave the review state of other stories alone.`,
      ),
    ),
};

const otherDependencies: TransitionRule = {
  name: 'transition/other-dependencies',
  check: (context) =>
    otherChanges(context).flatMap((change) =>
      changedFields(
        'transition/other-dependencies',
        change,
        ['dependsOn'],
        `the dependencies of other stories stay; only ${context.selected} may come to depend on stories split off from it.`,
      ),
    ),
};

const otherCriteria: TransitionRule = {
  name: 'transition/other-criteria',
  check: (context) =>
    otherChanges(context).flatMap((change) =>
      changedFields(
        'transition/other-criteria',
        change,
        ['acceptanceCriteria'],
        `only ${context.selected} is under work; put a remark about this story into its notes.`,
      ),
    ),
};

const criteriaWeakened: TransitionRule = {
  name: 'transition/criteria-weakened',
  check: (context) => {
    const change = selectedChange(context);
    if (change === undefined || criteriaAppended(change)) return [];
    return changedFields(
      'transition/criteria-weakened',
      change,
      ['acceptanceCriteria'],
      'criteria of the story under work are only ever appended to; meet them as they stand, or report the blocker.',
    );
  },
};

const verifyCommandsChanged: TransitionRule = {
  name: 'transition/verify-commands',
  check: ({ before, after, diff }) => {
    const instead = 'the checks of a backlog are decided by people; put your proposal into the notes.';
    const rule = 'transition/verify-commands';
    return [
      ...(differs(before.verifyCommands, after.verifyCommands)
        ? [violation({ rule, field: 'verifyCommands', from: before.verifyCommands, to: after.verifyCommands, instead })]
        : []),
      ...diff.changed.flatMap((change) => changedFields(rule, change, ['verifyCommands'], instead)),
      ...diff.added
        .filter((story) => story.verifyCommands !== undefined)
        .map((story) =>
          violation({
            rule,
            story: story.id,
            field: 'verifyCommands',
            from: undefined,
            to: story.verifyCommands,
            instead,
          }),
        ),
    ];
  },
};

const settingsChanged: TransitionRule = {
  name: 'transition/settings',
  check: ({ before, after, diff }) => {
    const instead = 'that is for people to decide; leave it as it was.';
    const header = (['project', 'branchName', 'description'] as const).filter(
      (field) => before[field] !== after[field],
    );
    return [
      ...header.map((field) =>
        violation({ rule: 'transition/settings', field, from: before[field], to: after[field], instead }),
      ),
      ...diff.changed.flatMap((change) =>
        changedFields('transition/settings', change, ['model', 'paths', 'estimate', 'labels'], instead),
      ),
    ];
  },
};

const dependenciesChanged: TransitionRule = {
  name: 'transition/dependencies',
  check: (context) => {
    const change = selectedChange(context);
    if (change === undefined || (context.mode === 'implement' && isSplit(change, context.diff.added))) return [];
    return changedFields(
      'transition/dependencies',
      change,
      ['dependsOn'],
      'a story may only come to depend on stories split off from it, while it is implemented.',
    );
  },
};

/** What holds in every mode. */
export const ALWAYS: readonly TransitionRule[] = [
  storyRemoved,
  blockedEdited,
  othersReviewed,
  otherDependencies,
  otherCriteria,
  criteriaWeakened,
  verifyCommandsChanged,
  settingsChanged,
  dependenciesChanged,
];
