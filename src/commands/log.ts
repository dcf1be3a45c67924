import {
  agentLogPath,
  headlinesOf,
  listRunSummaries,
  listRuns,
  logProblem,
  readEvents,
  readIndex,
  runFolder,
  runState,
} from '../adapters/workspace/index.ts';
import { hasShape, type RalphEvent, StateError, UsageError } from '../contracts/index.ts';
import { readInside } from '../platform/index.ts';
import { counted, dollars, elapsed, oneLine } from '../rules/text/index.ts';
import {
  type Io,
  paintFor,
  type RenderOptions,
  type RunHistory,
  renderIdleRun,
  renderIteration,
  renderRunHistory,
  renderRuns,
  renderTranscript,
  runHistory,
} from '../surfaces/terminal/index.ts';
import { noSuchRun } from './shared/chosen-run.ts';
import { isOn, parseCount, type RawFlags, textOf } from './shared/flags.ts';
import { openProject } from './shared/open.ts';
import { printLines, printResult, widthOf } from './shared/print.ts';

/** Used when the terminal is not narrower: a tool's arguments may hold a whole file. */
const MOST_COLUMNS = 200;

export async function log([iteration]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { root } = (await openProject(flags, io)).repo;
  const options = { paint: paintFor(io), columns: widthOf(io) };
  if (isOn(flags, 'runs')) return logRuns(root, flags, options, io);
  const found = await findRun(root, textOf(flags, 'run'));
  if (found === null) return printResult(io, flags, null, [NO_RUN]);
  const { run, events, later, lost } = found;
  if (lost !== null) throw await lostLogError(root, run, lost);
  // Logs lie where agents can write, and later versions have more kinds of events.
  const shown = events.filter(hasShape);
  const unreadable = events.length - shown.length;
  const note = unreadable === 0 ? [] : [`${counted(unreadable, 'event')} of the log could not be shown`];
  if (iteration === undefined) {
    const history = runHistory(run, shown);
    const state = await runState(root, await headlinesOf(root, run));
    const lines = [
      ...renderRunHistory(history, { ...options, state }),
      ...(later ? [renderIdleRun(later, options)] : []),
      ...note,
    ];
    return printResult(io, flags, { ...history, state, later, unreadable }, lines);
  }
  const number = parseCount(iteration, 'the iteration');
  const own = events.filter((event) => event.iteration === number);
  if (own.length === 0) throw noSuchIteration(run, number, shown);
  if (isOn(flags, 'full') && !isOn(flags, 'json')) {
    printLines(io, [...(await wholeIteration(root, run, shown, number, options, io)), ...note]);
    return 0;
  }
  const lines = [
    ...renderIteration(shown, number, { ...options, columns: Math.min(options.columns, MOST_COLUMNS), verbose: true }),
    ...note,
    '',
    `including tool results: ralph log ${number}${textOf(flags, 'run') ? ` --run ${run}` : ''} --full`,
  ];
  return printResult(io, flags, own, lines);
}

/** Lines of a call or a result that a terminal shows. */
const MOST_LINES = 12;

/** Bytes of an agent's output that are read; the events of a longer one are shown. */
const MOST_OUTPUT = 64 * 1024 * 1024;

/** All that the agent said and did in one iteration, then what became of it. */
async function wholeIteration(
  root: string,
  run: string,
  events: readonly RalphEvent[],
  number: number,
  options: Omit<RenderOptions, 'verbose'>,
  io: Io,
): Promise<readonly string[]> {
  const [header = '', ...rest] = renderIteration(events, number, { ...options, verbose: false });
  const said = events.flatMap((event) => (event.iteration === number && event.type === 'agent' ? [event.event] : []));
  const path = agentLogPath(run, number);
  const { bytes } = await readInside(root, path, MOST_OUTPUT);
  const most = io.isTTY ? MOST_LINES : Number.POSITIVE_INFINITY;
  return [
    header,
    ...renderTranscript(bytes?.toString('utf8') ?? '', said, { ...options, most }),
    '',
    ...rest,
    '',
    ...(io.isTTY ? [`uncut, in a pager: ralph log ${number} --full | less`] : []),
    `raw output of the agent: ${path}`,
  ];
}

const NO_RUN = 'no run yet; start one with: ralph run';

async function logRuns(
  root: string,
  flags: RawFlags,
  options: Omit<RenderOptions, 'verbose'>,
  io: Io,
): Promise<number> {
  const runs = (await listRunSummaries({ id: '', root }, { limit: Number.POSITIVE_INFINITY })).toReversed();
  const data = runs.map(({ project: _, ...run }) => run);
  return printResult(io, flags, data, runs.length === 0 ? [NO_RUN] : renderRuns(runs, options));
}

interface Found {
  readonly run: string;
  readonly events: readonly RalphEvent[];
  /** The last start, where it is not the run shown: it had no iteration. */
  readonly later: RunHistory | null;
  /** Why its log cannot be read; null when it can. */
  readonly lost: string | null;
}

/**
 * The requested run, else the most informative one; null when there is none. @throws UsageError with the nearest name
 */
async function findRun(root: string, wanted: string | undefined): Promise<Found | null> {
  const runs = await listRuns(root);
  if (wanted === undefined) return lastWorked(root, runs);
  if (runs.includes(wanted)) return readRun(root, wanted);
  throw noSuchRun(wanted, runs);
}

async function readRun(root: string, run: string): Promise<Found> {
  const problem = await logProblem(root, run);
  const lost = problem === 'missing' ? 'is gone' : problem;
  return { run, events: lost === null ? await readEvents(root, run) : [], later: null, lost };
}

/** The last run that had iterations, or whose log is lost; else the last of all. */
async function lastWorked(root: string, runs: readonly string[]): Promise<Found | null> {
  let last: Found | null = null;
  for (const run of runs.toReversed()) {
    const found = await readRun(root, run);
    const later = last && runHistory(last.run, last.events);
    if (found.lost !== null || found.events.some(({ type }) => type === 'select')) return { ...found, later };
    last ??= found;
  }
  return last;
}

/** What remains of a run besides its log: the index of its iterations. */
async function lostLogError(root: string, run: string, why: string): Promise<StateError> {
  const index = await readIndex(root, run);
  const known = index.map(
    ({ iteration, mode, story, verdict, durationMs, costUsd }) =>
      `iteration ${iteration}: ${[mode, story, verdict, elapsed(durationMs), costUsd === null ? null : dollars(costUsd)]
        .flatMap((fact) => (typeof fact === 'string' ? oneLine(fact) : []))
        .join(' · ')}`,
  );
  return new StateError({
    what: `the event log of run ${run} is lost`,
    where: `${runFolder(run)}/events.jsonl`,
    why: [`the file ${why}`, ...(known.length > 0 ? ['its index still has:', ...known] : [])].join('\n  '),
    fix: ['`ralph log --runs` lists the others', '`git log` has what was committed, `ralph rescue list` what was not'],
  });
}

function noSuchIteration(run: string, number: number, events: readonly RalphEvent[]): UsageError {
  const last = events.reduce((most, event) => Math.max(most, event.iteration), 0);
  return new UsageError({
    what: `run ${run} has no iteration ${number}`,
    fix: [last === 0 ? 'it ended before its first iteration' : `it has 1 to ${last}: ralph log`],
  });
}
