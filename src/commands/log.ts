import { listRuns, readEvents } from '../adapters/workspace/event-reader.ts';
import { agentLogPath } from '../adapters/workspace/paths.ts';
import { UsageError } from '../contracts/errors.ts';
import type { RalphEvent } from '../contracts/events.ts';
import { nearest } from '../rules/nearest.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { advance, INITIAL_STATE } from '../surfaces/terminal/log-state.ts';
import { paintFor } from '../surfaces/terminal/paint.ts';
import { type RenderOptions, renderEvent } from '../surfaces/terminal/render-event.ts';
import { renderRunHistory, runHistory } from '../surfaces/terminal/run-history.ts';
import { isOn, parseCount, type RawFlags, textOf } from './flags.ts';
import { openProject } from './open.ts';
import { printJson, printLines } from './print.ts';

/** `ralph log [ITERATION]` */
export async function log([iteration]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { root } = (await openProject(flags, io)).repo;
  const run = await findRun(root, textOf(flags, 'run'));
  if (run === null) {
    if (isOn(flags, 'json')) printJson(io, null);
    else printLines(io, ['no run yet; start one with: ralph run']);
    return 0;
  }
  const events = await readEvents(root, run);
  const options = { paint: paintFor(io), columns: io.isTTY ? io.columns : Number.POSITIVE_INFINITY };
  if (iteration === undefined) {
    const history = runHistory(run, events);
    if (isOn(flags, 'json')) printJson(io, history);
    else printLines(io, renderRunHistory(history, options));
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

/** The run asked for, else the last; null when there is none at all. @throws UsageError with the nearest name */
async function findRun(root: string, wanted: string | undefined): Promise<string | null> {
  const runs = await listRuns(root);
  if (wanted === undefined) return runs.at(-1) ?? null;
  if (runs.includes(wanted)) return wanted;
  const near = nearest(wanted, runs);
  throw new UsageError({
    what: `there is no run '${wanted}'${near ? `; did you mean ${near}?` : ''}`,
    mend: runs.length === 0 ? ['start one with: ralph run'] : [`the last runs: ${runs.slice(-5).join(', ')}`],
  });
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
