import { openGit } from '../../adapters/git/index.ts';
import { describeError, type EventSink, type ExitCodeValue, type TurnOutcome } from '../../contracts/index.ts';
import { knowSecrets, type Lock, systemClock, thisProcess, tryLock } from '../../platform/index.ts';
import { oneLine } from '../../rules/text/index.ts';
import { type Engine, GivenBack, type TakeTurn } from '../../streams/index.ts';
import { type Io, jsonSink, prefixedLine, prefixedLog } from '../../surfaces/terminal/index.ts';
import type { RawFlags } from '../shared/flags.ts';
import { onSignals } from '../shared/with-signals.ts';
import { isBusy } from './status.ts';
import { parseWorkerFlags, type WorkerFlags, withoutFleet } from './worker-flags.ts';

/** Attempts at one turn, on any workers, before its stream counts as failed. */
const ATTEMPTS = 3;
/** How often work trees of ended streams are removed. */
const TIDY_EVERY_MS = 60_000;
const NO_LIMITS = { calls: null, maxCost: null, maxTokens: null };

export async function worker(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const asked = parseWorkerFlags(flags, io);
  // Every user of this machine can see the command line, a password included.
  process.title = 'ralph worker';
  const { fleetKey } = await import('../../streams/fleet/clone.ts');
  const key = fleetKey(io.env['RALPH_FLEET_KEY']);
  knowSecrets([key]);
  const own: Io = { ...io, env: withoutFleet(io.env) };
  const log = turnLog(io, asked.json);
  const folder = await takeWorkFolder(asked.workDir, asked.name);
  try {
    const work = await workOf(asked, { folder: folder.path, key }, log, own);
    return await workOn(asked, work, log);
  } finally {
    await folder.release();
  }
}

async function workOn(asked: WorkerFlags, work: Awaited<ReturnType<typeof workOf>>, log: TurnLog): Promise<number> {
  const { fleet, take } = work;
  const { openDbosEngine } = await import('../../streams/engine/dbos/engine.ts');
  const { tidyTurns } = await import('../../streams/fleet/tidy.ts');
  const tell = (text: string) => log.say(asked.name, text);
  const engine = await openDbosEngine({
    url: asked.engine,
    worker: asked.name,
    ...asked.pace,
    options: {
      capacity: asked.capacity,
      // The engine has the fleet's limits: `ralph fleet submit` sets them.
      concurrency: null,
      limits: NO_LIMITS,
      usedBefore: async () => ({ costUsd: 0, tokens: 0, calls: [] }),
      attempts: ATTEMPTS,
      turnTimeoutMs: asked.turnTimeoutMs,
    },
  });
  const signals = drainOnSignal(engine, tell);
  const tidied = tidyTurns({ fleet, take, status: engine.status, say: log.say });
  const tidying = setInterval(() => void tidied.tidy(), TIDY_EVERY_MS);
  const stopLooking = asked.once ? drainWhenIdle(engine) : () => {};
  try {
    tell('takes turns');
    await tidied.tidy();
    await engine.work(tidied.take);
    if (signals.exitCode() === null) await tidied.tidy();
  } catch (error) {
    if (signals.exitCode() === null) throw error;
  } finally {
    stopLooking();
    clearInterval(tidying);
    await engine.close();
    signals.end();
  }
  tell('has ended');
  return signals.exitCode() ?? 0;
}

/** How this worker takes a turn: like a stream on this machine, based on the shared remote. */
async function workOf(
  asked: WorkerFlags,
  { folder, key }: { readonly folder: string; readonly key: string },
  log: TurnLog,
  io: Io,
) {
  const { openFleetGit } = await import('../../adapters/git/fleet/open.ts');
  const { fleetTurn } = await import('../../streams/fleet/turn.ts');
  const { lastingClone, secureClone } = await import('../../streams/fleet/clone.ts');
  const { prepareTree } = await import('../../streams/tree.ts');
  const { takeTurn } = await import('../../streams/turn.ts');
  const { turnPorts } = await import('../shared/turn-ports.ts');
  const { env } = io;
  await secureClone(folder, env);
  const { probePlace } = await import('../shared/turn-ports.ts');
  await probePlace(asked.config, folder, io, (text) => log.say(asked.name, text));
  const fleet = await lastingClone(() => openFleetGit({ remote: asked.remote, folder, env, worker: asked.name }));
  const openRun = turnPorts(io, asked.config.isolation !== undefined);
  const turnOf = fleetTurn({
    fleet,
    key,
    clock: systemClock,
    openGit: (root) => openGit(root, { env }),
    say: log.say,
    async take({ root, task, turn }) {
      const { specDir, maxIterations } = task;
      const flags = { ...asked.config, ...(maxIterations === null ? {} : { maxIterations }) };
      const { signal, left, stream } = turn;
      const events = log.open(stream);
      try {
        const tell = (text: string) => log.say(stream, text);
        await prepareTree({ root, specDir, flags, env, openRun, signal, tell, from: null });
        const request = task.resetCircuit === turn.n ? { resetCircuit: true } : {};
        return await takeTurn({ root, specDir, flags, request, left, openRun, env, signal, onEvent: events });
      } finally {
        events.close();
      }
    },
  });
  const take: TakeTurn = async (turn) => {
    try {
      const report = await turnOf(turn);
      tellEnd(log, turn.stream, report.outcome);
      return report;
    } catch (error) {
      if (error instanceof GivenBack) {
        log.say(
          turn.stream,
          `turn ${turn.n} goes back to the queue and does not count as an attempt: ${error.message}`,
        );
        if (error.here) log.say(asked.name, 'pauses: other workers take the turns');
        throw error;
      }
      log.say(turn.stream, `turn ${turn.n}, attempt ${turn.attempt} of ${ATTEMPTS}, failed`);
      for (const line of describeError(error).split('\n')) log.say(turn.stream, line);
      throw error;
    }
  };
  return { fleet, take };
}

