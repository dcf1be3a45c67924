import type { HookAnswer, HookContext, HookDecision, HookEffect, HookEvent } from './api.ts';
import { cleanEffect } from './clean-effect.ts';
import { sessionLines } from './session-lines.ts';
import { eventEffect, joinAnswers, logEffect, type Step } from './step.ts';

/**
 * What the steps of an event decide together. Never throws: a hook must not break the agent's session, so that a fault
 * lets the call through and is reported as `hook-error`.
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
  // Derived from the difference, so that no step can change the session and forget to write it down.
  const lines = sessionLines(event.session, context.session, session, context.now);
  if (lines !== '') effects.push(logEffect('session.log', lines));
  return { answer, session, effects: effects.map(cleanEffect) };
}
