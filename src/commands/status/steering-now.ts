import type { Git } from '../../adapters/git/port.ts';
import { readLedger } from '../../adapters/workspace/records/ledger.ts';
import { readSteering } from '../../adapters/workspace/records/steering-file.ts';
import type { Config } from '../../contracts/config.ts';
import type { RunLimits } from '../../contracts/state/run-record.ts';
import { effectiveLimits, limitsOf, type Steering, steeringOf } from '../../rules/steering/steering.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import type { LiveRun } from '../shared/live-run.ts';

/** What was said to a run and holds now; without a run what waits for the next. Unreadable lines become warnings. */
export async function steeringNow(git: Git, live: LiveRun | null, io: Io): Promise<Steering> {
  const { stateDir } = git.repo;
  const [entries, ledger] = await Promise.all([
    readSteering(stateDir, (problem) => io.stderr.write(`warning: ${oneLine(problem)}\n`)),
    readLedger(stateDir),
  ]);
  return steeringOf(entries, ledger, live?.run ?? '');
}

/** The limits of a run as they are now; those that a next run would start with where there is none. */
export function limitsNow(live: LiveRun | null, steering: Steering, config: Config): RunLimits {
  const configured = limitsOf(config);
  if (live === null) return configured;
  const { record } = live;
  // An older record knows one limit: what flags said about the others is in the memory of the run alone.
  const started = record?.limits ?? { ...configured, maxIterations: record?.maxIterations ?? configured.maxIterations };
  return effectiveLimits(started, steering);
}
