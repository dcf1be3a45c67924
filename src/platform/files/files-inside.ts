import {
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  promises as fs,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FileStat, kindOf, orNullSync } from './files.ts';
import { unlockFolder } from './folder.ts';
import { isGitTrap } from './nested-git.ts';
import { pathFromBytes } from './path-bytes.ts';
import { attempt, firstBytes, holdsText } from './sync.ts';

const MIB = 1024 * 1024;

/** The bytes found, or why there are none. `why` completes "the file …"; null when nothing is there. */
type FoundInside<Bytes = Buffer> = { readonly bytes: Bytes } | { readonly bytes: null; readonly why: string | null };

/**
 * Reads a file of a folder in which a process may write that cannot read all that this one can: a link in place of the
 * file, or of a folder on the way, must not fetch what lies elsewhere for it. Only a plain file is read whose real path
 * is below the real `root` and not in a git dir, and that has at most `maxBytes`.
 */
export function readInside(root: string, path: string, maxBytes: number): Promise<FoundInside> {
  return fromInside(root, path, maxBytes, firstBytes);
}

/** The same for a file that mostly holds what is known: then the text itself is the answer. */
export function readKnown(
  root: string,
  path: string,
  maxBytes: number,
  known: string | undefined,
): Promise<FoundInside<Buffer | string>> {
  return fromInside(root, path, maxBytes, (fd, size) =>
    known !== undefined && holdsText(fd, size, known) ? known : firstBytes(fd, size),
  );
}

