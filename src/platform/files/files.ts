// `promises` loads at its first use, which a hook may never reach; `node:fs/promises` at once.
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  promises as fs,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  symlinkSync,
  utimesSync,
  watch,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeTree } from './folder.ts';
import { pathToBytes } from './path-bytes.ts';
import { firstBytes, holdsText, readPieces } from './sync.ts';

// Most of this is asynchronous only in form: a call of `promises` goes through a thread, which takes ten times as long
// as the system call, and an iteration makes hundreds of them.

/** What is at a path, without following symbolic links. */
export interface FileStat {
  readonly kind: 'file' | 'dir' | 'symlink' | 'other';
  /** Bytes. */
  readonly size: number;
  /** Permission bits only, e.g. `0o644`. */
  readonly mode: number;
  readonly mtimeMs: number;
  /** Changes with every modification and cannot be set. */
  readonly ctimeMs: number;
}

/** The bytes of a file; null when it or a folder on the way is missing, and when it is not a plain file. */
export async function readBytes(path: string): Promise<Buffer | null> {
  // What the system makes up, as in /proc, has no size; all else is not asked for its size again.
  return withPlain(path, (fd, size) => (size === 0 ? readFileSync(fd) : firstBytes(fd, size)));
}

/** What is made of a plain file; null as for {@link readBytes}. */
async function withPlain<T>(path: string, use: (fd: number, size: number) => T): Promise<T | null> {
  // Opened without waiting: an agent may have put a FIFO in place of a file, and reading it would never end.
  const fd = orNullSync(() => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  if (fd === null) return null;
  try {
    const stats = fstatSync(fd);
    return stats.isFile() ? use(fd, stats.size) : null;
  } finally {
    closeSync(fd);
  }
}

/** Shows a plain file of this size piece by piece, what another process cuts off left out; false when there is none. */
export async function seeFile(path: string, size: number, see: (piece: Buffer) => unknown): Promise<boolean> {
  const seen = await withPlain(path, (fd, found) => {
    if (found === size) for (const piece of readPieces(fd, size)) see(piece);
    return found === size;
  });
  return seen === true;
}

/** Whether a plain file holds exactly this text. */
export async function isText(path: string, text: string): Promise<boolean> {
  return (await withPlain(path, (fd, size) => holdsText(fd, size, text))) === true;
}

/** The text of a UTF-8 file, including any byte order mark; null as for {@link readBytes}. */
export async function readText(path: string): Promise<string | null> {
  return (await readBytes(path))?.toString('utf8') ?? null;
}

/** Whether anything is at this path, even a dangling link. */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path)) !== null;
}

/** What is at a path (a link is a `symlink`, even a dangling one); null when nothing is. */
export async function stat(path: string): Promise<FileStat | null> {
  // An error costs ten times the call, and most of what an iteration asks for is not there.
  const found = orNullSync(() => lstatSync(path, { throwIfNoEntry: false }));
  if (!found) return null;
  const { size, mode, mtimeMs, ctimeMs } = found;
  return { kind: kindOf(found), size, mode: mode & 0o7777, mtimeMs, ctimeMs };
}

/** Names in a folder, sorted by code unit; empty when the folder is missing. */
export async function list(dir: string): Promise<readonly string[]> {
  return (orNullSync(() => readdirSync(dir)) ?? []).sort();
}

/** Creates a folder and its parents; an existing one is fine. */
export async function makeDir(path: string): Promise<void> {
  mkdirSync(path, { recursive: true });
}

