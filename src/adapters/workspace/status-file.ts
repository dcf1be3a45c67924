import type { StatusFile } from '../../contracts/state.ts';
import { writeAtomic } from '../../platform/atomic-file.ts';
import { readText } from '../../platform/files.ts';
import { STATUS_FILE } from './paths.ts';

/** Replaces `.ralph/status.json`. Not fsynced: it can be rebuilt from the ledger. */
export async function writeStatus(root: string, status: StatusFile): Promise<void> {
  await writeAtomic(`${root}/${STATUS_FILE}`, `${JSON.stringify(status, null, 2)}\n`, { fsync: false });
}

/** The last status written; null when there is none or it cannot be used (it is only a convenience). */
export async function readStatus(root: string): Promise<StatusFile | null> {
  const text = await readText(`${root}/${STATUS_FILE}`);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isStatus(value) ? value : null;
  } catch {
    return null;
  }
}

function isStatus(value: unknown): value is StatusFile {
  if (typeof value !== 'object' || value === null) return false;
  const status = value as Partial<StatusFile>;
  return status.version === 1 && typeof status.run === 'string' && typeof status.stories?.total === 'number';
}
