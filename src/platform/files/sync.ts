import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

export { renameSync as moveSync } from 'node:fs';

/**
 * Synchronous files, for hooks: a hook reads a few small files and ends, and each `await` would cost more than the
 * reading. Readers answer null for anything that cannot be read.
 */

/** What a run writes is only for the person who started it, even if the umask allows more. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_DIR = 0o700;
export const NEWLINE = 0x0a;

/** The text of a plain UTF-8 file; null when it is no such file, is over `maxBytes`, or cannot be read. */
export function readTextSync(path: string, maxBytes = Number.POSITIVE_INFINITY): string | null {
  return withFile(path, (fd, size) => (size > maxBytes ? null : readFileSync(fd, 'utf8')));
}

/** The last `bytes` of a plain file as text, with its first line possibly cut; null when it cannot be read. */
export function readTailSync(path: string, bytes: number): string | null {
  return withFile(path, (fd, size) => {
    const buffer = Buffer.alloc(Math.min(bytes, size));
    const read = readSync(fd, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8', 0, read);
  });
}

/** Bytes of a plain file; null when there is none. */
export function sizeSync(path: string): number | null {
  const found = attempt(() => statSync(path));
  return found?.isFile() ? found.size : null;
}

/** Milliseconds since the epoch at which a file was last written; null when there is none. */
export function modifiedSync(path: string): number | null {
  return attempt(() => lstatSync(path).mtimeMs);
}

/** Whether anything is at this path, even a dangling link. */
export function isThereSync(path: string): boolean {
  return Boolean(attempt(() => lstatSync(path, { throwIfNoEntry: false })));
}

/** Whether this is a folder itself, not a link to one. */
export function isFolderSync(path: string): boolean {
  return attempt(() => lstatSync(path).isDirectory()) === true;
}

/** Names in a folder; empty where it is missing or closed to this process. */
export function namesInSync(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder)) ?? [];
}

/** Creates a folder and its parents, closed to other users. */
export function makePrivateDirSync(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_DIR });
}

/**
 * An absolute path with every symbolic link on the way resolved, in the file system's own spelling. The part that does
 * not exist yet is kept unchanged; a dangling link leads to where a write through it would land.
 */
export function realPathSync(path: string): string {
  const full = resolve(path);
  return full.length > MOST_CHARACTERS ? full : realPathOf(full, 0);
}

/** No file system accepts a longer path, so it need not be searched folder by folder. */
const MOST_CHARACTERS = 4096;
/** Links in a circle lead nowhere: the limit is that of Linux (path_resolution(7)). */
const MOST_LINKS = 40;

function realPathOf(path: string, links: number): string {
  const real = attempt(() => realpathSync.native(path));
  const parent = dirname(path);
  if (real !== null || parent === path || links > MOST_LINKS) return real ?? path;
  const target = attempt(() => readlinkSync(path));
  if (target !== null) return realPathOf(resolve(realPathOf(parent, links), target), links + 1);
  return join(realPathOf(parent, links), basename(path));
}

/**
 * Opens a plain file for appending. It is created, closed to other users; its folder is not. A symbolic link in its
 * place is refused.
 */
export function openToAppend(path: string): number {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = openSync(path, flags, PRIVATE_FILE);
  if (fstatSync(fd).isFile()) {
    fchmodSync(fd, PRIVATE_FILE);
    return fd;
  }
  closeSync(fd);
  throw noPlainFile(path);
}

/**
 * The error for a path that should hold a file but holds a FIFO, a socket or a device. It has the shape of the system's
 * own errors, so that it is reported like them. What is written to such a path is lost and cannot be waited for
 * (fsync).
 */
export function noPlainFile(path: string): NodeJS.ErrnoException {
  const error = new Error(`ENOTFILE: not a plain file, open '${path}'`);
  return Object.assign(error, { code: 'ENOTFILE', syscall: 'open', path });
}

/**
 * Appends a text to a file in one write, so that writers of several processes do not mix: the system keeps the bytes of
 * one appending write together. A torn last line of a writer that died is closed first, never cut off: another process
 * may be writing it right now. Readers skip empty lines.
 */