/** Prints what the events of a run do not contain, because it continues elsewhere. */
function tellEnd(log: TurnLog, stream: string, outcome: TurnOutcome): void {
  if (outcome.kind === 'next') return;
  const ended = outcome.kind === 'done' && outcome.reason !== 'complete' ? `ended: ${outcome.reason}` : 'done';
  const text = outcome.kind === 'later' ? 'waits' : ended;
  log.say(stream, [text, outcome.text].filter(Boolean).join(': '));
}

/**
 * The first signal lets the worker finish its turns; the second ends them, with their work kept on the remote; the
 * third ends the process at once, like a crash, from which other workers recover.
 * @param tell a line for people; must not throw
 */
function drainOnSignal(engine: Pick<Engine, 'drain' | 'close'>, tell: (text: string) => void) {
  let heard = 0;
  let insisted: ExitCodeValue | null = null;
  const end = onSignals((_, code) => {
    heard += 1;
    if (heard > 2) process.exit(code);
    if (heard === 2) {
      insisted = code;
      tell('stopping the turns in progress; their work is kept on the remote');
      void engine.close().catch(() => undefined);
      return;
    }
    tell('draining: finishing the turns in progress; press Ctrl-C again to stop them');
    void engine.drain().catch((error: unknown) => tell(`draining: ${error instanceof Error ? error.message : error}`));
  });
  // null until a second signal arrives.
  return { exitCode: () => insisted, end };
}

const LOOK_EVERY_MS = 1_000;

/**
 * `ralph worker --once`: drains this worker as soon as no stream is left that continues by itself. @returns stops the
 * polling
 */
function drainWhenIdle(engine: Pick<Engine, 'status' | 'drain'>): () => void {
  let looking = false;
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    try {
      if ((await engine.status()).some(isBusy)) return;
      clearInterval(timer);
      await engine.drain();
    } catch {
      // The database is briefly unreachable: the next poll tries again.
    } finally {
      looking = false;
    }
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

/** The one log of a worker, in which every line names its stream. */
interface TurnLog {
  /** Takes the events of one turn; closed after it. */
  open(stream: string): EventSink & { close(): void };
  /** Writes a line that no event carries. */
  say(stream: string, text: string): void;
}

/** Text for people or, with `json`, one line of JSON per event, which names its stream. */
function turnLog(io: Io, json: boolean): TurnLog {
  // Streams become known as their turns come; known ones share the width and keep their colours.
  const names: string[] = [];
  const log = prefixedLog({ io, verbose: false, now: systemClock.now, names });
  const know = (stream: string) => {
    if (!names.includes(stream)) names.push(stream);
  };
  return {
    open(stream) {
      know(stream);
      return json ? jsonSink(io, { stream }) : log(stream);
    },
    say(stream, text) {
      know(stream);
      const line = oneLine(text);
      if (json) io.stderr.write(`${oneLine(stream)}: ${line}\n`);
      else io.stdout.write(`${prefixedLine(names, stream, line, io)}\n`);
    },
  };
}

/**
 * A folder below `parent` that no other worker of this machine uses: several share the parent, each with its own clone.
 * Takes the first free one, so that a restarted worker finds its previous clone.
 */
async function takeWorkFolder(parent: string, worker: string) {
  const holder = thisProcess(worker);
  for (let n = 1; ; n++) {
    const path = `${parent}/${n}`;
    const lock: Lock | { readonly heldBy: unknown } = await tryLock(`${path}/lock/lock`, holder);
    if (!('heldBy' in lock)) return { path, release: () => lock.release() };
  }
}
