import type { Violation } from '../../contracts/model.ts';
import { shortLine } from '../printable.ts';
import type { RunFacts, StopFacts } from './api.ts';
import { eventEffect, NOTHING, type Step } from './step.ts';

/** Named one by one; what is over is counted. */
const MOST_NAMED = 20;

/** Broken files first: what depends on them cannot be judged before they can be read. */
const ORDER: readonly RegExp[] = [/^schema\/|unreadable$/, /^invariant\//, /^transition\//];

/**
 * Holds an agent back that leaves its story in a state which settle would refuse. After `maxRefusals` it may go: settle
 * decides then. A subagent's end is not the session's.
 */
export const refuseStop: Step = (event, { run, stop, session, maxRefusals }) => {
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

/** The message of most rules names the story and the field itself. */
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
