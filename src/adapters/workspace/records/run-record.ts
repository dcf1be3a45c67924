import {
  anyObject,
  anything,
  as,
  exactly,
  fits,
  jsonObject,
  LockedError,
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
import {
  type Lock,
  type LockHolder,
  lockHolder,
  readText,
  systemClock,
  tryLock,
  writePrivate,
} from '../../../platform/index.ts';
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
  fix: 'start again: a new run begins; commits, ledger and rescues of the old one are untouched',
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
  return fits(STATUS, status) ? status : null;
}

const STATUS = as<StatusFile>(
  object({ version: exactly(STATUS_VERSION), run: text, stories: object({ total: number }) }),
);

/** The form of run names; other holders of the lock are commands. */
const RUN_NAME = /^\d{8}-\d{6}-[a-z0-9]+$/;

/** The active run of a work tree; null when there is none. */
export async function runAtWork(stateDir: string): Promise<string | null> {
  const holder = await lockHolder(`${stateDir}/lock`);
  return holder !== null && RUN_NAME.test(holder.run) ? holder.run : null;
}

/** The names commands use as holders; they hold the lock only briefly. Every other holder is a run. */
const COMMAND = /^ralph\b/;
const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 25;

/**
 * Takes the one lock of a work tree. Waits while a command holds it, but not for a run.
 * @throws LockedError (exit 4) naming its holder.
 */
export async function acquireRunLock(
  stateDir: string,
  holder: LockHolder,
  patienceMs: number = PATIENCE_MS,
): Promise<Lock> {
  const until = systemClock.now() + patienceMs;
  for (;;) {
    const result = await tryLock(`${stateDir}/lock`, holder);
    if (!('heldBy' in result)) return result;
    const { heldBy } = result;
    // A holder whose name cannot be read may be about to release the lock.
    if ((heldBy !== null && !isCommand(heldBy)) || systemClock.now() >= until) throw lockedError(heldBy);
    await systemClock.sleep(LOOK_EVERY_MS);
  }
}

function isCommand(holder: LockHolder): boolean {
  return COMMAND.test(holder.run);
}

function lockedError(held: LockHolder | null): LockedError {
  const where = held === null ? {} : { where: `pid ${held.pid} on ${held.host}, since ${held.startedAt}` };
  if (held !== null && isCommand(held)) {
    return new LockedError(
      {
        what: `\`${held.run}\` is running in this work tree`,
        ...where,
        why: 'two changes at once would undo each other',
        fix: ['wait for it to end, then try again'],
      },
      false,
    );
  }
  return new LockedError({
    what: held === null ? 'another run works on this work tree' : `run ${held.run} works on this work tree`,
    ...where,
    why: 'two runs in one work tree would undo each other',
    fix: [
      '`ralph status` shows how far it is',
      'wait for it to end, or stop it: `ralph stop`, or Ctrl-C in its terminal',
    ],
  });
}
