import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from './folder.ts';

/** What is at a path, symbolic links not followed. */
export interface FileStat {
  readonly kind: 'file' | 'dir' | 'symlink' | 'other';
  /** Bytes. */
  readonly size: number;
  /** Permission bits only, e.g. `0o644`. */
  readonly mode: number;
  readonly mtimeMs: number;
  /** Moves with every change, and cannot be set. */
  readonly ctimeMs: number;
}

/** The bytes of a file; null when it, or a folder on the way to it, is missing, and when it is no plain file. */
export async function readBytes(path: string): Promise<Uint8Array | null> {
  return readPlain(path);
}

/** The text of a UTF-8 file with its byte order mark, if any; null as for {@link readBytes}. */
export async function readText(path: string): Promise<string | null> {
  return (await readPlain(path))?.toString('utf8') ?? null;
}

/** Opened without waiting: an agent may have put a FIFO where a file was, and reading that would never end. */
async function readPlain(path: string): Promise<Buffer | null> {
  const file = await orNull(fs.open(path, constants.O_RDONLY | constants.O_NONBLOCK));
  if (file === null) return null;
  try {
    return (await file.stat()).isFile() ? await file.readFile() : null;
  } finally {
    await file.close();
  }
}

/** Is there anything at this path, be it a dangling link? */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path)) !== null;
}

/** What is at a path (a link is a `symlink`, whatever it points to); null when nothing is. */
export async function stat(path: string): Promise<FileStat | null> {
  const found = await orNull(fs.lstat(path));
  if (found === null) return null;
  const { size, mode, mtimeMs, ctimeMs } = found;
  return { kind: kindOf(found), size, mode: mode & 0o7777, mtimeMs, ctimeMs };
}

/** Names in a folder, sorted by code unit; none when the folder is missing. */
export async function list(dir: string): Promise<readonly string[]> {
  const names = await orNull(fs.readdir(dir));
  return (names ?? []).sort();
}

/** Makes a folder and those above it; fine when it exists. */
export async function makeDir(path: string): Promise<void> {
  await fs.mkdir(path, { recursive: true });
}

/** Gives a file, link or folder another name, in the same file system. */
export async function move(from: string, to: string): Promise<void> {
  await fs.rename(from, to);
}

/** What a symbolic link says; null when there is none at this path. */
export async function linkTarget(path: string): Promise<string | null> {
  return fs.readlink(path).catch(() => null);
}

/** Removes a file, link or whole folder, whatever happens in it meanwhile ({@link removeTree}); fine when missing. */
export async function remove(path: string): Promise<void> {
  if (await removeTree(path)) return;
  throw Object.assign(new Error(`${path} could not be removed: it is being written to`), { code: 'ENOTEMPTY', path });
}

/** Removes a folder that nothing is in; any other stays. */
export async function removeEmptyDir(path: string): Promise<void> {
  await fs.rmdir(path).catch(() => undefined);
}

/** A new private folder in the system's temp folder, its name starting with `prefix`; symbolic links resolved. */
export async function makeTempDir(prefix: string): Promise<string> {
  return fs.mkdtemp(join(await tempFolder(), prefix));
}

/** A new private folder whose path starts with `prefix`. */
export async function makeNewDir(prefix: string): Promise<string> {
  return fs.mkdtemp(prefix);
}

/** The system's temp folder, symbolic links resolved: /tmp as well where TMPDIR names none, as most programs have it. */
export async function tempFolder(): Promise<string> {
  const named = await orNull(fs.realpath(tmpdir()));
  const isFolder = named !== null && (await fs.stat(named)).isDirectory();
  return isFolder ? named : fs.realpath('/tmp');
}

/** Copies a file or a whole folder over what is there; links are copied as they are. Copy-on-write where the disk can. */
export async function copy(from: string, to: string): Promise<void> {
  await fs.cp(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
}

/** Makes a symbolic link at `path`; fails where something is there already. */
export async function makeLink(target: string, path: string): Promise<void> {
  await fs.symlink(target, path);
}

/** The path with every symbolic link resolved; throws when it does not exist. */
export async function realPath(path: string): Promise<string> {
  return fs.realpath(path);
}

/** Makes now the time of a file's last change; nothing happens where there is none. */
export async function touch(path: string): Promise<void> {
  const now = new Date();
  await orNull(fs.utimes(path, now, now));
}

/** Sets permission bits. */
export async function chmod(path: string, mode: number): Promise<void> {
  await fs.chmod(path, mode);
}

function kindOf(stats: Stats): FileStat['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'dir';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}

/** What a file operation gives; null when the file, or a folder on the way to it, is missing. */
export async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
