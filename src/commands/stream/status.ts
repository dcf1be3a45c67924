import type { Git } from '../../adapters/git/index.ts';
import { type EventFile, listRuns, openEventFile, type StreamTree } from '../../adapters/workspace/index.ts';
import { type EventSink, hasShape, UsageError } from '../../contracts/index.ts';
import { systemClock } from '../../platform/index.ts';
import { clockTime, counted, dollars, oneLine, shellWord, type Tone } from '../../rules/text/index.ts';
import { goOnCommand } from '../../rules/view/index.ts';
import {
  factsOf,
  named,
  removeStreamTree,
  type Stopped,
  type StreamFacts,
  type StreamNow,
  stopStream,
  streamTrees,
  treesOf,
} from '../../streams/index.ts';
import {
  type Column,
  createRunLog,
  type Io,
  jsonSink,
  paintFor,
  renderColumns,
} from '../../surfaces/terminal/index.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';
import { printResult, widthOf } from '../shared/print.ts';
import { turnPorts } from '../shared/turn-ports.ts';
import { folderHere, nextLines } from './folder-here.ts';

export async function streamStatus(names: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const [streams, folder] = await Promise.all([factsOfStreams(names, flags, io), folderHere(flags, io)]);
  const table = streams.length === 0 ? [NO_STREAMS] : streamTable(streams, io, folder !== null);
  const next = folder === null ? [] : ['', ...(await nextLines(folder))];
  return printResult(io, flags, streams, [...table, ...next]);
}

const NO_STREAMS = 'no streams yet; start them with: ralph stream start';

interface Here {
  readonly git: Git;
  /** In a folder of clones, the name of the repository. */
  readonly stream: string;
  readonly tree: StreamTree;
}

/** The streams of this repository, or of the clones in this folder. */
async function streamsHere(flags: RawFlags, io: Io): Promise<readonly Here[]> {
  const folder = await folderHere(flags, io);
  if (folder !== null) return treesOf(folder);
  const git = await openProject(flags, io);
  return (await streamTrees(git)).map((tree) => ({ git, stream: tree.file?.stream ?? tree.name, tree }));
}

/** The named streams, else all, ordered by number. @throws UsageError for an unknown name */
export async function factsOfStreams(
  names: readonly string[],
  flags: RawFlags,
  io: Io,
): Promise<readonly StreamFacts[]> {
  const here = await streamsHere(flags, io);
  const all = await Promise.all(here.map(async ({ git, stream, tree }) => ({ ...(await factsOf(git, tree)), stream })));
  const sorted = all.sort((one, other) => one.stream.localeCompare(other.stream, 'en', { numeric: true }));
  return names.length === 0 ? sorted : named(sorted, names);
}

const FIRST_COLUMNS: readonly Column<StreamFacts>[] = [
  { title: 'stream', text: ({ stream }) => oneLine(stream) },
  { title: 'state', text: stateText, tone: stateTone },
  {
    title: 'stories',
    text: ({ stories }) => (stories ? `${stories.done}/${stories.total} done` : '-'),
    align: 'right',
  },
];

const LIST_COLUMNS: readonly Column<StreamFacts>[] = [
  ...FIRST_COLUMNS,
  { title: 'branch', text: ({ branch }) => oneLine(branch ?? '-') },
  { title: 'worktree', text: ({ root }) => oneLine(root), flexible: true },
];

export async function listStreams(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const streams = await factsOfStreams([], flags, io);
  return printResult(
    io,
    flags,
    streams.map(({ stream, state, ended, stories, branch, root }) => ({ stream, state, ended, stories, branch, root })),
    streams.length === 0 ? [NO_STREAMS] : renderColumns(LIST_COLUMNS, streams, widthOf(io), paintFor(io)),
  );
}

const STATE: Readonly<Record<Exclude<StreamNow, 'ended'>, readonly [text: string, tone: Tone]>> = {
  new: ['not started', 'dim'],
  running: ['running', 'good'],
  between: ['between turns', 'accent'],
  'cut-off': ['cut off', 'warn'],
  gone: ['folder is gone', 'warn'],
};

const COLUMNS: readonly Column<StreamFacts>[] = [
  ...FIRST_COLUMNS,
  { title: 'iterations', text: ({ iterations }) => String(iterations), align: 'right' },
  { title: 'cost', text: ({ costUsd }) => (costUsd === null ? '-' : dollars(costUsd)), align: 'right' },
  { title: 'branch', text: ({ branch }) => oneLine(branch ?? '-') },
  { title: 'unmerged', text: ({ unmerged }) => (unmerged === 0 ? '-' : counted(unmerged, 'commit')), align: 'right' },
  { title: '', text: nextText, flexible: true },
];

/** Terminal width at which every column fits. */
const WIDE = 110;
const SECONDARY: readonly string[] = ['iterations', 'cost', 'branch'];

/** @param together several repositories, whose next command is one for all of them */
export function streamTable(streams: readonly StreamFacts[], io: Io, together = false): readonly string[] {
  const width = widthOf(io);
  // The next command matters more than details that `ralph stream list` and its log show, too.
  const columns = COLUMNS.filter(
    ({ title }) => (width >= WIDE || !SECONDARY.includes(title)) && !(together && title === ''),
  );
  return renderColumns(columns, streams, width, paintFor(io));
}

