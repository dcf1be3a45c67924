import { openGit } from '../../adapters/git/index.ts';
import { describeError } from '../../contracts/errors.ts';
import type { TurnOutcome } from '../../contracts/streams.ts';
import { systemClock } from '../../platform/clock.ts';
import { knowSecrets } from '../../platform/secrets.ts';
import { GivenBack } from '../../streams/engine/given-back.ts';
import type { TakeTurn } from '../../streams/engine/port.ts';
import type { LastingClone } from '../../streams/fleet/lasting-clone.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import type { RawFlags } from '../shared/flags.ts';
import { drainOnSignal } from './drain-on-signal.ts';
import { drainWhenIdle } from './drain-when-idle.ts';
import { withoutFleet } from './fleet-environment.ts';
import { type TurnLog, turnLog } from './turn-log.ts';
import { takeWorkFolder } from './work-folder.ts';
import { parseWorkerFlags, type WorkerFlags } from './worker-flags.ts';

/** Tries of one turn, on whichever workers, before its stream counts as failed. */
const ATTEMPTS = 3;
/** How soon the work tree of a stream that has ended is removed. */
const TIDY_EVERY_MS = 60_000;
const NO_LIMITS = { calls: null, maxCost: null, maxTokens: null };

/** `ralph worker`: takes turns until it is told to stop. */
export async function worker(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const asked = parseWorkerFlags(flags, io);
  // What stands in the command line is for everybody on this machine to see, a password included.
  process.title = 'ralph worker';
  const { fleetKey } = await import('../../streams/fleet/seal.ts');
  const key = fleetKey(io.env['RALPH_FLEET_KEY']);
  knowSecrets([key]);
  const own: Io = { ...io, env: withoutFleet(io.env) };
  const log = turnLog(io, asked.json);
  const folder = await takeWorkFolder(asked.workDir, asked.name, systemClock.now());
  try {
    const work = await workOf(asked, { folder: folder.path, key }, log, own);
    return await workOn(asked, work, log);
  } finally {
    await folder.release();
  }
}

interface Work {
  readonly fleet: LastingClone;
  readonly take: TakeTurn;
}

async function workOn(asked: WorkerFlags, { fleet, take }: Work, log: TurnLog): Promise<number> {
  const { openDbosEngine } = await import('../../streams/engine/dbos/engine.ts');
  const { tidyTurns } = await import('../../streams/fleet/tidy.ts');
  const tell = (text: string) => log.say(asked.name, text);
  const engine = await openDbosEngine({
    url: asked.engine,
    worker: asked.name,
    ...asked.pace,
    options: {
      capacity: asked.capacity,
      // Those of the fleet are with the engine: `ralph fleet submit` sets them.
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

/** How this worker takes a turn: as a stream on this machine does, on what the shared remote has. */
async function workOf(
  asked: WorkerFlags,
  { folder, key }: { readonly folder: string; readonly key: string },
  log: TurnLog,
  io: Io,
): Promise<Work> {
  const { openFleetGit } = await import('../../adapters/git/fleet/open.ts');
  const { fleetTurn } = await import('../../streams/fleet/turn.ts');
  const { lastingClone } = await import('../../streams/fleet/lasting-clone.ts');
  const { secureClone } = await import('../../streams/fleet/secure-clone.ts');
  const { prepareTree } = await import('../../streams/tree.ts');
  const { takeTurn } = await import('../../streams/turn.ts');
  const { turnPorts } = await import('../shared/turn-ports.ts');
  const { env } = io;
  await secureClone(folder, env);
  const { probePlace } = await import('./probe.ts');
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
        log.say(turn.stream, `turn ${turn.n} is given back, which costs no attempt: ${error.message}`);
        if (error.here) log.say(asked.name, 'leaves turns to others for a while');
        throw error;
      }
      log.say(turn.stream, `turn ${turn.n}, attempt ${turn.attempt} of ${ATTEMPTS}, failed`);
      for (const line of describeError(error).split('\n')) log.say(turn.stream, line);
      throw error;
    }
  };
  return { fleet, take };
}

/** What the events of a run do not tell, because it goes on elsewhere. */
function tellEnd(log: TurnLog, stream: string, outcome: TurnOutcome): void {
  if (outcome.kind === 'next') return;
  const ended = outcome.kind === 'done' && outcome.reason !== 'complete' ? `ended: ${outcome.reason}` : 'done';
  const text = outcome.kind === 'later' ? 'waits' : ended;
  log.say(stream, [text, outcome.text].filter(Boolean).join(': '));
}
