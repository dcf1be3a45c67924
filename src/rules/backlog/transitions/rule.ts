import type { Backlog, Mode, Story, Violation } from '../../../contracts/model.ts';
import { type BacklogDiff, differs, REVIEW_FIELDS, type StoryChange } from '../diff.ts';
import { violation } from '../violation.ts';

export interface TransitionContext {
  readonly mode: Mode;
  /** Id of the story under work. */
  readonly selected: string;
  readonly skipReview: boolean;
  readonly before: Backlog;
  readonly after: Backlog;
  readonly diff: BacklogDiff;
}

/** One row, or part of a row, of the transition table. */
export interface TransitionRule {
  readonly name: string;
  /** Modes it holds in; absent = all. */
  readonly modes?: readonly Mode[];
  check(context: TransitionContext): readonly Violation[];
}

/** Whether the file itself carries review fields; elsewhere a done flag is all an agent can set, and it is a mere claim. */
export function isNative(context: TransitionContext): boolean {
  return context.after.format === 'tasks-json';
}

/** The story under work, if any of its fields differ. */
export function selectedChange({ diff, selected }: TransitionContext): StoryChange | undefined {
  return diff.changed.find((change) => change.id === selected);
}

/** Every other story that differs. */
export function otherChanges({ diff, selected }: TransitionContext): readonly StoryChange[] {
  return diff.changed.filter((change) => change.id !== selected);
}

/** One violation per listed field that differs. */
export function changedFields(
  rule: string,
  change: StoryChange,
  fields: readonly (keyof Story)[],
  instead: string,
): Violation[] {
  return fields
    .filter((field) => differs(change.before[field], change.after[field]))
    .map((field) =>
      violation({ rule, story: change.id, field, from: change.before[field], to: change.after[field], instead }),
    );
}

/** Whether the old criteria are all still there, in front and in order. */
export function criteriaAppended({ before, after }: StoryChange): boolean {
  return !before.acceptanceCriteria.some((criterion, i) => after.acceptanceCriteria[i] !== criterion);
}

/** Whether the dependencies only grew, and only by stories that are new: the story was split. */
export function isSplit({ before, after }: StoryChange, added: readonly Story[]): boolean {
  const fresh = new Set(added.map((story) => story.id));
  const grown = after.dependsOn.filter((id) => !before.dependsOn.includes(id));
  return before.dependsOn.every((id) => after.dependsOn.includes(id)) && grown.every((id) => fresh.has(id));
}

/** Whether any review field of the story moved. */
export function reviewFieldsDiffer({ before, after }: StoryChange): boolean {
  return REVIEW_FIELDS.some((field) => before[field] !== after[field]);
}
