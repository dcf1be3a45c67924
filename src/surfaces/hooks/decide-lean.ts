import type { HookContext, HookDecision, HookEvent } from '../../rules/hooks/api.ts';
import { watchContext } from '../../rules/hooks/context-monitor.ts';
import { runSteps } from '../../rules/hooks/run-steps.ts';
import { startSession } from '../../rules/hooks/sessions.ts';
import type { Step } from '../../rules/hooks/step.ts';
import { toolUse } from '../../rules/hooks/tools.ts';

/** What happens outside a run, less the guard. */
const OUTSIDE_A_RUN: ReadonlyMap<string, readonly Step[]> = new Map([
  ['SessionStart', [startSession]],
  ['UserPromptSubmit', [watchContext]],
  ['PostToolUse', [watchContext]],
  ['PostToolUseFailure', [watchContext]],
]);

/**
 * The decision of `decide`, with no more loaded than it takes: the rules of the guard and of the test verdicts need
 * longer to load than everything else in a hook, and most calls come from outside a run and have no command in them.
 */
export async function decideLean(event: HookEvent, context: HookContext): Promise<HookDecision> {
  if (context.run !== null) return (await import('../../rules/hooks/decide.ts')).decide(event, context);
  if (event.name !== 'PreToolUse') return runSteps(OUTSIDE_A_RUN.get(event.name) ?? [], event, context);
  if (toolUse(event).kind !== 'shell') return runSteps([], event, context);
  return runSteps([(await import('../../rules/hooks/pre-tool-use.ts')).preToolUse], event, context);
}
