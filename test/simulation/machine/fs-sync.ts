/** Stands in for `node:fs`: the same calls, on the disk of the simulated machine. */

import { diskError } from './disk-error.ts';
import { GONE, machine } from './machine.ts';
import type { Node } from './nodes.ts';

const FLAGS = {
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
  O_CREAT: 0o100,
  O_EXCL: 0o200,
  O_TRUNC: 0o1000,
  O_APPEND: 0o2000,
  O_NONBLOCK: 0o4000,
  O_NOFOLLOW: 0o400000,
  O_DIRECTORY: 0o200000,
  F_OK: 0,
  X_OK: 1,
  W_OK: 2,
  R_OK: 4,
  COPYFILE_EXCL: 1,
};

export { FLAGS as constants };

/** What an `open` may do, from the flags that Node takes: `wx`, `a+`, or the bits of the system. */
function openFlags(flags: string | number) {
  if (typeof flags === 'number') {
    const has = (bit: number) => (flags & bit) !== 0;
    return {
      write: (flags & 3) !== 0,
      append: has(FLAGS.O_APPEND),
      create: has(FLAGS.O_CREAT),
      exclusive: has(FLAGS.O_EXCL),
      truncate: has(FLAGS.O_TRUNC),
      follow: !has(FLAGS.O_NOFOLLOW),
    };
  }
  const kind = flags[0];
  return {
    write: kind !== 'r' || flags.includes('+'),
    append: kind === 'a',
    create: kind !== 'r',
    exclusive: flags.includes('x'),
    truncate: kind === 'w',
    follow: true,
  };
}

/** Nothing that a process does after its end has an effect. */
function disk() {
  const { gone, disk: found } = machine();
  if (gone) throw GONE;
  return found;
}

export function statsOf(node: Node) {
  const size = node.kind === 'file' ? node.size : 0;
  return {
    size,
    mode: node.mode,
    mtimeMs: node.mtimeMs,
    ctimeMs: node.mtimeMs,
    mtime: new Date(node.mtimeMs),
    dev: 1,
    ino: node.ino,
    uid: 1000,
    nlink: 1,
    isFile: () => node.kind === 'file',
    isDirectory: () => node.kind === 'dir',
    isSymbolicLink: () => node.kind === 'link',
    isBlockDevice: () => false,
    isCharacterDevice: () => false,
  };
}

interface StatOptions {
  readonly throwIfNoEntry?: boolean;
}

export function statSync(path: string, options: StatOptions = {}) {
  const node = disk().find(path, true);
  if (!node && options.throwIfNoEntry === false) return undefined;
  return statsOf(node ?? disk().get(path, 'stat'));
}

export function lstatSync(path: string, options: StatOptions = {}) {
  const node = disk().find(path, false);
  if (!node && options.throwIfNoEntry === false) return undefined;
  return statsOf(node ?? disk().get(path, 'lstat', false));
}

export const existsSync = (path: string) => disk().find(path, true) !== null;
const real = (path: string) => disk().real(path);
export const realpathSync = Object.assign(real, { native: real });
export const openSync = (path: string, flags: string | number = 'r') => disk().open(path, openFlags(flags));
export const closeSync = (fd: number) => machine().disk.close(fd);
export const fstatSync = (fd: number) => statsOf(disk().opened(fd).node);
export const fsyncSync = (fd: number) => disk().sync(fd);
export const ftruncateSync = (fd: number, size = 0) => disk().truncate(fd, size);
export const renameSync = (from: string, to: string) => disk().rename(from, to);
export const chmodSync = (path: string, mode: number) => disk().chmod(path, mode);
export const fchmodSync = (fd: number, mode: number) => disk().chmod(disk().opened(fd).path, mode);
export const symlinkSync = (target: string, path: string) => disk().link(target, path);
export const unlinkSync = (path: string) => disk().remove(path, { recursive: false, force: false });
export const rmdirSync = (path: string) => disk().removeDir(path);

