import type { HookContext, HookDecision, HookEvent } from './api.ts';
import { watchContext } from './context-monitor.ts';
import { runSteps, type Step, startSession } from './steps.ts';
import { toolUse } from './wire.ts';

/** The steps outside a run, without the guard. */
const OUTSIDE_A_RUN: ReadonlyMap<string, readonly Step[]> = new Map([
  ['SessionStart', [startSession]],
  ['UserPromptSubmit', [watchContext]],
  ['PostToolUse', [watchContext]],
  ['PostToolUseFailure', [watchContext]],
]);

/**
 * The decision of `decide`, with minimal loading: the rules of the guard and of the test verdicts take longer to load
 * than everything else in a hook, and most calls come from outside a run and contain no command.
 */
export async function decideLean(event: HookEvent, context: HookContext): Promise<HookDecision> {
  if (context.run !== null) return (await import('./decide.ts')).decide(event, context);
  if (event.name !== 'PreToolUse') return runSteps(OUTSIDE_A_RUN.get(event.name) ?? [], event, context);
  if (toolUse(event).kind !== 'shell') return runSteps([], event, context);
  return runSteps([(await import('./pre-tool-use.ts')).preToolUse], event, context);
}
