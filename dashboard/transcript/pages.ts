import type { RalphEvent } from '../../src/contracts/index.ts';
import type { LinesPage, LinesQuery } from '../../src/surfaces/dashboard/index.ts';
import { apiOfRun, getJson, queryText } from '../api.ts';

/** An event, and its line in the log. */
export type Entry = readonly [line: number, event: RalphEvent];

/** Reads lines of one run's log. */
export type ReadLines = (query: LinesQuery, signal?: AbortSignal) => Promise<LinesPage>;

/** A moment after which nothing may be shown: the first line that is too late, and the time in epoch ms. */
export interface Moment {
  readonly line: number;
  readonly at: number;
}

/** Reads a run's log from the server. */
export function linesOf(project: string, run: string): ReadLines {
  const address = apiOfRun(project, run, 'lines');
  return (query, signal) => getJson<LinesPage>(`${address}?${queryText(query)}`, signal);
}

/**
 * Reads on until the requested number is found: with a filter the server stops after a while and says where to
 * continue.
 */
export async function readEnough(read: ReadLines, query: LinesQuery, signal?: AbortSignal): Promise<LinesPage> {
  const wanted = query.count ?? 200;
  let events: readonly Entry[] = [];
  let from = query.from;
  for (;;) {
    const page = await read(
      { ...query, count: wanted - events.length, ...(from === undefined ? {} : { from }) },
      signal,
    );
    events = query.backwards ? [...page.events, ...events] : [...events, ...page.events];
    if (page.next === null || events.length >= wanted) return { events, next: page.next };
    from = page.next;
  }
}

/** The log as it was at a moment, without later lines. `moment` null: the whole log. */
export function linesUntil(read: ReadLines, moment: () => Moment | null): ReadLines {
  return async (query, signal) => {
    const end = moment();
    if (end === null) return read(query, signal);
    const from = query.backwards ? Math.min(query.from ?? end.line, end.line) : query.from;
    const page = await read({ ...query, ...(from === undefined ? {} : { from }) }, signal);
    const events = page.events.filter(([line, event]) => line < end.line && Date.parse(event.ts) <= end.at);
    return { events, next: events.length < page.events.length && !query.backwards ? null : page.next };
  };
}
