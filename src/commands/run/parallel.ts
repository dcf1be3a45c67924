import { loadOrThrow } from '../../adapters/workspace/backlog/document.ts';
import type { Config } from '../../contracts/config.ts';
import type { RunPorts } from '../../loop/context.ts';
import { systemClock } from '../../platform/clock.ts';
import { finishMoves } from '../../streams/parallel/finish-moves.ts';
import { roundsInLanes } from '../../streams/parallel/rounds.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { prefixedLog } from '../../surfaces/terminal/prefixed-log.ts';
import { type ClosableSink, createRunLog } from '../../surfaces/terminal/run-log.ts';
import { turnPorts } from '../shared/turn-ports.ts';
import { withRunLock } from '../shared/with-run-lock.ts';
import type { RunFlags } from './flags.ts';
import { runLive } from './live.ts';

type Place = Pick<RunPorts, 'git' | 'workspace' | 'clock'>;

/** `ralph run --parallel N`: several stories at once, each in a work tree of its own. @returns the exit code of the run */
export async function runParallel(
  place: Place,
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
  await withRunLock(place.git.repo.stateDir, 'ralph run --parallel', () => finishMoves({ ...place, env: io.env }));
  const open = turnPorts(io, asked.config.isolation !== undefined);
  /** Which lane an iteration is in. */
  const laneOf = new Map<number, number>();
  const rounds = roundsInLanes({
    lanes,
    flags: asked.config,
    // Who is told of the run is not told of each lane.
    openRun: async (at) => ({ ...(await open(at)), see: () => undefined, notices: [] }),
    onIteration: (iteration, lane) => laneOf.set(iteration, lane),
  });
  return runLive(place, config, asked, io, {
    lanes,
    rounds,
    openLog: (to) => logOfLanes(to, asked.verbose, lanes, laneOf),
  });
}

/** One log, in which each line of a lane says so. */
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
