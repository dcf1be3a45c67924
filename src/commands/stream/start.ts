import { readDashboardToken, redactedJson } from '../../adapters/workspace/index.ts';
import { ExitCode, type RalphEvent, type StreamStanding } from '../../contracts/index.ts';
import { knowSecrets, systemClock } from '../../platform/index.ts';
import { clockTime, safeLines } from '../../rules/text/index.ts';
import { chooseStreams, type StreamFacts, superviseStreams } from '../../streams/index.ts';
import { type ClosableSink, type Io, jsonSink, prefixedLine, prefixedLog } from '../../surfaces/terminal/index.ts';
import { stayAwake } from '../run/company.ts';
import { parseRunFlags, type RunFlags } from '../run/flags.ts';
import { countOf, type RawFlags } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';
import { printLines } from '../shared/print.ts';
import { turnPorts } from '../shared/turn-ports.ts';
import { withSignals } from '../shared/with-signals.ts';
import { folderHere } from './folder-here.ts';
import { type Streams, settingsOf, streamsOfFolder } from './start-folder.ts';
import { factsOfStreams, streamTable } from './status.ts';

/** The default for streams that share a machine, and mostly a provider. */
const PARALLEL = 2;

/** `ralph stream start [N…]`. @returns 0 when every stream is complete, else the greatest of their exit codes */
export async function startStreams(names: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const asked = parseRunFlags([], flags, io.cwd);
  const parallel = countOf(flags, 'parallel') ?? PARALLEL;
  const folder = await folderHere(flags, io);
  const found = folder === null ? await streamsHere(names, flags, io) : await streamsOfFolder(folder, names, io);
  const { streams, exchange } = found;
  const shared = { ...found.config, ...asked.config };
  knowSecrets([(await readDashboardToken(io.env)) ?? '']);
  const letSleep = shared.keepAwake ? await stayAwake(io) : async () => {};
  const show = showStreams(
    streams.map(({ stream }) => stream),
    asked,
    io,
  );
  try {
    return await withSignals(async (signal) => {
      const standings = await superviseStreams({
        streams,
        exchange,
        parallel,
        limits: { calls: shared.calls, maxCost: shared.maxCost, maxTokens: shared.maxTokens },
        ...ownLimits(asked),
        openRun: turnPorts(io, asked.config.isolation !== undefined),
        env: io.env,
        signal,
        tell: show.tell,
        onRest: (until) => show.tell('all', `wait until ${clockTime(until, Date.now())}, because of a shared limit`),
        onEvent: (stream, event) => show.see(stream, event),
      });
      show.close();
      await showEnd(standings, asked.json, found, flags, io);
      if (signal.aborted && !asked.json) printLines(io, ['', 'stopped by you; the same command continues']);
      return exitCodeOf(standings, signal);
    });
  } finally {
    show.close();
    await letSleep();
  }
}

async function streamsHere(names: readonly string[], flags: RawFlags, io: Io): Promise<Streams> {
  const git = await openProject(flags, io, { toRun: true });
  const config = await settingsOf(git, io);
  const streams = await chooseStreams(git, names);
  return { streams, config, more: async () => [] };
}

/** Limits for all streams together are not limits of each one. */
function ownLimits({ config, request }: RunFlags) {
  const { calls: _, maxCost: __, maxTokens: ___, ...flags } = config;
  const { calls: ____, maxCost: _____, maxTokens: ______, ...given } = request.limits;
  return { flags, given };
}

function showStreams(names: readonly string[], asked: RunFlags, io: Io) {
  const sinks = new Map<string, ClosableSink>();
  const log = prefixedLog({ io, verbose: asked.verbose, now: systemClock.now, names });
  const isNew = names.length > 1 && !asked.json ? firstOfAll() : () => true;
  const sinkFor = (stream: string): ClosableSink => (asked.json ? jsonSink(io, { stream }) : log(stream));
  return {
    see(stream: string, event: RalphEvent) {
      const sink = sinks.get(stream) ?? sinkFor(stream);
      sinks.set(stream, sink);
      if (isNew(event)) sink(event);
    },
    tell(stream: string, text: string) {
      const out = asked.json ? io.stderr : io.stdout;
      for (const line of safeLines(text)) out.write(`${prefixedLine(names, stream, line, io)}\n`);
    },
    close() {
      for (const sink of sinks.values()) sink.close();
    },
  };
}

/** A message that one stream gave holds for all: that nothing isolates them, or that there are no checks. */
function firstOfAll(): (event: RalphEvent) => boolean {
  const said = new Set<string>();
  return (event) => {
    if (event.type !== 'notice' || event.iteration !== 0) return true;
    const key = `${event.level} ${event.text}`;
    if (said.has(key)) return false;
    said.add(key);
    return true;
  };
}

async function showEnd(
  standings: readonly StreamStanding[],
  json: boolean,
  found: Streams,
  flags: RawFlags,
  io: Io,
): Promise<void> {
  if (json) {
    io.stdout.write(`${redactedJson({ type: 'streams', streams: standings })}\n`);
    return;
  }
  const known = new Map((await factsOfStreams([], flags, io)).map((facts) => [facts.stream, facts]));
  const facts = standings.map((standing) => known.get(standing.stream) ?? neverBegun(standing));
  printLines(io, ['', ...streamTable(facts, io, found.exchange !== undefined), ...(await found.more())]);
  // The table has no room for all of it.
  const left = standings.filter(({ ended, state }) => ended?.reason === 'error' || state === 'failed');
  if (left.length > 0)
    printLines(io, ['', ...left.map(({ stream, text }) => prefixedLine([stream], stream, text, io))]);
}

/** It has no work tree that holds more. */
function neverBegun({ stream }: StreamStanding): StreamFacts {
  const nothing = { run: null, ended: null, iterations: 0, maxIterations: null, costUsd: null, waiting: null };
  const place = { stream, root: '', branch: null, base: null, unmerged: 0, supervised: false, stories: null };
  return { ...place, ...nothing, state: 'new', problem: 'could not be started, see below' };
}

function exitCodeOf(standings: readonly StreamStanding[], signal: AbortSignal): number {
  if (signal.aborted) return signal.reason === 'interrupted' ? ExitCode.interrupted : ExitCode.terminated;
  return Math.max(...standings.map(({ ended }) => ended?.exitCode ?? ExitCode.incomplete));
}
