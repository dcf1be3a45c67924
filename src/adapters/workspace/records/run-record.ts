import { RUN_RECORD_VERSION, type RunRecord } from '../../../contracts/state/run-record.ts';
import { writePrivate } from '../../../platform/files/private.ts';
import { putBackStateFile, readStateFile, type StateFileKind, wrongField } from './state-file.ts';

const KIND: StateFileKind = {
  name: 'run record',
  version: RUN_RECORD_VERSION,
  wrongField: (value) =>
    wrongField(value, {
      run: 'string',
      startedAt: 'number',
      host: 'string',
      pid: 'number',
      specDir: 'string',
      baseline: '?array',
      maxIterations: 'number',
      ended: '?object',
    }),
  mend: 'start again: a new run begins; commits, ledger and rescues of the old one are untouched',
};

/**
 * The run that holds, or last held, the lock; null before the first.
 * @throws StateError when it is unreadable (the original is kept aside) or of a later version.
 */
export async function readRunRecord(stateDir: string): Promise<RunRecord | null> {
  return (await readStateFile(`${stateDir}/run.json`, KIND)) as RunRecord | null;
}

/** Replaces the run record, atomically and fsynced. */
export async function writeRunRecord(stateDir: string, record: RunRecord): Promise<void> {
  await writePrivate(`${stateDir}/run.json`, textOf(record));
}

/** Writes it again where the file says something else, which is kept; the file's path then, else null. */
export async function putBackRunRecord(stateDir: string, record: RunRecord): Promise<string | null> {
  const path = `${stateDir}/run.json`;
  return (await putBackStateFile(path, Buffer.from(textOf(record)))) ? path : null;
}

function textOf(record: RunRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/**
 * A name for a new run such as `20261121-233015-k3f9`: UTC, so that names sort by start time wherever they were made,
 * and four random characters against two starts in one second.
 */
export function newRunId(now: number): string {
  const time = new Date(now).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  // Nothing to guess here, so no node:crypto, which takes long to load. The padding is for a number that ends early.
  return `${time}-${Math.random().toString(36).slice(2, 6).padEnd(4, '0')}`;
}
