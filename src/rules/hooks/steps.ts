import type { EventBody } from '../../contracts/index.ts';
import { cleanValue, printable, shortLine } from '../text/index.ts';
import type { HookAnswer, HookContext, HookDecision, HookEffect, HookEvent, HookLog, SessionState } from './api.ts';
import { NEW_SESSION } from './api.ts';
import { sessionLines } from './sessions.ts';

/**
 * The combined decision of an event's steps. Never throws: a hook must not break the agent's session, so a fault lets
 * the call through and is reported as `hook-error`.
 */
export function runSteps(steps: readonly Step[], event: HookEvent, context: HookContext): HookDecision {
  try {
    return inOrder(steps, event, context);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const failed = eventEffect({ type: 'hook-error', hook: event.name, message });
    return { answer: { kind: 'allow' }, session: context.session, effects: [cleanEffect(failed)] };
  }
}

function inOrder(steps: readonly Step[], event: HookEvent, context: HookContext): HookDecision {
  let answer: HookAnswer = { kind: 'allow' };
  let session = context.session;
  const effects: HookEffect[] = [];
  for (const step of steps) {
    const result = step(event, { ...context, session });
    answer = joinAnswers(answer, result.answer ?? { kind: 'allow' });
    session = result.session ?? session;
    effects.push(...(result.effects ?? []));
  }
  // Derived from the difference, so that no step can change the session without recording it.
  const lines = sessionLines(event.session, context.session, session, context.now);
  if (lines !== '') effects.push(logEffect('session.log', lines));
  return { answer, session, effects: effects.map(cleanEffect) };
}

/** What one step adds to a decision; absent fields stay unchanged. */
export interface StepResult {
  readonly answer?: HookAnswer;
  readonly session?: SessionState;
  readonly effects?: readonly HookEffect[];
}

/** One part of handling an event. Steps run one after another, each with the session the previous one left. */
export type Step = (event: HookEvent, context: HookContext) => StepResult;

export const NOTHING: StepResult = {};

export function eventEffect(body: EventBody): HookEffect {
  return { kind: 'event', body };
}

export function logEffect(log: HookLog, text: string): HookEffect {
  return { kind: 'log', log, text };
}

/** Combines two answers to one call: the stricter kind, both texts. */
function joinAnswers(first: HookAnswer, second: HookAnswer): HookAnswer {
  if (first.kind === 'allow') return second;
  if (second.kind === 'allow') return first;
  const kinds = [first.kind, second.kind];
  const kind = (['deny', 'block'] as const).find((stricter) => kinds.includes(stricter)) ?? 'context';
  return { kind, text: `${first.text}\n\n${second.text}` };
}

/** Everything that is written goes through here, so that no rule has to clean its text. */
function cleanEffect(effect: HookEffect): HookEffect {
  if (effect.kind === 'log') return { ...effect, text: printable(effect.text) };
  return effect.kind === 'event' ? { ...effect, body: cleanValue(effect.body, printable) as EventBody } : effect;
}

/** A new session has read nothing and been told nothing; a resumed or compacted one continues. */
export const startSession: Step = ({ source }) =>
  source === 'startup' || source === 'clear' ? { session: NEW_SESSION } : NOTHING;

/** When a prompt came and how long it was. Never its text: a prompt may hold secrets. */
export const logPrompt: Step = ({ prompt }, { run, now }) =>
  run === null
    ? NOTHING
    : { effects: [logEffect('activity.log', `${new Date(now).toISOString()} prompt length=${prompt.length}\n`)] };

/** In the form of settle's `incomplete:` lines: what, story, epoch seconds, why. */
export const logSessionEnd: Step = ({ source }, { run, now }) => {
  if (run === null) return NOTHING;
  const line = `ended:${run.story}:${Math.floor(now / 1000)}:${shortLine(source || 'unknown')}\n`;
  return { effects: [logEffect('sessions.log', line)] };
};