async function fromInside<Bytes>(
  root: string,
  path: string,
  maxBytes: number,
  read: (fd: number, size: number) => Bytes,
): Promise<FoundInside<Bytes>> {
  try {
    const place = placeInside(root, path);
    if ('why' in place) return { bytes: null, why: place.why };
    const fd = openSync(place.real, FLAGS);
    try {
      const opened = whatIsOpen(fd, place);
      if ('why' in opened) return { bytes: null, why: opened.why };
      if (opened.size > maxBytes) return { bytes: null, why: `is larger than ${Math.floor(maxBytes / MIB)} MB` };
      return { bytes: read(fd, opened.size) };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return { bytes: null, why: whyNot(error) };
  }
}

/** A plain file open for reading, as it was when opened; or why there is none, as in {@link FoundInside}. */
export type OpenedInside =
  | {
      readonly file: fs.FileHandle;
      /** Bytes. */
      readonly size: number;
      /** Identifies the file itself: another file in its place has a different identity. */
      readonly identity: string;
    }
  | { readonly file: null; readonly why: string | null };

/** Opens a file as {@link readInside} does, for files that are read in parts. The caller closes it. */
export async function openInside(root: string, path: string): Promise<OpenedInside> {
  try {
    const place = placeInside(root, path);
    if ('why' in place) return { file: null, why: place.why };
    const file = await fs.open(place.real, FLAGS);
    try {
      const opened = whatIsOpen(file.fd, place);
      if (!('why' in opened)) return { file, ...opened };
      await file.close();
      return { file: null, why: opened.why };
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    return { file: null, why: whyNot(error) };
  }
}

const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

interface Place {
  readonly real: string;
  readonly realRoot: string;
}

type None = { readonly why: string | null };

function placeInside(root: string, path: string): Place | None {
  const full = `${root}/${path}`;
  const real = orNullSync(() => realpathSync.native(full));
  if (real === null) return { why: orNullSync(() => lstatSync(full)) === null ? null : 'is a broken link' };
  const realRoot = realpathSync.native(root);
  return isInProject(real, realRoot) ? { real, realRoot } : { why: LEADS_OUT };
}

function whatIsOpen(fd: number, { real, realRoot }: Place): { size: number; identity: string } | None {
  const stats = fstatSync(fd);
  // Checked again: another process may have put a link on the way between the check and the open. Linux knows where an
  // open file is from the file itself; elsewhere the path is resolved again.
  const now = orNullSync(() => readlinkSync(`/proc/self/fd/${fd}`)) ?? realpathSync.native(real);
  if (!isInProject(now, realRoot)) return { why: LEADS_OUT };
  return stats.isFile() ? { size: stats.size, identity: `${stats.dev}:${stats.ino}` } : { why: 'is not a plain file' };
}

/** Whether a path is this folder or below it, by their text: both absolute, without `.` and `..`. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}

/** The same for real paths of a project, excluding its git dirs: they hold what an isolation covers. */
export function isInProject(path: string, root: string): boolean {
  return isWithin(path, root) && !path.slice(root.length).split('/').includes('.git');
}

function whyNot(error: unknown): string | null {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return code === 'ENOENT' || code === 'ENOTDIR' ? null : `cannot be read (${code})`;
}

const LEADS_OUT = 'is a link that leads out of the work tree, or lies behind one';

/** A larger file cannot be saved in time; apparent size, so that a sparse file counts in full. */
const MOST_BYTES = 2 * 1024 ** 3;
/** Of a path below the root: longer or deeper ones cannot be named, and therefore not deleted either. */
const MOST_CHARACTERS = 2_000;
const MOST_DEPTH = 100;
/** Rebuilt by tools, and ignored by git: the loop never walks through them. */
const PASSED_OVER: ReadonlySet<string> = new Set(['.git', 'node_modules']);
/** What is `.git` on other systems: git takes no such name into a tree. */
const REFUSED = /^(\.git|git~1)[ .]*(?:[:\\].*)?$/is;
/** Set-user-id and set-group-id. */
const PRIVILEGED = 0o6000;
/** Entries to look at before other tasks get a turn. */
const ENTRIES_AT_ONCE = 2_000;

/** What a checkpoint cannot hold of a tree. */
interface Excess {
  /** Relative to the root. */
  readonly path: string;
  readonly why: 'huge' | 'deep' | 'device' | 'name' | 'trap';
  /** Apparent, in bytes. */
  readonly bytes: number;
}

interface Found {
  readonly excess: readonly Excess[];
  /** Files that ran with the rights of their owner or group, until now. */
  readonly privileged: readonly string[];
}

/**
 * Searches a tree for what changed since a time and is too large or too deep to be saved, rolled back or deleted by
 * name, or is not allowed there. The time of change comes from the kernel, and no program can set it. Folders that were
 * closed to their owner since are opened: nothing may hide there, and the loop writes in some. Set-id bits are removed.
 * @param since epoch ms
 * @param records folder of the caller's own files, passed over
 */
export async function findExcess(root: string, since: number, records: string): Promise<Found> {
  const excess: Excess[] = [];
  const privileged: string[] = [];
  const top = Buffer.from(root).toString('latin1');
  const unlock = (path: string | Buffer, { mode, ctimeMs }: Stats) => {
    if (ctimeMs >= since) unlockFolder(path, mode);
  };
  unlock(root, lstatSync(root));
  // Names are bytes here: nothing hides behind one that is not UTF-8.
  const queue: string[] = [''];
  let seen = 0;
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    for (const name of attempt(() => readdirSync(nativePath(root, folder), 'latin1')) ?? []) {
      seen += 1;
      if (seen % ENTRIES_AT_ONCE === 0) await nextTurn();
      const path = folder === '' ? name : `${folder}/${name}`;
      const native = nativePath(root, path);
      const found = attempt(() => lstatSync(native, { throwIfNoEntry: false }));
      if (!found) continue;
      const add = (why: Excess['why'], bytes = 0) => void excess.push({ path: textOf(path), why, bytes });
      if (REFUSED.test(name) && name !== '.git' && found.ctimeMs >= since) {
        add('name');
        continue;
      }
      if (name === '.git' && folder !== '' && isGitTrap(`${top}/${path}`)) add('trap');
      if (found.isSymbolicLink()) continue;
      if (found.isDirectory()) {
        if (PASSED_OVER.has(name) || path === records) continue;
        if (path.length > MOST_CHARACTERS || path.split('/').length > MOST_DEPTH) add('deep');
        else {
          unlock(native, found);
          queue.push(path);
        }
        continue;
      }
      if (found.ctimeMs < since) continue;
      if (found.isBlockDevice() || found.isCharacterDevice()) add('device');
      else if (found.isFile() && found.size > MOST_BYTES) add('huge', found.size);
      else if (found.isFile() && (found.mode & PRIVILEGED) !== 0) {
        attempt(() => chmodSync(native, found.mode & 0o1777));
        privileged.push(textOf(path));
      }
    }
  }
  return { excess, privileged };
}

function textOf(path: string): string {
  return ORDINARY.test(path) ? path : pathFromBytes(Buffer.from(path, 'latin1'));
}

/** The type of a path, and its permission bits. */
export type RawMode = Pick<FileStat, 'kind' | 'mode'>;

const PERMISSIONS = 0o7777;
/** The same in every encoding. */
const ORDINARY = /^[\x20-\x7e]*$/;

/**
 * Looks at many paths below a folder without following links; null where nothing is. Synchronous calls cost a tenth of
 * asynchronous ones, each of which goes through a thread.
 * @param paths relative, one character per byte
 */
export async function rawModes(root: string, paths: readonly string[]): Promise<readonly (RawMode | null)[]> {
  const found: (RawMode | null)[] = [];
  for (const path of paths) {
    if (found.length > 0 && found.length % ENTRIES_AT_ONCE === 0) await nextTurn();
    found.push(look(root, path));
  }
  return found;
}

/**
 * The folders in each of these folders, links left out; what cannot be read has none.
 * @param folders relative, one character per byte, as are those returned
 */
export async function foldersIn(root: string, folders: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [at, folder] of folders.entries()) {
    if (at > 0 && at % ENTRIES_AT_ONCE === 0) await nextTurn();
    for (const entry of entriesOf(nativePath(root, folder)))
      if (entry.isDirectory()) found.push(folder === '' ? entry.name : `${folder}/${entry.name}`);
  }
  return found;
}

function entriesOf(folder: string | Buffer): readonly Dirent[] {
  return attempt(() => readdirSync(folder, { withFileTypes: true, encoding: 'latin1' })) ?? [];
}

function nativePath(root: string, path: string): string | Buffer {
  return ORDINARY.test(path)
    ? `${root}/${path}`
    : Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

function look(root: string, path: string): RawMode | null {
  const full = nativePath(root, path);
  try {
    const stats = lstatSync(full, { throwIfNoEntry: false });
    return stats === undefined ? null : { kind: kindOf(stats), mode: stats.mode & PERMISSIONS };
  } catch (error) {
    // Below a file, or in an unreadable folder: git has reported what it could not read.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR' || code === 'EACCES' || code === 'ENOENT') return null;
    throw error;
  }
}
