import { putBackRunRecord } from '../../adapters/workspace/records/run-record.ts';
import { putBackStateFile } from '../../adapters/workspace/records/state-file.ts';
import { chmod, makeDir, readBytes, remove, stat } from '../../platform/files/files.ts';
import type { RunContext } from '../context.ts';

/** The loop's own state as it is before anybody else's program runs. */
export interface StateGuard {
  /**
   * Puts back what was changed since, and keeps what was there instead as `<file>.bad-<n>`.
   * @returns the paths that were changed; the folder alone when it was gone
   */
  putBack(): Promise<readonly string[]>;
}

const USABLE = 0o700;

/**
 * Holds in memory what decides about attempts, breaker, limits and budgets. While this run has the lock nobody but the
 * loop writes the ledger and the run record; to `steering.jsonl` people append, so that only what stood there must
 * stand. The journal is written anew by the next phase, and the shadow git dir makes itself again.
 */
export async function guardState(context: RunContext): Promise<StateGuard> {
  const { stateDir } = context.git.repo;
  const [ledgerPath, steeringPath] = [`${stateDir}/ledger.jsonl`, `${stateDir}/steering.jsonl`];
  const [ledger, steering] = await Promise.all([readBytes(ledgerPath), readBytes(steeringPath)]);
  return {
    async putBack() {
      const wasThere = await ensureFolder(stateDir);
      await ensureFolder(`${stateDir}/journal`);
      const changed = [
        (await putBackStateFile(ledgerPath, ledger)) ? ledgerPath : null,
        await putBackRunRecord(stateDir, context.record),
        (await putBackSteering(steeringPath, steering)) ? steeringPath : null,
      ].filter((path) => path !== null);
      return wasThere ? changed : [stateDir];
    },
  };
}

async function putBackSteering(path: string, before: Uint8Array | null): Promise<boolean> {
  if (before === null) return false;
  const now = (await stat(path))?.kind === 'file' ? await readBytes(path) : null;
  if (now !== null && Buffer.compare(now.subarray(0, before.length), before) === 0) return false;
  return putBackStateFile(path, before);
}

/** Something else in its place makes way. @returns whether it was there */
async function ensureFolder(path: string): Promise<boolean> {
  const found = await stat(path);
  if (found?.kind === 'dir') {
    if ((found.mode & USABLE) !== USABLE) await chmod(path, found.mode | USABLE);
    return true;
  }
  if (found !== null) await remove(path);
  await makeDir(path);
  return false;
}
