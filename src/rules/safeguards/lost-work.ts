import type { LedgerIteration, LedgerLine } from '../../contracts/index.ts';
import { growing } from './growing.ts';

/** Work of a story that the loop put on the branch: the changes between the two commits. */
export interface Step {
  readonly run: string;
  readonly story: string;
  readonly base: string;
  readonly commit: string;
  readonly paths: ReadonlySet<string>;
}

/** Kind of a finding: the whole effect of an accepted story is gone from the tree. */
export const STORY_UNDONE = 'story-undone';

/** Accepted work since the last decision of a person about its story, oldest first; paths are not yet known. */
export function acceptedSteps(ledger: readonly LedgerLine[]): readonly Omit<Step, 'paths'>[] {
  return accepted(ledger).steps;
}

const accepted = growing<{ steps: Omit<Step, 'paths'>[] }>(
  () => ({ steps: [] }),
  (held, line) => {
    if (line.kind === 'reset') held.steps = held.steps.filter(({ story }) => story !== line.story);
    if (line.kind !== 'iteration' || !hasWork(line)) return;
    const { run, story, commit, base = `${commit}^` } = line;
    held.steps.push({ run, story, base, commit });
  },
);

function hasWork(line: LedgerIteration): line is LedgerIteration & { readonly commit: string } {
  return line.commit !== null && line.workFiles > 0 && (line.verdict === 'accepted' || line.verdict === 'advanced');
}

export function byStory(steps: readonly Step[]): ReadonlyMap<string, readonly Step[]> {
  const stories = new Map<string, Step[]>();
  for (const step of steps) {
    const own = stories.get(step.story);
    if (own) own.push(step);
    else stories.set(step.story, [step]);
  }
  return stories;
}

/**
 * Whether everything that a story changed is as before. A change that the story itself reversed is not an effect.
 * @param gives `effect`: what differs between before and after the story; `since`: between before it and the tree
 */
export function isUndone(
  steps: readonly Step[],
  { effect, since }: { readonly effect: ReadonlySet<string>; readonly since: ReadonlySet<string> },
): boolean {
  const brought = [...new Set(steps.flatMap(({ paths }) => [...paths]))].filter((path) => effect.has(path));
  return brought.length > 0 && brought.every((path) => !since.has(path));
}

/** Whether a review accepted, with a reason, that a story is undone: the review's list of findings included it. */
export function isAcceptedAsUndone(ledger: readonly LedgerLine[], story: string): boolean {
  return ledger.some(
    (line) =>
      line.kind === 'iteration' &&
      (line.acceptedWeakenings ?? []).some(
        ({ kind, detail }) => kind === STORY_UNDONE && detail === undoneDetail(story),
      ),
  );
}

/** The text of a finding, which also identifies its story. */
export function undoneDetail(story: string): string {
  return `all changes of the accepted story ${story} are gone`;
}
