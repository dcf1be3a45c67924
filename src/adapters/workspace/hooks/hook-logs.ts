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
  withoutSecrets,
} from '../../../platform/index.ts';
import { foldSession, type HookLog, type SessionState } from '../../../rules/hooks/index.ts';
import { STATE_FOLDER } from '../paths.ts';

/** The logs that hooks write, in `.ralph/` or, outside a project, in ralph's own state folder. */
type HookLogFile = HookLog | 'hook-errors.log';

const KILOBYTE = 1024;
/** Size in bytes at which a log is rotated. */
const FULL: Readonly<Record<HookLogFile, number>> = {
  'failure-context.log': 100 * KILOBYTE,
  'session.log': 1024 * KILOBYTE,
  'sessions.log': 1024 * KILOBYTE,
  'activity.log': 1024 * KILOBYTE,
  'hook-errors.log': 1024 * KILOBYTE,
};

/** Rotating takes microseconds: an older claim belongs to a process that died. */
const STALE_CLAIM_MS = 10_000;

/**
 * Adds an entry to a log in `.ralph/` of a work tree.
 * @throws the file system's error, and when `.ralph/` is not a folder: a link might lead out of the work tree
 */
export function appendHookLog(root: string, log: HookLogFile, entry: string): void {
  const folder = `${root}/${STATE_FOLDER}`;
  if (!isFolderSync(folder)) throw new Error(`${folder} is no folder`);
  appendToLog(folder, log, entry);
}

/**
 * Adds an entry, which ends with a newline, to a log. Safe with any number of concurrent processes: no entry is torn,
 * and none is lost until the older generation that contains it is replaced (`x.log` → `x.1.log`).
 * @param folder absolute; created when it is missing
 * @throws the file system's error
 */
export function appendToLog(folder: string, log: HookLogFile, entry: string): void {
  const path = `${folder}/${log}`;
  makePrivateDirSync(folder);
  if (isFull(path, log)) rotate(folder, log);
  appendTextSync(path, withoutSecrets(entry));
}

/** The whole content of a log, the older generation first. */
export function readHookLog(folder: string, log: HookLogFile): string {
  return `${readTextSync(older(folder, log)) ?? ''}${readTextSync(`${folder}/${log}`) ?? ''}`;
}

/**
 * One process at a time, and each checks again once it holds the claim: a second move would replace the full log with
 * the new one and its few entries. A process that does not get the claim appends to the current file.
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

/** The stored state of a session, from the `session.log` of a folder; a session that is not in it is new. */
export function readSession(folder: string, session: string): SessionState {
  return foldSession(readHookLog(folder, 'session.log'), session);
}

/** Variables that say where a user's state lives. */
type Env = Readonly<Record<string, string | undefined>>;

/**
 * The folder of a session's logs: `.ralph/` of its project; elsewhere ralph's own state folder, as a hook leaves no
 * traces in projects that do not use ralph. A `.ralph` that is a link does not count: it may lead anywhere. Creates
 * nothing: most calls write nothing, and the guard must decide even where nothing can be written.
 */
export function hookFolder(root: string, home: string, env: Env): string {
  const own = `${root}/${STATE_FOLDER}`;
  if (isFolderSync(own)) return own;
  const state = env['XDG_STATE_HOME']?.startsWith('/') ? env['XDG_STATE_HOME'] : `${home}/.local/state`;
  return `${state}/ralph/sessions`;
}
