/** Stands in for `node:fs/promises`: the same calls, on the disk of the simulated machine. */
import * as sync from './fs-sync.ts';
import { GONE, machine } from './machine.ts';

/** What a process waits for that is gone never comes. */
const NEVER = new Promise<never>(() => {});

function soon<T>(operation: () => T): Promise<T> {
  try {
    return Promise.resolve(operation());
  } catch (error) {
    return error === GONE ? NEVER : Promise.reject(error);
  }
}

type Data = string | Uint8Array;
const bytesOf = (data: Data) => (typeof data === 'string' ? Buffer.from(data) : data);

class FileHandle {
  readonly fd: number;

  constructor(fd: number) {
    this.fd = fd;
  }

  stat() {
    return soon(() => sync.fstatSync(this.fd));
  }
  sync() {
    return soon(() => sync.fsyncSync(this.fd));
  }
  datasync() {
    return this.sync();
  }
  close() {
    return soon(() => {
      if (machine().gone) throw GONE;
      sync.closeSync(this.fd);
    });
  }
  truncate(size = 0) {
    return soon(() => sync.ftruncateSync(this.fd, size));
  }
  chmod(mode: number) {
    return soon(() => machine().disk.chmod(machine().disk.opened(this.fd).path, mode));
  }
  writeFile(data: Data) {
    return soon(() => void sync.writeSync(this.fd, bytesOf(data)));
  }
  appendFile(data: Data) {
    return this.writeFile(data);
  }
  write(data: Data) {
    return soon(() => ({ bytesWritten: sync.writeSync(this.fd, bytesOf(data)), buffer: data }));
  }
  read(buffer: Buffer, offset = 0, length = buffer.length, position: number | null = null) {
    return soon(() => ({ bytesRead: sync.readSync(this.fd, buffer, offset, length, position), buffer }));
  }
  readFile(encoding?: string) {
    return soon(() => sync.readFileSync(this.fd, encoding));
  }
}

export type { FileHandle };

export const constants = sync.constants;
export const open = (path: string, flags: string | number = 'r') =>
  soon(() => new FileHandle(sync.openSync(path, flags)));
export const stat = (path: string) => soon(() => sync.statSync(path));
export const lstat = (path: string) => soon(() => sync.lstatSync(path));
export const realpath = (path: string) => soon(() => sync.realpathSync(path));
export const readlink = (path: string) => soon(() => sync.readlinkSync(path));
export const readdir = (path: string) => soon(() => sync.readdirSync(path));
export const rename = (from: string, to: string) => soon(() => sync.renameSync(from, to));
export const rmdir = (path: string) => soon(() => sync.rmdirSync(path));
export const unlink = (path: string) => soon(() => sync.unlinkSync(path));
export const chmod = (path: string, mode: number) => soon(() => sync.chmodSync(path, mode));
export const symlink = (target: string, path: string) => soon(() => sync.symlinkSync(target, path));
export const link = (from: string, to: string) => soon(() => sync.linkSync(from, to));
export const access = (path: string) => soon(() => sync.accessSync(path));
export const mkdir = (path: string, options?: { readonly recursive?: boolean }) =>
  soon(() => sync.mkdirSync(path, options));
export const rm = (path: string, options?: { readonly recursive?: boolean; readonly force?: boolean }) =>
  soon(() => sync.rmSync(path, options));
export const readFile = (path: string, encoding?: string | { readonly encoding?: string }) =>
  soon(() => sync.readFileSync(path, encoding));
export const writeFile = (path: string, data: Data, options?: { readonly flag?: string }) =>
  soon(() => sync.writeFileSync(path, data, options));
export const appendFile = (path: string, data: Data) => soon(() => sync.appendFileSync(path, data));
export const copyFile = (from: string, to: string) => soon(() => sync.copyFileSync(from, to));
export const statfs = () => soon(() => ({ bavail: 1e9, bsize: 4096 }));
export const mkdtemp = (prefix: string) => soon(() => sync.mkdtempSync(prefix));
/** Folders with what is in them; links are not followed. */
export const cp = (from: string, to: string) => soon(() => copyAll(from, to));

function copyAll(from: string, to: string): void {
  const found = sync.lstatSync(from);
  if (found?.isSymbolicLink()) sync.symlinkSync(sync.readlinkSync(from), to);
  else if (found?.isDirectory()) {
    sync.mkdirSync(to, { recursive: true });
    for (const name of sync.readdirSync(from)) copyAll(`${from}/${name}`, `${to}/${name}`);
  } else sync.writeFileSync(to, sync.readFileSync(from) as Buffer);
}

export const utimes = (path: string, atime: number | Date, mtime: number | Date) =>
  soon(() => sync.utimesSync(path, atime, mtime));
