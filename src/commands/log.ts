import { listRuns, readEvents } from '../adapters/workspace/event-reader.ts';
import { agentLogPath } from '../adapters/workspace/paths.ts';
import { UsageError } from '../contracts/errors.ts';
import type { RalphEvent } from '../contracts/events.ts';
import { nearest } from '../rules/nearest.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { advance, INITIAL_STATE } from '../surfaces/terminal/log-state.ts';
import { paintFor } from '../surfaces/terminal/paint.ts';
import { type RenderOptions, renderEvent } from '../surfaces/terminal/render-event.ts';
import { type RunHistory, renderIdleRun, renderRunHistory, runHistory } from '../surfaces/terminal/run-history.ts';
import { isOn, parseCount, type RawFlags, textOf } from './flags.ts';
import { openProject } from './open.ts';
import { printJson, printLines } from './print.ts';

/** `ralph log [ITERATION]` */
export async function log([iteration]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { root } = (await openProject(flags, io)).repo;
  const found = await findRun(root, textOf(flags, 'run'));
  if (found === null) {
    if (isOn(flags, 'json')) printJson(io, null);
    else printLines(io, ['no run yet; start one with: ralph run']);
    return 0;
  }
  const { run, events, later } = found;
  const options = { paint: paintFor(io), columns: io.isTTY ? io.columns : Number.POSITIVE_INFINITY };
  if (iteration === undefined) {
    const history = runHistory(run, events);
    if (isOn(flags, 'json')) printJson(io, { ...history, later });
    else printLines(io, [...renderRunHistory(history, options), ...(later ? [renderIdleRun(later, options)] : [])]);
    return 0;
  }
  const number = parseCount(iteration, 'the iteration');
  const own = events.filter((event) => event.iteration === number);
  if (own.length === 0) throw noSuchIteration(run, number, events);
  if (isOn(flags, 'json')) printJson(io, own);
  else
    printLines(io, [
      ...renderIteration(events, number, { ...options, verbose: true }),
      '',
      `everything the agent printed: ${agentLogPath(run, number)}`,
    ]);
  return 0;
}

/** A run to tell about. */
interface Found {
  readonly run: string;
  readonly events: readonly RalphEvent[];
  /** The last start, where it is not the one that is told about: it had no iteration. */
  readonly later: RunHistory | null;
}

/** The run asked for, else the one that says most; null when there is none. @throws UsageError with the nearest name */
async function findRun(root: string, wanted: string | undefined): Promise<Found | null> {
  const runs = await listRuns(root);
  if (wanted === undefined) return lastWorked(root, runs);
  if (runs.includes(wanted)) return { run: wanted, events: await readEvents(root, wanted), later: null };
  const near = nearest(wanted, runs);
  throw new UsageError({
    what: `there is no run '${wanted}'${near ? `; did you mean ${near}?` : ''}`,
    mend: runs.length === 0 ? ['start one with: ralph run'] : [`the last runs: ${runs.slice(-5).join(', ')}`],
  });
}

/** The last run that had iterations, else the last of all. */
async function lastWorked(root: string, runs: readonly string[]): Promise<Found | null> {
  let last: Found | null = null;
  for (const run of runs.toReversed()) {
    const events = await readEvents(root, run);
    const later = last && runHistory(last.run, last.events);
    if (events.some(({ type }) => type === 'select')) return { run, events, later };
    last ??= { run, events, later: null };
  }
  return last;
}

/** One iteration as the run showed it, with everything the agent did. Pure. */
function renderIteration(events: readonly RalphEvent[], iteration: number, options: RenderOptions): readonly string[] {
  const lines: string[] = [];
  let state = INITIAL_STATE;
  for (const event of events) {
    if (event.iteration === iteration) lines.push(...renderEvent(event, state, options));
    state = advance(state, event);
  }
  // The blank line that parts iterations in a log has nothing to part here.
  return lines[0] === '' ? lines.slice(1) : lines;
}

function noSuchIteration(run: string, number: number, events: readonly RalphEvent[]): UsageError {
  const last = events.reduce((most, event) => Math.max(most, event.iteration), 0);
  return new UsageError({
    what: `run ${run} has no iteration ${number}`,
    mend: [last === 0 ? 'it ended before its first iteration' : `it has 1 to ${last}: ralph log`],
  });
}
