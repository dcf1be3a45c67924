import type { Git } from '../../adapters/git/port.ts';
import { readMarker } from '../../adapters/workspace/records/marker.ts';
import { readRunRecord } from '../../adapters/workspace/records/run-record.ts';
import { UsageError } from '../../contracts/errors.ts';
import type { RunRecord } from '../../contracts/state/run-record.ts';
import { lockHolder } from '../../platform/lock/lock.ts';

/** A run that is under way. */
export interface LiveRun {
  readonly run: string;
  /** null while it has only just started. */
  readonly record: RunRecord | null;
}

/** The names that runs have; other holders of the lock are commands. */
const RUN_NAME = /^\d{8}-\d{6}-[a-z0-9]+$/;

/**
 * The run that is under way in this work tree, if any. Its marker tells; where an agent deleted that, or it is not
 * there yet, whoever holds the lock is asked for.
 */
export async function liveRun(git: Git): Promise<LiveRun | null> {
  const { root, stateDir } = git.repo;
  const marker = await readMarker(root);
  const run = marker?.live ? marker.marker.run : await runWithLock(stateDir);
  if (run === null) return null;
  const record = await readRunRecord(stateDir);
  return { run, record: record?.run === run ? record : null };
}

/** The same, or the run that is between two turns: the next one hears what is said. */
export async function openRun(git: Git): Promise<LiveRun | null> {
  const live = await liveRun(git);
  if (live !== null) return live;
  const record = await readRunRecord(git.repo.stateDir);
  return record?.ended === null && record.between ? { run: record.run, record } : null;
}

/**
 * The same for commands that make no sense without one.
 * @throws UsageError
 */
export async function needLiveRun(git: Git): Promise<LiveRun> {
  const open = await openRun(git);
  if (open !== null) return open;
  const record = await readRunRecord(git.repo.stateDir);
  const cutOff = record !== null && record.ended === null;
  throw new UsageError({
    what: 'no run is under way here',
    where: git.repo.root,
    ...(cutOff ? { why: `run ${record.run} was cut off` } : {}),
    mend: [cutOff ? '`ralph run` picks it up where it was' : '`ralph run` starts one', '`ralph status` shows the last'],
  });
}

async function runWithLock(stateDir: string): Promise<string | null> {
  const holder = await lockHolder(`${stateDir}/lock`);
  return holder !== null && RUN_NAME.test(holder.run) ? holder.run : null;
}
