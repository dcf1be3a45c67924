import type { EventBody } from '../../contracts/events.ts';
import type { HookAnswer, HookContext, HookEffect, HookEvent, HookLog, SessionState } from './api.ts';

/** What one step of a decision adds; what is absent stays as it was. */
export interface StepResult {
  readonly answer?: HookAnswer;
  readonly session?: SessionState;
  readonly effects?: readonly HookEffect[];
}

/** One part of what happens at an event. Steps of an event run in order, each with the session the last one left. */
export type Step = (event: HookEvent, context: HookContext) => StepResult;

export const NOTHING: StepResult = {};

export function eventEffect(body: EventBody): HookEffect {
  return { kind: 'event', body };
}

export function logEffect(log: HookLog, text: string): HookEffect {
  return { kind: 'log', log, text };
}

/** Two answers to one call as one: the stricter kind, both texts. */
export function joinAnswers(first: HookAnswer, second: HookAnswer): HookAnswer {
  if (first.kind === 'allow') return second;
  if (second.kind === 'allow') return first;
  const text = `${wordsOf(first)}\n\n${wordsOf(second)}`;
  const kinds = [first.kind, second.kind];
  if (kinds.includes('deny')) return { kind: 'deny', reason: text };
  return kinds.includes('block') ? { kind: 'block', reason: text } : { kind: 'context', text };
}

function wordsOf(answer: Exclude<HookAnswer, { kind: 'allow' }>): string {
  return answer.kind === 'context' ? answer.text : answer.reason;
}
