import type { HookContext, HookDecision, HookEvent } from './api.ts';
import { watchContext } from './context-monitor.ts';
import { judgeFailedTool, judgeTestOutput } from './judge-tests.ts';
import { preToolUse } from './pre-tool-use.ts';
import { runSteps } from './run-steps.ts';
import { logPrompt, logSessionEnd, startSession } from './sessions.ts';
import type { Step } from './step.ts';
import { refuseStop } from './stop.ts';
import { trackReads } from './track-reads.ts';

/** What happens at each event. An event that is not named is let through. */
const STEPS: ReadonlyMap<string, readonly Step[]> = new Map([
  ['SessionStart', [startSession]],
  ['UserPromptSubmit', [logPrompt, watchContext]],
  ['PreToolUse', [preToolUse]],
  ['PostToolUse', [trackReads, judgeTestOutput, watchContext]],
  ['PostToolUseFailure', [judgeFailedTool, watchContext]],
  ['Stop', [refuseStop]],
  ['SessionEnd', [logSessionEnd]],
]);

/** Decides about one hook call: the answer, what to remember of the session, what to do beside it. Never throws. */
export function decide(event: HookEvent, context: HookContext): HookDecision {
  return runSteps(STEPS.get(event.name) ?? [], event, context);
}
