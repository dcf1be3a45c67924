import type { HookContext, HookDecision, HookEvent } from './api.ts';
import { watchContext } from './context-monitor.ts';
import { judgeTests } from './judge-tests.ts';
import { preToolUse, targetOf } from './pre-tool-use.ts';
import { logPrompt, logSessionEnd, NOTHING, runSteps, type Step, startSession } from './steps.ts';
import { noteToolUse, refuseStop } from './stop.ts';
import { toolUse } from './wire.ts';

/** Decides about one hook call: the answer, what to remember of the session, and side effects. Never throws. */
export function decide(event: HookEvent, context: HookContext): HookDecision {
  return runSteps(STEPS.get(event.name) ?? [], event, context);
}

/** The agent may edit what it has read or written itself. Only in a run: elsewhere no rule asks for it. */
const trackReads: Step = (event, context) => {
  const use = toolUse(event);
  if (context.run === null || (use.kind !== 'read' && use.kind !== 'write') || use.path === '') return NOTHING;
  const { path } = targetOf(use.path, event, context);
  const { session } = context;
  return session.read.has(path) ? NOTHING : { session: { ...session, read: new Set([...session.read, path]) } };
};

/** The steps for each event. An event that is not listed is let through. */
const STEPS: ReadonlyMap<string, readonly Step[]> = new Map([
  ['SessionStart', [startSession]],
  ['UserPromptSubmit', [logPrompt, watchContext]],
  ['PreToolUse', [noteToolUse, preToolUse]],
  ['PostToolUse', [noteToolUse, trackReads, judgeTests, watchContext]],
  ['PostToolUseFailure', [noteToolUse, judgeTests, watchContext]],
  ['Stop', [refuseStop]],
  ['SessionEnd', [logSessionEnd]],
]);
