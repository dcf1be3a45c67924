import type { EndReason, Mode, Story, Verdict } from '../../contracts/model.ts';
import type { Tone } from './paint.ts';

/** How a verdict reads at a glance. */
export const VERDICT_TONE: Readonly<Record<Verdict, Tone>> = {
  accepted: 'good',
  advanced: 'accent',
  rejected: 'bad',
  'no-progress': 'warn',
  'timed-out': 'bad',
  interrupted: 'warn',
  'agent-error': 'bad',
  limited: 'warn',
};

/** The outcome of a run in words. */
export const OUTCOME: Readonly<Record<EndReason, { readonly text: string; readonly tone: Tone }>> = {
  complete: { text: 'COMPLETE: every story is done', tone: 'good' },
  iterations: { text: 'OUT OF ITERATIONS: stories are left', tone: 'warn' },
  blocked: { text: 'BLOCKED: only blocked stories are left', tone: 'warn' },
  limit: { text: "LIMIT: the provider's usage limit is reached", tone: 'warn' },
  unavailable: { text: 'UNAVAILABLE: the agent or its isolation cannot be used', tone: 'bad' },
  once: { text: 'ONCE: one iteration, as asked', tone: 'accent' },
  until: { text: 'UNTIL: the story asked for is done', tone: 'good' },
  interrupted: { text: 'INTERRUPTED', tone: 'warn' },
  terminated: { text: 'TERMINATED', tone: 'warn' },
  error: { text: 'ERROR: the run could not go on', tone: 'bad' },
};

/** Where a story stands, in one or two words. */
export type StoryState = 'done' | 'done, unreviewed' | 'blocked' | 'needs review' | 'changes requested' | 'to do';

export const STATE_TONE: Readonly<Record<StoryState, Tone | null>> = {
  done: 'good',
  'done, unreviewed': 'good',
  blocked: 'warn',
  'needs review': 'accent',
  'changes requested': 'accent',
  'to do': null,
};

/** Done comes first, as in selection: a story that was blocked and then done is done. */
export function storyState(story: Pick<Story, 'passes' | 'reviewStatus' | 'blocked'>): StoryState {
  if (story.passes && story.reviewStatus === 'approved') return 'done';
  if (story.passes && story.reviewStatus === null) return 'done, unreviewed';
  if (story.blocked !== undefined) return 'blocked';
  if (story.reviewStatus === 'needs_review') return 'needs review';
  return story.reviewStatus === 'changes_requested' ? 'changes requested' : 'to do';
}

/** What a mode asks of the agent, for the header of an iteration. */
export const MODE_TEXT: Readonly<Record<Mode, string>> = {
  implement: 'implement',
  review: 'review',
  'review-fix': 'fix after review',
};