export function appendTextSync(path: string, text: string, { fsync = false } = {}): void {
  const fd = openToAppend(path);
  try {
    const bytes = Buffer.from(endsInLine(fd) ? text : `\n${text}`);
    if (writeSync(fd, bytes) < bytes.length) throw new Error(`${path} took only a part of the appended text`);
    if (fsync) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Claims a name by creating an empty file; false when it exists already. */
export function claimFileSync(path: string): boolean {
  const fd = attempt(() => openSync(path, 'wx'));
  if (fd !== null) closeSync(fd);
  return fd !== null;
}

/** Removes a file; a missing file is fine. */
export function removeSync(path: string): void {
  rmSync(path, { force: true });
}

function endsInLine(fd: number): boolean {
  const { size } = fstatSync(fd);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] === NEWLINE;
}

/** Opened without waiting: an agent may have put a FIFO in place of a file, and reading it would never end. */
function withFile<T>(path: string, read: (fd: number, size: number) => T): T | null {
  return attempt(() => {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      return stats.isFile() ? read(fd, stats.size) : null;
    } finally {
      closeSync(fd);
    }
  });
}

/** Reads no more than the measured size, however fast another process appends. */
export function firstBytes(fd: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let filled = 0;
  for (let read = -1; read !== 0 && filled < size; filled += read)
    read = readSync(fd, bytes, filled, size - filled, filled);
  return bytes.subarray(0, filled);
}

/** What is read or written at a time. */
const PIECE_BYTES = 64 * 1024;
// Used again and again: a long run that allocates a buffer for each large file becomes a large process.
let reading: Buffer | null = null;
let writing: Buffer | null = null;

/** What an open file holds up to a size, piece by piece. A piece is good until the next one is asked for. */
export function* readPieces(fd: number, size: number): Generator<Buffer> {
  reading ??= Buffer.allocUnsafe(PIECE_BYTES);
  for (let at = 0, read = -1; at < size && read !== 0; at += read) {
    read = readSync(fd, reading, 0, Math.min(PIECE_BYTES, size - at), at);
    yield reading.subarray(0, read);
  }
}

/** The bytes of a text, likewise. */
export function* textPieces(text: string): Generator<Buffer> {
  writing ??= Buffer.allocUnsafe(PIECE_BYTES);
  const encoder = new TextEncoder();
  for (let at = 0; at < text.length; ) {
    const { read, written } = encoder.encodeInto(text.slice(at), writing);
    yield writing.subarray(0, written);
    at += read;
  }
}

/** Whether an open file of this size holds exactly this text. */
export function holdsText(fd: number, size: number, text: string): boolean {
  if (size !== Buffer.byteLength(text)) return false;
  reading ??= Buffer.allocUnsafe(PIECE_BYTES);
  let at = 0;
  for (const piece of textPieces(text)) {
    const read = readSync(fd, reading, 0, piece.length, at);
    if (!piece.equals(reading.subarray(0, read))) return false;
    at += read;
  }
  return true;
}
/** The result of a file operation; null when it fails. */
export function attempt<T>(operation: () => T): T | null {
  try {
    return operation();
  } catch {
    return null;
  }
}

const STDIN = 0;
const STDOUT = 1;

/**
 * All of standard input as text.
 * @param waits for a process that its client ends when it takes too long: it waits for the input in a plain read as
 * long as it can. That cannot be cancelled, and a process with one under way cannot even end, but `process.stdin` takes
 * a fifth of the time of a bare Node to load.
 * @returns null when it exceeds `maxBytes`, does not end within `patienceMs`, or cannot be read
 */
export function readStandardInput(maxBytes: number, patienceMs: number, waits = false): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  const take = (chunk: Buffer): boolean => {
    chunks.push(chunk);
    size += chunk.length;
    return size <= maxBytes && chunk.length > 0;
  };
  const taken = () => (size > maxBytes ? null : Buffer.concat(chunks).toString('utf8'));
  if (waits && attempt(() => readAll(take))) return Promise.resolve(taken());
  return new Promise((resolve) => {
    const { stdin } = process;
    const timer = setTimeout(() => end(null), patienceMs);
    function end(text: string | null): void {
      clearTimeout(timer);
      // An input that never ends must not keep the process alive.
      stdin.destroy();
      resolve(text);
    }
    stdin.on('error', () => end(null));
    stdin.on('data', (chunk: Buffer) => {
      if (!take(chunk)) end(null);
    });
    stdin.on('end', () => end(taken()));
  });
}

/** @throws where the input is not there yet and cannot be waited for (EAGAIN) */
function readAll(take: (chunk: Buffer) => boolean): true {
  for (;;) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    if (!take(piece.subarray(0, readSync(STDIN, piece)))) return true;
  }
}

/**
 * Writes a whole text to standard output, even where it accepts only parts at a time. Without `process.stdout`, which
 * takes milliseconds to load.
 * @throws when the reader is gone
 */
export function writeStandardOutput(text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(STDOUT, bytes, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
