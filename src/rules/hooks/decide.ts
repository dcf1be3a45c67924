import type { Violation } from '../../contracts/index.ts';
import { shortLine } from '../text/index.ts';
import type { HookContext, HookDecision, HookEvent, RunFacts, StopFacts } from './api.ts';
import { watchContext } from './context-monitor.ts';
import { judgeFailedTool, judgeTestOutput } from './judge-tests.ts';
import { preToolUse, targetOf } from './pre-tool-use.ts';
import { eventEffect, logPrompt, logSessionEnd, NOTHING, runSteps, type Step, startSession } from './steps.ts';
import { toolUse } from './wire.ts';

/** Decides about one hook call: the answer, what to remember of the session, and side effects. Never throws. */
export function decide(event: HookEvent, context: HookContext): HookDecision {
  return runSteps(STEPS.get(event.name) ?? [], event, context);
}

/** At most so many are named; the rest are counted. */
const MOST_NAMED = 20;

/** Unreadable files first: what depends on them cannot be judged until they can be read. */
const ORDER: readonly RegExp[] = [/^schema\/|unreadable$/, /^invariant\//, /^transition\//];

/**
 * Refuses a stop that leaves the story in a state which settle would refuse. After `maxRefusals` the agent may stop:
 * settle decides then. The end of a subagent is not the end of the session.
 */
const refuseStop: Step = (event, { run, stop, session, maxRefusals }) => {
  if (run === null || stop === null || event.subagent !== '' || session.refusals >= maxRefusals) return NOTHING;
  const reasons = reasonsOf(stop, run);
  if (reasons.length === 0) return NOTHING;
  const refusal = session.refusals + 1;
  const head = `Not yet: mend this before you stop (refusal ${refusal} of ${maxRefusals}; after that the loop decides by itself).`;
  return {
    answer: { kind: 'block', reason: [head, ...reasons.map((reason) => `- ${reason}`)].join('\n') },
    session: { ...session, refusals: refusal },
    effects: [eventEffect({ type: 'stop-refused', refusal, reasons: reasons.map((reason) => shortLine(reason, 300)) })],
  };
};

function reasonsOf({ violations, uncommitted }: StopFacts, run: RunFacts): readonly string[] {
  const sorted = [...violations].sort((a, b) => rank(a) - rank(b));
  const named = sorted.slice(0, MOST_NAMED).map(describe);
  const more = sorted.length > MOST_NAMED ? [`${sorted.length - MOST_NAMED} more of this kind.`] : [];
  return [...named, ...more, ...(uncommitted.length > 0 ? [describeUncommitted(uncommitted, run)] : [])];
}

/** The messages of most rules name the story and the field themselves. */
function describe({ story, field, message }: Violation): string {
  const where = [story, field].filter((part) => part !== undefined && part !== '' && !message.includes(part));
  return where.length === 0 ? message : `${where.join(', ')}: ${message}`;
}

function describeUncommitted(paths: readonly string[], { story, mode }: RunFacts): string {
  const named = paths.slice(0, MOST_NAMED).map((path) => shortLine(path));
  const files = `${named.join(', ')}${paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : ''}`;
  if (mode === 'review') return `${story}: a review changes no code, but these files are changed: ${files}. Undo that.`;
  return `${story}: uncommitted changes: ${files}. Update the progress log, consider what belongs into lasting memory (project notes, patterns), then commit everything.`;
}

function rank({ rule }: Violation): number {
  const at = ORDER.findIndex((pattern) => pattern.test(rule));
  return at < 0 ? ORDER.length : at;
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
  ['PreToolUse', [preToolUse]],
  ['PostToolUse', [trackReads, judgeTestOutput, watchContext]],
  ['PostToolUseFailure', [judgeFailedTool, watchContext]],
  ['Stop', [refuseStop]],
  ['SessionEnd', [logSessionEnd]],
]);
