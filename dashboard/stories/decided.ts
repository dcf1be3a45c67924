import { signal } from '@preact/signals';
import type { StoryState } from '../../src/contracts/model.ts';
import type { StoryDecision } from '../../src/contracts/state/steering.ts';

interface Decided {
  readonly decision: StoryDecision;
  /** The state that the page showed then: another one is told by the run since, and wins. */
  readonly shown: StoryState;
}

const decided = signal<ReadonlyMap<string, Decided>>(new Map());

/** What a person's word makes of a story. */
const STATE_AFTER: Readonly<Record<StoryDecision, StoryState>> = { approve: 'done', reopen: 'to do' };

/** Keeps what was decided on this page, until the run tells of the story itself. */
export function keepDecision(place: string, story: string, what: Decided): void {
  decided.value = new Map(decided.value).set(`${place} ${story}`, what);
}

/** What was decided here of a story that the run still shows as before, and its state in the backlog of today. */
export function decisionOf(
  place: string,
  story: { readonly id: string; readonly state: StoryState },
): { readonly decision: StoryDecision; readonly state: StoryState } | null {
  const known = decided.value.get(`${place} ${story.id}`);
  if (known === undefined || known.shown !== story.state) return null;
  return { decision: known.decision, state: STATE_AFTER[known.decision] };
}
