import type { EventFile } from '../../adapters/workspace/events/event-file.ts';
import type { RalphEvent } from '../../contracts/events.ts';
import type { RunView } from '../../rules/view/model.ts';
import type { LinesPage, LinesQuery } from './api.ts';
import { says } from './said.ts';

const MOST_LINES = 1_000;
const LINES = 200;
/** Looked at between two looks at the clock. */
const CHUNK = 500;
/** After which a search says how far it came: others wait for their answers too. */
const BUDGET_MS = 300;

/** The lines of a log that a query asks for, in file order, as many as are found in its time. */
export async function findLines(
  file: Pick<EventFile, 'lines' | 'read'>,
  view: RunView,
  query: LinesQuery,
  budgetMs = BUDGET_MS,
): Promise<LinesPage> {
  const [low, high] = rangeOf(file.lines(), view, query);
  const wanted = matcherOf(query);
  const count = Math.min(MOST_LINES, Math.max(1, query.count ?? LINES));
  const backwards = query.backwards === true;
  const until = performance.now() + budgetMs;
  const found: (readonly [number, RalphEvent])[] = [];
  let at = backwards ? Math.min(query.from ?? high, high) : Math.max(query.from ?? low, low);
  while (backwards ? at > low : at < high) {
    const start = backwards ? Math.max(low, at - CHUNK) : at;
    const end = backwards ? at : Math.min(high, at + CHUNK);
    const chunk = (await file.read(start, end - start)).filter(([, event]) => wanted(event));
    const room = count - found.length;
    if (backwards) {
      found.unshift(...chunk.slice(-room));
      at = chunk.length > room ? (found[0]?.[0] ?? start) : start;
    } else {
      found.push(...chunk.slice(0, room));
      at = chunk.length > room ? (found.at(-1)?.[0] ?? end) + 1 : end;
    }
    if (found.length >= count || performance.now() > until) break;
  }
  const more = backwards ? at > low : at < high;
  return { events: found, next: more ? at : null };
}

/** Of one iteration only its own stretch is looked at. */
function rangeOf(lines: number, view: RunView, { iteration }: LinesQuery): readonly [low: number, high: number] {
  if (iteration === undefined || iteration === 0) return [0, lines];
  const row = view.iterations.find((one) => one.iteration === iteration);
  if (row === undefined) return [0, 0];
  return [row.from, row.endedAt === null ? lines : Math.min(lines, row.to)];
}

function matcherOf({ iteration, types, q }: LinesQuery): (event: RalphEvent) => boolean {
  const kinds = types === undefined ? null : new Set(types.split(',').map((type) => type.trim()));
  const text = q?.toLowerCase() ?? '';
  return (event) =>
    (iteration === undefined || event.iteration === iteration) &&
    (kinds === null || kinds.has(event.type) || (event.type === 'agent' && kinds.has(`agent:${event.event.type}`))) &&
    (text === '' || says(event, text));
}
