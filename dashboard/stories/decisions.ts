import { signal } from '@preact/signals';
import type { StoryDecision, StoryState } from '../../src/contracts/index.ts';

/** What a person decided here. */
export type Decision = StoryDecision | 'reject';

interface Decided {
  readonly decision: Decision;
  /** The state shown at that time: a different one means that the run has reported since, and wins. */
  readonly shown: StoryState;
}

const decided = signal<ReadonlyMap<string, Decided>>(new Map());

/** The state of a story after a person's decision. */
const STATE_AFTER: Readonly<Record<Decision, StoryState>> = {
  approve: 'done',
  reopen: 'to do',
  reject: 'changes requested',
};

/** Keeps a decision made on this page, until the run reports the story itself. */
export function keepDecision(place: string, story: string, what: Decided): void {
  decided.value = new Map(decided.value).set(`${place} ${story}`, what);
}

/** A decision made here about a story that the run still shows unchanged, and its state in the current backlog. */
export function decisionOf(
  place: string,
  story: { readonly id: string; readonly state: StoryState },
): { readonly decision: Decision; readonly state: StoryState } | null {
  const known = decided.value.get(`${place} ${story.id}`);
  if (known === undefined || known.shown !== story.state) return null;
  return { decision: known.decision, state: STATE_AFTER[known.decision] };
}