export function mkdirSync(path: string, options: { readonly recursive?: boolean } = {}) {
  disk().makeDir(path, options.recursive ?? false);
}

export function rmSync(path: string, options: { readonly recursive?: boolean; readonly force?: boolean } = {}) {
  disk().remove(path, { recursive: options.recursive ?? false, force: options.force ?? false });
}

export function readdirSync(path: string): string[] {
  const node = disk().get(path, 'scandir');
  if (node.kind !== 'dir') throw Object.assign(new Error(`ENOTDIR: scandir '${path}'`), { code: 'ENOTDIR', path });
  return [...node.names.keys()];
}

export function readlinkSync(path: string): string {
  const opened = /^\/proc\/self\/fd\/(\d+)$/.exec(path);
  if (opened) return disk().real(disk().opened(Number(opened[1])).path);
  const node = disk().get(path, 'readlink', false);
  if (node.kind !== 'link') throw Object.assign(new Error(`EINVAL: readlink '${path}'`), { code: 'EINVAL', path });
  return node.target;
}

export function readSync(
  fd: number,
  buffer: Uint8Array,
  offset = 0,
  length = buffer.length,
  position: number | null = null,
) {
  const open = disk().opened(fd);
  const node = disk().file(fd);
  const at = position ?? open.at;
  const bytes = node.data.subarray(Math.min(at, node.size), Math.min(at + length, node.size));
  buffer.set(bytes, offset);
  if (position === null) open.at = at + bytes.length;
  return bytes.length;
}

export function writeSync(fd: number, bytes: Uint8Array | string, offset = 0, length?: number): number {
  const all = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return disk().write(fd, all.subarray(offset, length === undefined ? undefined : offset + length), null);
}

export function readFileSync(
  path: string | number,
  encoding?: string | { readonly encoding?: string },
): Buffer | string {
  const node = typeof path === 'number' ? disk().file(path) : disk().get(path, 'open');
  if (node.kind !== 'file') throw Object.assign(new Error(`EISDIR: read '${path}'`), { code: 'EISDIR' });
  const bytes = Buffer.from(node.data.subarray(0, node.size));
  return encoding ? bytes.toString('utf8') : bytes;
}

export function writeFileSync(
  path: string | number,
  data: string | Uint8Array,
  options: { readonly flag?: string } = {},
): void {
  if (typeof path === 'number') return void writeSync(path, data);
  const fd = openSync(path, options.flag ?? 'w');
  try {
    writeSync(fd, data);
  } finally {
    closeSync(fd);
  }
}

/** A second name is a second file here: nothing is written through one of them. */
export function linkSync(from: string, to: string): void {
  if (existsSync(to)) throw diskError('EEXIST', 'link', to);
  copyFileSync(from, to);
}

export function copyFileSync(from: string, to: string): void {
  writeFileSync(to, readFileSync(from));
}

export function mkdtempSync(prefix: string): string {
  const path = `${prefix}${machine().random.next().toString(36).slice(2, 8)}`;
  mkdirSync(path);
  return path;
}

/** @param mtime seconds, or a moment */
export function utimesSync(path: string, _atime: number | Date, mtime: number | Date): void {
  machine().step('utimes', path);
  disk().get(path, 'utime').mtimeMs = Number(mtime) * (typeof mtime === 'number' ? 1000 : 1);
}

/** What a process that is gone waits for never comes. */
export function fsync(fd: number, done: (error: unknown) => void): void {
  let failure: unknown = null;
  try {
    fsyncSync(fd);
  } catch (error) {
    if (error === GONE) return;
    failure = error;
  }
  queueMicrotask(() => done(failure));
}

export function appendFileSync(path: string, data: string | Uint8Array): void {
  writeFileSync(path, data, { flag: 'a' });
}

/** Nobody is told of changes: callers look now and then by themselves. */
export const watch = () => ({ on: () => {}, close: () => {} });
export const createReadStream = (): never => {
  throw new Error('the simulation streams no files');
};
export const createWriteStream = createReadStream;
export const accessSync = (path: string) => void disk().get(path, 'access');
