import type { Git } from '../adapters/git/port.ts';
import { readMarker } from '../adapters/workspace/marker.ts';
import { readRunRecord } from '../adapters/workspace/run-record.ts';
import { UsageError } from '../contracts/errors.ts';
import type { RunRecord } from '../contracts/state.ts';
import { tryLock } from '../platform/lock.ts';
import { hostName, processId } from '../platform/process-facts.ts';

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
  const run = marker?.live ? marker.marker.run : await lockHolder(stateDir);
  if (run === null) return null;
  const record = await readRunRecord(stateDir);
  return { run, record: record?.run === run ? record : null };
}

/** The same for commands that make no sense without one. @throws UsageError */
export async function needLiveRun(git: Git): Promise<LiveRun> {
  const live = await liveRun(git);
  if (live !== null) return live;
  const record = await readRunRecord(git.repo.stateDir);
  const cutOff = record !== null && record.ended === null;
  throw new UsageError({
    what: 'no run is under way here',
    where: git.repo.root,
    ...(cutOff ? { why: `run ${record.run} was cut off` } : {}),
    mend: [cutOff ? '`ralph run` picks it up where it was' : '`ralph run` starts one', '`ralph status` shows the last'],
  });
}

/** Taking the lock is the one sure way to learn that nobody has it; it is given back at once. */
async function lockHolder(stateDir: string): Promise<string | null> {
  const startedAt = new Date().toISOString();
  const lock = await tryLock(`${stateDir}/lock`, { pid: processId(), host: hostName(), startedAt, run: 'ralph' });
  if ('heldBy' in lock) return lock.heldBy !== null && RUN_NAME.test(lock.heldBy.run) ? lock.heldBy.run : null;
  await lock.release();
  return null;
}
