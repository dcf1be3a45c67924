import {
  anyObject,
  anything,
  as,
  exactly,
  fits,
  jsonObject,
  listOf,
  nullOr,
  number,
  object,
  RUN_RECORD_VERSION,
  type RunRecord,
  STATUS_VERSION,
  type StatusFile,
  text,
} from '../../../contracts/index.ts';
import { readText, writePrivate } from '../../../platform/index.ts';
import { STATUS_FILE } from '../paths.ts';
import { putBackStateFile, readStateFile, type StateFileKind } from './state-file.ts';

const KIND: StateFileKind = {
  name: 'run record',
  version: RUN_RECORD_VERSION,
  shape: object({
    run: text,
    startedAt: number,
    host: text,
    pid: number,
    specDir: text,
    baseline: nullOr(listOf(anything)),
    maxIterations: number,
    ended: nullOr(anyObject),
  }),
  mend: 'start again: a new run begins; commits, ledger and rescues of the old one are untouched',
};

/**
 * The run that holds, or last held, the lock; null before the first.
 * @throws StateError when it is unreadable (the original is set aside) or of a later version.
 */
export async function readRunRecord(stateDir: string): Promise<RunRecord | null> {
  return (await readStateFile(`${stateDir}/run.json`, KIND)) as RunRecord | null;
}

/** Replaces the run record, atomically and fsynced. */
export async function writeRunRecord(stateDir: string, record: RunRecord): Promise<void> {
  await writePrivate(`${stateDir}/run.json`, textOf(record));
}

/** Restores the record when the file differs; the other content is kept. Returns its path then, else null. */
export async function putBackRunRecord(stateDir: string, record: RunRecord): Promise<string | null> {
  const path = `${stateDir}/run.json`;
  return (await putBackStateFile(path, Buffer.from(textOf(record)))) ? path : null;
}

function textOf(record: RunRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/**
 * A name for a new run such as `20261121-233015-k3f9`: UTC, so that names from any machine sort by start time, and four
 * random characters in case two runs start in the same second.
 */
export function newRunId(now: number): string {
  const time = new Date(now).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  // The name need not be unguessable, so node:crypto is not loaded, which takes long. Short random numbers are padded.
  return `${time}-${Math.random().toString(36).slice(2, 6).padEnd(4, '0')}`;
}

/** Replaces `.ralph/status.json`. Not fsynced: it can be rebuilt from the event log. */
export async function writeStatus(root: string, status: StatusFile): Promise<void> {
  await writePrivate(`${root}/${STATUS_FILE}`, `${JSON.stringify(status, null, 2)}\n`, { fsync: false });
}

/** The last status written; null when there is none or it is unusable (it is only a convenience). */
export async function readStatus(root: string): Promise<StatusFile | null> {
  const status = jsonObject((await readText(`${root}/${STATUS_FILE}`)) ?? '');
  if (status === null) return null;
  const current = status['version'] === 1 ? migrated(status) : status;
  return fits(STATUS, current) ? current : null;
}

const STATUS = as<StatusFile>(
  object({ version: exactly(STATUS_VERSION), run: text, stories: object({ total: number }) }),
);

/** Defaults for fields that version 1 lacks. */
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

function migrated(status: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const phase = status['state'] === 'ended' ? 'ended' : status['mode'] === null ? 'between' : 'agent';
  return { ...ADDED_IN_2, phase, ...status, version: STATUS_VERSION };
}
