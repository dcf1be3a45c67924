import { STATUS_VERSION, type StatusFile } from '../../../contracts/state/status-file.ts';
import { readText } from '../../../platform/files/files.ts';
import { writePrivate } from '../../../platform/files/private.ts';
import { STATUS_FILE } from '../paths.ts';

/** Replaces `.ralph/status.json`. Not fsynced: it can be rebuilt from the event log. */
export async function writeStatus(root: string, status: StatusFile): Promise<void> {
  await writePrivate(`${root}/${STATUS_FILE}`, `${JSON.stringify(status, null, 2)}\n`, { fsync: false });
}

/** The last status written; null when there is none or it cannot be used (it is only a convenience). */
export async function readStatus(root: string): Promise<StatusFile | null> {
  const text = await readText(`${root}/${STATUS_FILE}`);
  if (text === null) return null;
  try {
    const value: unknown = migrated(JSON.parse(text));
    return isStatus(value) ? value : null;
  } catch {
    return null;
  }
}

/** What version 1 did not say yet. */
const ADDED_IN_2 = {
  startedAt: null,
  pid: null,
  used: 0,
  agent: null,
  tool: null,
  contextPercent: null,
  waiting: null,
  breaker: 'closed',
  verdicts: {},
} satisfies Partial<StatusFile>;

function migrated(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const status = value as Readonly<Record<string, unknown>>;
  if (status['version'] !== 1) return value;
  const phase = status['state'] === 'ended' ? 'ended' : status['mode'] === null ? 'between' : 'agent';
  return { ...ADDED_IN_2, phase, ...status, version: STATUS_VERSION };
}

function isStatus(value: unknown): value is StatusFile {
  if (typeof value !== 'object' || value === null) return false;
  const status = value as Partial<StatusFile>;
  return (
    status.version === STATUS_VERSION && typeof status.run === 'string' && typeof status.stories?.total === 'number'
  );
}
