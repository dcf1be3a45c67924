import type { Git } from '../../adapters/git/index.ts';
import { readLedger, readMarker, readRunRecord, readSteering, runAtWork } from '../../adapters/workspace/index.ts';
import { type Config, LockedError, type RunLimits, type RunRecord, UsageError } from '../../contracts/index.ts';
import { effectiveLimits, limitsOf, type Steering, steeringOf } from '../../rules/steering/index.ts';
import { oneLine } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';

export interface LiveRun {
  readonly run: string;
  /** null just after its start. */
  readonly record: RunRecord | null;
}

/**
 * The active run of this work tree, if any. Its marker names it; where an agent deleted that, or it does not exist yet,
 * the holder of the lock counts.
 */
export async function liveRun(git: Git): Promise<LiveRun | null> {
  const { root, stateDir } = git.repo;
  const marker = await readMarker(root);
  const run = marker?.live ? marker.marker.run : await runAtWork(stateDir);
  if (run === null) return null;
  const record = await readRunRecord(stateDir);
  return { run, record: record?.run === run ? record : null };
}

/** @throws LockedError beside an active run: `why`, and ways out */
export async function refuseBesideRun(git: Git, facts: { readonly why?: string; readonly fix: readonly string[] }) {
  const live = await liveRun(git);
  if (live !== null) throw new LockedError({ what: `run ${live.run} is active here`, where: git.repo.root, ...facts });
}

/** The same, or a run between two turns: its next turn gets the request. */
export async function openRun(git: Git): Promise<LiveRun | null> {
  const live = await liveRun(git);
  if (live !== null) return live;
  const record = await readRunRecord(git.repo.stateDir);
  return record?.ended === null && record.between ? { run: record.run, record } : null;
}

/**
 * The same for commands that need an active run.
 * @throws UsageError
 */
export async function needLiveRun(git: Git): Promise<LiveRun> {
  const open = await openRun(git);
  if (open !== null) return open;
  const record = await readRunRecord(git.repo.stateDir);
  const cutOff = record !== null && record.ended === null;
  throw new UsageError({
    what: 'no run is active here',
    where: git.repo.root,
    ...(cutOff ? { why: `run ${record.run} was cut off` } : {}),
    fix: [cutOff ? '`ralph run` continues it' : '`ralph run` starts one', '`ralph status` shows the last one'],
  });
}

/**
 * The steering of a run in effect now; without a run, what waits for the next one. Unreadable lines become warnings.
 */
export async function steeringNow(git: Git, live: LiveRun | null, io: Io): Promise<Steering> {
  const { stateDir } = git.repo;
  const [entries, ledger] = await Promise.all([
    readSteering(stateDir, (problem) => io.stderr.write(`warning: ${oneLine(problem)}\n`)),
    readLedger(stateDir),
  ]);
  return steeringOf(entries, ledger, live?.run ?? '');
}

/** The current limits of a run; without one, the limits the next run would start with. */
export function limitsNow(live: LiveRun | null, steering: Steering, config: Config): RunLimits {
  return live === null ? limitsOf(config) : effectiveLimits(live.record?.limits ?? limitsOf(config), steering);
}
