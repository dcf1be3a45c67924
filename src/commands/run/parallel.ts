import { loadOrThrow } from '../../adapters/workspace/index.ts';
import type { Config } from '../../contracts/index.ts';
import type { RunPorts } from '../../loop/index.ts';
import { systemClock } from '../../platform/index.ts';
import { finishLandings, roundsInLanes } from '../../streams/index.ts';
import { type ClosableSink, createRunLog, type Io, prefixedLog } from '../../surfaces/terminal/index.ts';
import { withRunLock } from '../shared/open.ts';
import { turnPorts } from '../shared/turn-ports.ts';
import type { RunFlags } from './flags.ts';
import { runLive } from './live.ts';

/** `ralph run --parallel N`: several stories at once, each in its own work tree. @returns the exit code of the run */
export async function runParallel(
  place: Pick<RunPorts, 'git' | 'workspace' | 'clock'>,
  config: Config,
  asked: RunFlags,
  lanes: number,
  io: Io,
): Promise<number> {
  const { document } = await loadOrThrow(place.workspace);
  if (document.format === 'prompt') {
    io.stderr.write('warning: --parallel is for backlogs: a lone prompt is worked on by one agent at a time\n');
    return runLive(place, config, asked, io);
  }
  await withRunLock(place.git.repo.stateDir, 'ralph run --parallel', () => finishLandings({ ...place, env: io.env }));
  const open = turnPorts(io, asked.config.isolation !== undefined);
  /** Iteration → lane. */
  const laneOf = new Map<number, number>();
  const rounds = roundsInLanes({
    lanes,
    flags: asked.config,
    // Receivers are notified about the run, not about each lane.
    openRun: async (at) => ({ ...(await open(at)), see: () => undefined, notices: [] }),
    onIteration: (iteration, lane) => laneOf.set(iteration, lane),
  });
  return runLive(place, config, asked, io, {
    lanes,
    rounds,
    openLog: (to) => logOfLanes(to, asked.verbose, lanes, laneOf),
  });
}

function logOfLanes(io: Io, verbose: boolean, lanes: number, laneOf: ReadonlyMap<number, number>): ClosableSink {
  const names = Array.from({ length: lanes }, (_, i) => `lane ${i + 1}`);
  const open = prefixedLog({ io, verbose, now: systemClock.now, names });
  const own = createRunLog({ io: { ...io, env: { ...io.env, TERM: 'dumb' } }, verbose, now: systemClock.now });
  const logs = new Map<number, ClosableSink>();
  const logOf = (lane: number | undefined): ClosableSink => {
    if (lane === undefined) return own;
    const log = logs.get(lane) ?? open(`lane ${lane}`);
    logs.set(lane, log);
    return log;
  };
  return Object.assign((event: Parameters<ClosableSink>[0]) => logOf(laneOf.get(event.iteration))(event), {
    close: () => {
      for (const log of [own, ...logs.values()]) log.close();
    },
  });
}
