import type { BreakerState, EndReason, Mode, StoryState, Verdict } from '../../contracts/model.ts';
import type { WaitReason } from '../../contracts/state/run-record.ts';
import type { Tone } from './paint.ts';
import { oneLine } from './sanitise.ts';

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

interface Outcome {
  readonly text: string;
  readonly tone: Tone;
}

const OUTCOME: Readonly<Record<EndReason, Outcome>> = {
  complete: { text: 'COMPLETE: every story is done', tone: 'good' },
  iterations: { text: 'OUT OF ITERATIONS: stories are left', tone: 'warn' },
  blocked: { text: 'BLOCKED: only blocked stories are left', tone: 'warn' },
  circuit: { text: 'CIRCUIT OPEN: the loop is not getting anywhere', tone: 'bad' },
  budget: { text: 'BUDGET: a budget is spent', tone: 'warn' },
  limit: { text: "LIMIT: the provider's usage limit is reached", tone: 'warn' },
  unavailable: { text: 'UNAVAILABLE: the agent or its isolation cannot be used', tone: 'bad' },
  stopped: { text: 'STOPPED: as a person asked', tone: 'warn' },
  once: { text: 'ONCE: one iteration, as asked', tone: 'accent' },
  until: { text: 'UNTIL: the story asked for is done', tone: 'good' },
  interrupted: { text: 'INTERRUPTED', tone: 'warn' },
  terminated: { text: 'TERMINATED', tone: 'warn' },
  condition: { text: 'EXIT CONDITION: one is met, stories are left', tone: 'accent' },
  error: { text: 'ERROR: the run could not go on', tone: 'bad' },
};

/** Without a backlog there are no stories to speak of: it is the agent that says how far it is. */
const OUTCOME_OF_PROMPT: Readonly<Partial<Record<EndReason, Outcome>>> = {
  complete: { text: 'COMPLETE: the agent has nothing left to do', tone: 'good' },
  iterations: { text: 'OUT OF ITERATIONS: the agent has not called it done', tone: 'warn' },
  blocked: { text: 'BLOCKED: the agent cannot go on without you', tone: 'warn' },
  condition: { text: 'EXIT CONDITION: one is met', tone: 'good' },
};

/** Of a run that was asked for some of the stories only. */
const COMPLETE_IN_PART: Outcome = { text: 'COMPLETE: what was asked for is done', tone: 'good' };

/**
 * The outcome of a run in words; a reason that only later versions know is told as it stands.
 * @param stories as the run left them, where that is known
 */
export function outcomeOf(
  reason: EndReason,
  lonePrompt: boolean,
  stories?: { readonly total: number; readonly done: number },
): Outcome {
  if (lonePrompt && Object.hasOwn(OUTCOME_OF_PROMPT, reason)) return OUTCOME_OF_PROMPT[reason] ?? OUTCOME[reason];
  if (reason === 'complete' && !lonePrompt && stories && stories.done < stories.total) return COMPLETE_IN_PART;
  return Object.hasOwn(OUTCOME, reason) ? OUTCOME[reason] : { text: `ENDED: ${oneLine(reason)}`, tone: 'warn' };
}

/** What was used of the limit of iterations; those that were limited or interrupted are free. */
export function usedText(used: number, limit: number): string {
  return `${used} of ${limit} used`;
}

export const STATE_TONE: Readonly<Record<StoryState, Tone | null>> = {
  done: 'good',
  'done, unreviewed': 'good',
  blocked: 'warn',
  'needs review': 'accent',
  'changes requested': 'accent',
  'to do': null,
};

/** The question that a blocked story waits with; null when something else blocks it. */
export function questionIn(blocked: string | undefined): { readonly id: string; readonly text: string } | null {
  const [, id, text] = /^question (Q\d+): (.*)$/s.exec(blocked ?? '') ?? [];
  return id === undefined || text === undefined ? null : { id, text };
}

/** What a mode asks of the agent, for the header of an iteration. */
export const MODE_TEXT: Readonly<Record<Mode, string>> = {
  implement: 'implement',
  review: 'review',
  'review-fix': 'fix after review',
};

/** What a run waits for, in two or three words. */
export const WAIT_TEXT: Readonly<Record<WaitReason, string>> = {
  pause: 'paused',
  cooldown: 'breaker cools down',
  limit: 'usage limit',
  rate: 'calls per hour',
};

export const BREAKER_TONE: Readonly<Record<BreakerState, Tone>> = { closed: 'good', 'half-open': 'warn', open: 'bad' };
