import { dirname, resolve } from 'node:path';
import { type Env, jsonObject } from '../../../contracts/index.ts';
import {
  appendTextSync,
  claimFileSync,
  isFolderSync,
  isThereSync,
  makePrivateDirSync,
  modifiedSync,
  moveSync,
  readTailSync,
  readTextSync,
  realPathSync,
  removeSync,
  sizeSync,
  withoutSecrets,
  writePrivate,
} from '../../../platform/index.ts';
import { foldSession, type HookLog, type PathFacts, type SessionState } from '../../../rules/hooks/index.ts';
import type { ScriptLookup } from '../../../rules/test-results/index.ts';
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
  if (!isFolderSync(folder)) throw new Error(`${folder} is not a folder`);
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
function readHookLog(folder: string, log: HookLogFile): string {
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

/** In GNU make's search order. */
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
/** Larger ones are generated, and reading them would hold up the agent. */
const MOST_BYTES = 1024 * 1024;

/**
 * The project's own names for commands, read on demand.
 * @param starts absolute folders in which the command may have started, likeliest first: at the end of `cd sub && npm
 * test` the client reports `sub`, so that the path in the command does not exist from there
 */
export function scriptLookup(...starts: readonly string[]): ScriptLookup {
  const first = <T>(folder: string, find: (path: string) => T | null): T | null => {
    for (const start of starts) {
      const found = find(resolve(start, folder.replaceAll('\0', '')));
      if (found !== null) return found;
    }
    return null;
  };
  return {
    packageScript: (folder, name) => first(folder, (path) => packageScript(path, name)),
    makeTarget: (folder, name) => first(folder, (path) => makeTarget(path, name)),
  };
}

function packageScript(folder: string, name: string): string | null {
  try {
    const { scripts } = JSON.parse(readTextSync(`${folder}/package.json`, MOST_BYTES) ?? 'null') ?? {};
    const script: unknown = Object.hasOwn(scripts ?? {}, name) ? scripts[name] : null;
    return typeof script === 'string' ? script : null;
  } catch {
    return null;
  }
}

function makeTarget(folder: string, name: string): string | null {
  for (const file of MAKEFILES) {
    const text = readTextSync(`${folder}/${file}`, MOST_BYTES);
    if (text !== null)
      return recipeOf(text.replace(/(?:(?<![ \t])[ \t]+)?\\\r?\n[ \t]*/g, ' ').split(/\r?\n/), name, new Set());
  }
  return null;
}

/** The commands of a target and of its dependencies, in the order make runs them; null when there are none. */
function recipeOf(lines: readonly string[], target: string, seen: Set<string>): string | null {
  if (seen.has(target)) return null;
  seen.add(target);
  const commands: string[] = [];
  for (const [at, line] of lines.entries()) {
    const [, targets, rest] = /^([^\s#:=][^#:=]*)::?(?!=)(.*)$/.exec(line) ?? [];
    if (targets === undefined || rest === undefined || !targets.split(/\s+/).includes(target)) continue;
    const [prerequisites = '', ...inline] = rest.split(';');
    for (const name of prerequisites.split(/\s+/)) {
      const recipe = name === '' ? null : recipeOf(lines, name, seen);
      if (recipe !== null) commands.push(recipe);
    }
    commands.push(plainCommand(inline.join(';')));
    for (let next = at + 1; lines[next]?.startsWith('\t'); next++) commands.push(plainCommand(lines[next] ?? ''));
  }
  const text = commands.filter((command) => command !== '').join('\n');
  return text === '' ? null : text;
}

/** Without make's own prefixes (silent, ignore errors, always run), and with its `$$` as the shell sees it. */
function plainCommand(line: string): string {
  return line
    .trim()
    .replace(/^[@+-]+\s*/, '')
    .replaceAll('$$', '$');
}

/** Look-ups in the real file system, for hook decisions. */
export const pathFacts: PathFacts = {
  resolve: (path, cwd) => slashed(realPathSync(resolve(cwd, withoutNul(path)))),
  exists: (path) => isThereSync(path),
  readTail: readTailSync,
  sizeOf: sizeSync,
};

/** No file has one in its name, and Node refuses such a path. */
function withoutNul(path: string): string {
  return path.replaceAll('\0', '');
}

/** Rules know only one separator. */
function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

/** The work tree that contains a folder (`.git` is a file in linked ones); without one, the folder itself. */
export function projectRoot(folder: string): string {
  const start = realPathSync(resolve(folder.replaceAll('\0', '')));
  // No folder has such a long name, and checking each of its parents would take too long.
  if (start.length > 4096) return '/';
  for (let at = start; ; at = dirname(at)) {
    if (isThereSync(`${at}/.git`)) return at;
    if (at === dirname(at)) return start;
  }
}

const WINDOWS_FILE = '.ralph/state/context-windows.json';

/** Context windows in tokens by model, as agents reported them in this workspace; empty when none is known. */
export function readContextWindows(root: string): Readonly<Record<string, number>> {
  return parse(readTextSync(`${root}/${WINDOWS_FILE}`));
}

/** Stores windows; writes only new ones. */
export async function keepContextWindows(root: string, windows: Readonly<Record<string, number>>): Promise<void> {
  const known = readContextWindows(root);
  const changed = Object.entries(windows).some(([model, window]) => known[model] !== window);
  if (changed) await writePrivate(`${root}/${WINDOWS_FILE}`, `${JSON.stringify(windows)}\n`, { fsync: false });
}

/** Rebuildable state: unreadable content counts as absent. */
function parse(text: string | null): Readonly<Record<string, number>> {
  const entries = Object.entries(jsonObject(text ?? '') ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}
