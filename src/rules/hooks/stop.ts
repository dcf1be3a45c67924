import type { Config, Mode, Violation } from '../../contracts/index.ts';
import { shortLine } from '../text/index.ts';
import type { RunFacts, StopFacts } from './api.ts';
import { eventEffect, NOTHING, type Step } from './steps.ts';

/** At most so many are named; the rest are counted. */
const MOST_NAMED = 20;

/** Unreadable files first: what depends on them cannot be judged until they can be read. */
const ORDER: readonly RegExp[] = [/^schema\/|unreadable$/, /^invariant\//, /^transition\//];

/** Refusals in a row without a tool call: an agent that only talks fixes nothing, and each one costs its whole context. */
const MOST_IDLE = 2;

/**
 * Refuses a stop that leaves the story in a state which the loop would refuse. After `maxRefusals`, or {@link MOST_IDLE}
 * without a tool call, the agent may stop, and the loop decides. The end of a subagent is not the end of the session.
 */
export const refuseStop: Step = (event, { run, stop, session, maxRefusals }) => {
  if (run === null || stop === null || event.subagent !== '') return NOTHING;
  const reasons = reasonsOf(stop, run);
  if (reasons.length === 0 || session.refusals >= maxRefusals || session.idle >= MOST_IDLE) return NOTHING;
  const refusal = session.refusals + 1;
  return {
    answer: {
      kind: 'block',
      text: ['Fix this before you stop:', ...reasons.map((reason) => `- ${reason}`)].join('\n'),
    },
    session: { ...session, refusals: refusal, idle: session.idle + 1 },
    effects: [eventEffect({ type: 'stop-refused', refusal, reasons: reasons.map((reason) => shortLine(reason, 300)) })],
  };
};

/** After a tool call the next refusal may be about something new. Outside a run no stop is refused. */
export const noteToolUse: Step = (_, { run, session }) =>
  run === null || session.idle === 0 ? NOTHING : { session: { ...session, idle: 0 } };

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
  if (mode === 'review')
    return `${story}: a review changes no code, but these files were changed: ${files}. Undo that.`;
  return `${story}: uncommitted changes: ${files}. Update the progress log and lasting memory if they lack something, then commit everything.`;
}

function rank({ rule }: Violation): number {
  const at = ORDER.findIndex((pattern) => pattern.test(rule));
  return at < 0 ? ORDER.length : at;
}

/**
 * Whether uncommitted work is a reason to refuse a stop. The loop commits what the agent left, unless it keeps the agent's
 * own commits; a review may leave none.
 */
export function asksForCommits(mode: Mode, { commits, stop }: Pick<Config, 'commits' | 'stop'>): boolean {
  const { uncommitted } = stop;
  return mode === 'review' || uncommitted === 'refuse' || (uncommitted === 'auto' && commits === 'keep');
}