function stateText({ state, ended, waiting, problem }: StreamFacts): string {
  if (problem !== null) return 'damaged';
  if (state === 'ended') return oneLine(ended ?? 'ended');
  if (waiting !== null && state !== 'cut-off') return waiting.why === 'pause' ? 'paused' : 'waiting';
  return STATE[state][0];
}

function stateTone({ state, ended, waiting, problem }: StreamFacts): Tone {
  if (problem !== null) return 'bad';
  if (state === 'ended') return ended === 'complete' ? 'good' : 'warn';
  return waiting === null ? STATE[state][1] : 'warn';
}

/** What it waits for, or what a person can do. */
function nextText(facts: StreamFacts): string {
  const { state, ended, waiting, unmerged, root, problem, supervised } = facts;
  if (problem !== null) return oneLine(problem);
  if (waiting !== null && state !== 'cut-off') return waitText(facts, waiting);
  const goOn = goOnCommand(root);
  if (state === 'running') return '';
  if (supervised && state !== 'ended') return 'waits for its turn';
  if (state === 'cut-off') return `${goOn} continues it`;
  if (state !== 'ended') return state === 'between' ? `${goOn} continues` : goOn;
  if (ended === 'complete') return goOn.replace(' start ', unmerged > 0 ? ' merge ' : ' remove ');
  return ended === 'blocked' ? `cd ${shellWord(oneLine(root))} && ralph status` : `${goOn} continues`;
}

function waitText({ root, state }: StreamFacts, { until, why }: NonNullable<StreamFacts['waiting']>): string {
  if (why === 'pause') return `cd ${shellWord(oneLine(root))} && ralph resume`;
  const end = until === null ? 'waits' : `waits until ${clockTime(until, Date.now())}`;
  return state === 'running' ? end : `${end}; then ${goOnCommand(root)} continues`;
}

const TEXT: Readonly<Record<Stopped, (now: boolean) => string>> = {
  asked: (now) =>
    now
      ? "stops now; the agent's work of this iteration is kept in a rescue"
      : 'stops after this iteration; at once: ralph stream stop --now',
  ended: () => 'stopped: it was not running, and its run is ended now',
  nothing: () => 'has no run to stop',
};

/** `ralph stream stop [N…]`: all of them where none is named. */
export async function stopStreams(names: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const all = (await streamsHere(flags, io)).filter(({ tree }) => !tree.missing);
  const chosen = names.length === 0 || names.join() === 'all' ? all : named(all, names);
  const now = isOn(flags, 'now');
  const openRun = turnPorts(io, false, { idle: true });
  const done: { readonly stream: string; readonly stopped: Stopped }[] = [];
  for (const { stream, tree } of chosen)
    done.push({ stream, stopped: await stopStream({ tree, now, openRun, env: io.env, flags: {} }) });
  const lines = done.map(({ stream, stopped }) => `${oneLine(stream)} ${TEXT[stopped](now)}`);
  return printResult(io, flags, done, lines.length === 0 ? [NO_STREAMS] : lines);
}

export async function removeStream(names: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  for (const { git, stream, tree } of named(await streamsHere(flags, io), names)) {
    const removed = await removeStreamTree({ git, tree, force: isOn(flags, 'force'), env: io.env });
    printResult(io, flags, { stream, ...removed }, [
      `${oneLine(stream)}: its worktree is removed${removed.branch ? `; the branch ${oneLine(removed.branch)} stays` : ''}`,
      ...(removed.kept ? [`git could not read its contents; the folder is kept: ${oneLine(removed.kept)}`] : []),
      ...(removed.rescue ? [`its contents: ralph rescue show ${removed.rescue}`] : []),
    ]);
  }
  return 0;
}

const LOOK_EVERY_MS = 500;

/** `ralph stream logs N`: the last run as it was printed; with `--follow` until it ends. */
export async function streamLogs(names: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  for (const { stream, tree } of named(await streamsHere(flags, io), names)) {
    const { root } = tree;
    const run = (await listRuns(root)).at(-1);
    if (run === undefined)
      throw new UsageError({ what: `${stream} has no run yet`, fix: [`ralph stream start ${shellWord(stream)}`] });
    const log = isOn(flags, 'json') ? jsonSink(io) : createRunLog({ io, verbose: false, now: systemClock.now });
    const file = await openEventFile(root, run);
    try {
      await show(file, isOn(flags, 'follow'), log);
    } finally {
      log.close();
      file.close();
    }
  }
  return 0;
}

/** Agents can write to its file: a line that is not an event is skipped. */
async function show(file: EventFile, follow: boolean, log: EventSink): Promise<void> {
  let isOver = false;
  const see: EventSink = (event) => {
    if (!hasShape(event)) return;
    isOver = event.type === 'run-end';
    log(event);
  };
  await file.advance(see);
  while (follow && !isOver) {
    await systemClock.sleep(LOOK_EVERY_MS);
    await file.advance(see);
  }
}