/** The target of a symbolic link; null when there is no link at this path. */
export async function linkTarget(path: string): Promise<string | null> {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** Removes a file, link or whole folder, even while it changes ({@link removeTree}); a missing one is fine. */
export async function remove(path: string): Promise<void> {
  if (await removeTree(path)) return;
  throw Object.assign(new Error(`${path} could not be removed: it is being written to`), { code: 'ENOTEMPTY', path });
}

/** Removes an empty folder; any other stays. */
export async function removeEmptyDir(path: string): Promise<void> {
  try {
    rmdirSync(path);
  } catch {
    return;
  }
}

export async function chmod(path: string, mode: number): Promise<void> {
  chmodSync(path, mode);
}

/** A new private folder whose path starts with a prefix. */
export async function makeNewDir(prefix: string): Promise<string> {
  return mkdtempSync(prefix);
}

/** Creates a symbolic link; fails where something exists already. */
export async function makeLink(target: string, path: string): Promise<void> {
  symlinkSync(target, path);
}

/** Resolves every link of a path that exists. */
export async function realPath(path: string): Promise<string> {
  return realpathSync.native(path);
}

/** Renames within a file system. @param from of any bytes, as `pathFromBytes` has them */
export async function move(from: string, to: string): Promise<void> {
  renameSync(pathToBytes(from), to);
}

/** A new private folder in the system's temp folder, its name starting with `prefix`; symbolic links resolved. */
export async function makeTempDir(prefix: string): Promise<string> {
  return mkdtempSync(join(await tempFolder(), prefix));
}

/** The system's temp folder, symbolic links resolved; /tmp where TMPDIR names none that this user may write to. */
export async function tempFolder(): Promise<string> {
  const named = orNullSync(() => realpathSync.native(tmpdir()));
  return named !== null && (await notWritable(named)) === null ? named : realpathSync.native('/tmp');
}

/** Root of the package that this file belongs to: for the bundle in `dist/` as for the sources. Links resolved. */
export async function packageFolder(): Promise<string> {
  const here = dirname(fileURLToPath(import.meta.url));
  for (let folder = here; folder !== dirname(folder); folder = dirname(folder))
    if (await exists(join(folder, 'package.json'))) return realPath(folder);
  throw new Error(`this installation of ralph is incomplete: no package around ${here}`);
}

/** Copies a file or a whole folder over what is there; links are copied as links. Copy-on-write where the disk can. */
export async function copy(from: string, to: string): Promise<void> {
  await fs.cp(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
}

/**
 * {@link copy} below a folder whose content an agent decided: not through a link there nor over one, which could lead
 * anywhere, and not over something of another kind.
 * @returns whether it was copied
 */
export async function copyBelow(from: string, root: string, path: string): Promise<boolean> {
  const source = await stat(from);
  const steps = path.split('/').filter((step) => step !== '');
  let place = root;
  for (const [at, step] of steps.entries()) {
    place = `${place}/${step}`;
    const there = await stat(place);
    if (there !== null && there.kind !== (at === steps.length - 1 ? source?.kind : 'dir')) return false;
  }
  await makeDir(dirname(place));
  await copy(from, place);
  return true;
}

/** Sets a file's modification time to now; does nothing where there is no file. */
export async function touch(path: string): Promise<void> {
  const now = new Date();
  orNullSync(() => utimesSync(path, now, now));
}

export function kindOf(stats: Stats): FileStat['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'dir';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}

/** The result of a file operation; null when the file, or a folder on the way to it, is missing. */
export async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** The same for a synchronous one. */
export function orNullSync<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** More than a time loses when it is converted to a number of seconds; seconds. */
const ROUNDING = 2e-6;

/**
 * Copies a file with its permission bits and its modification time. The copy's time may be earlier by microseconds,
 * never later: a tool that trusts what is older than a file must not be made to trust more.
 * @returns false when there is no such file
 */
export async function copyWithTime(from: string, to: string): Promise<boolean> {
  const found = orNullSync(() => statSync(from, { throwIfNoEntry: false }));
  if (!found?.isFile()) return false;
  copyFileSync(from, to);
  utimesSync(to, found.atimeMs / 1000, found.mtimeMs / 1000 - ROUNDING);
  return true;
}

export interface Watcher {
  close(): void;
}

/**
 * Calls `onChange` soon after something in a folder changed. Only a hint: where the system cannot watch, or the folder
 * is missing, no call comes, so callers also check from time to time. Keeps no process alive.
 */
export function watchFolder(path: string, onChange: () => void): Watcher {
  try {
    const watcher = watch(path, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return { close: () => {} };
  }
}

/** Bytes that this user may still write there; null where the system does not report it. */
export async function freeBytes(folder: string): Promise<number | null> {
  const facts = await orNull(fs.statfs(folder)).catch(() => null);
  return facts === null ? null : facts.bavail * facts.bsize;
}

/** What keeps a user from writing to a folder. */
export interface NotWritable {
  /** The folder, or its nearest parent that exists. */
  readonly path: string;
  /** It belongs to another user, its permissions are missing, the whole disk is read-only, or it is not a folder. */
  readonly why: 'owner' | 'mode' | 'read-only' | 'file' | 'link';
}

/** Whether this user may create files in the folder, or the folder itself where it does not exist yet; null if so. */
export async function notWritable(path: string): Promise<NotWritable | null> {
  const itself = await orNull(fs.lstat(path)).catch(() => null);
  const found = itself?.isSymbolicLink() ? await orNull(fs.stat(path)).catch(() => null) : itself;
  if (itself !== null && found === null) return { path, why: 'link' };
  if (found !== null && !found.isDirectory()) return { path, why: 'file' };
  try {
    await fs.access(path, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (found === null) return dirname(path) === path ? null : notWritable(dirname(path));
    if (code === 'EROFS') return { path, why: 'read-only' };
    return { path, why: found.uid === process.getuid?.() ? 'mode' : 'owner' };
  }
}

/**
 * Whether `Name` and `nAME` are the same there, as on most macOS disks. Tested with the folder's own name; null where
 * it has no letters.
 */
export async function ignoresCase(folder: string): Promise<boolean | null> {
  const name = basename(folder);
  const turned = name.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  if (turned === name) return null;
  const [own, other] = await Promise.all([fs.stat(folder), fs.stat(join(dirname(folder), turned)).catch(() => null)]);
  return other !== null && other.ino === own.ino && other.dev === own.dev;
}
