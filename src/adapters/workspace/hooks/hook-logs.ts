import {
  appendTextSync,
  claimFileSync,
  isFolderSync,
  makePrivateDirSync,
  modifiedSync,
  moveSync,
  readTextSync,
  removeSync,
  sizeSync,
} from '../../../platform/files/files-sync.ts';
import { withoutSecrets } from '../../../platform/secrets.ts';
import type { HookLog } from '../../../rules/hooks/api.ts';
import { STATE_FOLDER } from '../paths.ts';

/** The logs that hooks write, in `.ralph/` or, outside a project, in ralph's own state folder. */
export type HookLogFile = HookLog | 'hook-errors.log';

const KILOBYTE = 1024;
/** Bytes from which on a log is rotated. */
const FULL: Readonly<Record<HookLogFile, number>> = {
  'failure-context.log': 100 * KILOBYTE,
  'session.log': 1024 * KILOBYTE,
  'sessions.log': 1024 * KILOBYTE,
  'activity.log': 1024 * KILOBYTE,
  'hook-errors.log': 1024 * KILOBYTE,
};

/** Rotating takes microseconds: a claim that is older than this belongs to a process that died. */
const STALE_CLAIM_MS = 10_000;

/**
 * Adds an entry to a log in `.ralph/` of a work tree.
 * @throws the file system's error, and when `.ralph/` is no folder: a link might lead out of the work tree
 */
export function appendHookLog(root: string, log: HookLogFile, entry: string): void {
  const folder = `${root}/${STATE_FOLDER}`;
  if (!isFolderSync(folder)) throw new Error(`${folder} is no folder`);
  appendToLog(folder, log, entry);
}

/**
 * Adds an entry, which ends with a newline, to a log. Safe beside any number of other processes: no entry is torn, and
 * none is lost until it has aged out with the generation before (`x.log` → `x.1.log`).
 * @param folder absolute; made when it is missing
 * @throws the file system's error
 */
export function appendToLog(folder: string, log: HookLogFile, entry: string): void {
  const path = `${folder}/${log}`;
  makePrivateDirSync(folder);
  if (isFull(path, log)) rotate(folder, log);
  appendTextSync(path, withoutSecrets(entry));
}

/** Everything that is there of a log, the older generation first. */
export function readHookLog(folder: string, log: HookLogFile): string {
  return `${readTextSync(older(folder, log)) ?? ''}${readTextSync(`${folder}/${log}`) ?? ''}`;
}

/**
 * One process at a time, and each looks again once it is its turn: a second move would put the new log, with a few
 * entries, in the place of the full one. Whoever does not get its turn appends to what is there.
 */
function rotate(folder: string, log: HookLogFile): void {
  const path = `${folder}/${log}`;
  const claim = `${path}.rotating`;
  if (!claimFileSync(claim)) {
    const since = modifiedSync(claim);
    if (since !== null && Date.now() - since > STALE_CLAIM_MS) removeSync(claim);
    return;
  }
  try {
    if (isFull(path, log)) moveSync(path, older(folder, log));
  } finally {
    removeSync(claim);
  }
}

function isFull(path: string, log: HookLogFile): boolean {
  return (sizeSync(path) ?? 0) >= FULL[log];
}

function older(folder: string, log: HookLogFile): string {
  return `${folder}/${log.replace(/\.log$/, '.1.log')}`;
}
