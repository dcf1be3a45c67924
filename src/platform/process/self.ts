import { fstatSync, lstatSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { namesInSync, readTextSync } from '../files/sync.ts';
import { statusOf } from './processes.ts';

export function processId(): number {
  return process.pid;
}

/** Whether a process of this machine has this id, including processes of other users. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** This machine's name, as shown to people who look for the holder of a lock. */
export function hostName(): string {
  return hostname();
}

const passages = new Map<string, number>();

/**
 * A named place where a test can make this process die as by `kill -9`: `RALPH_CRASHPOINT=name`, or `name#3` for the
 * third time it is reached. Does nothing otherwise.
 */
export function crashpoint(name: string): void {
  const armed = process.env['RALPH_CRASHPOINT'];
  if (armed === undefined) return;
  const passage = (passages.get(name) ?? 0) + 1;
  passages.set(name, passage);
  if (armed === name || armed === `${name}#${passage}`) process.kill(process.pid, 'SIGKILL');
}

/** A file that a process has open for writing. */
export interface OutputFile {
  readonly dev: bigint;
  readonly ino: bigint;
  /** Absolute, links resolved; null where the system does not report it (outside Linux). */
  readonly path: string | null;
}

/** O_WRONLY and O_RDWR are the two lowest bits of the flags that Linux shows. */
const ACCESS_MODE = 0b11;

/**
 * The files in which this process's output ends up: those that standard output and error are redirected to, and on
 * Linux those behind a pipe (`| tee run.log`, over several programs) or kept by a parent process (`script`). What may
 * not be read is skipped. Never throws.
 */
export function ownOutputFiles(): readonly OutputFile[] {
  const seen = new Set<string>();
  const files = [1, 2].flatMap((fd) => {
    const file = openFile('self', fd);
    if (file !== null) return [file];
    return process.platform === 'linux' ? filesBehind('self', fd, seen) : [];
  });
  return files.filter((file, at) => files.findIndex(({ dev, ino }) => dev === file.dev && ino === file.ino) === at);
}

/** Files that readers of a pipe write to or feed into another pipe; at a terminal or socket, those of parents. */
function filesBehind(pid: string, fd: number, seen: Set<string>): readonly OutputFile[] {
  const target = orNull(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? '';
  if (seen.has(target)) return [];
  seen.add(target);
  if (target.startsWith('pipe:'))
    return readersOf(target).flatMap((reader) => [
      ...writtenBy(reader),
      ...writtenDescriptors(reader).flatMap((one) => filesBehind(reader, one, seen)),
    ]);
  const isHeld = pid === 'self' && (target.startsWith('socket:') || /^\/dev\/(pts\/|tty)/.test(target));
  return isHeld ? ancestors().flatMap(writtenBy) : [];
}

function writtenBy(pid: string): readonly OutputFile[] {
  return writtenDescriptors(pid).flatMap((fd) => openFile(pid, fd) ?? []);
}

/** Programs read a pipe from their standard input; parent processes may read it from any descriptor. */
function readersOf(pipe: string): readonly string[] {
  const above = new Set(ancestors());
  const isPipe = (pid: string, fd: number) => orNull(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) === pipe;
  return namesInSync('/proc').filter(
    (pid) =>
      /^\d+$/.test(pid) &&
      pid !== String(process.pid) &&
      (isPipe(pid, 0) || (above.has(pid) && descriptors(pid).some((fd) => isPipe(pid, fd) && !isWritten(pid, fd)))),
  );
}

/** The parent processes, nearest first, excluding the first process of the system. */
function ancestors(): readonly string[] {
  const found: string[] = [];
  for (let pid = process.ppid; pid > 1; ) {
    found.push(String(pid));
    pid = Number(statusOf(String(pid))[1] ?? 0);
  }
  return found;
}

function descriptors(pid: string): readonly number[] {
  return namesInSync(`/proc/${pid}/fd`).map(Number);
}

function writtenDescriptors(pid: string): readonly number[] {
  return descriptors(pid).filter((fd) => isWritten(pid, fd));
}

function isWritten(pid: string, fd: number): boolean {
  const info = readTextSync(`/proc/${pid}/fdinfo/${fd}`) ?? '';
  const flags = /^flags:\s*([0-7]+)/m.exec(info)?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & ACCESS_MODE) !== 0;
}

/** null when it is not a regular file. */
function openFile(pid: string, fd: number): OutputFile | null {
  const link = `/proc/${pid}/fd/${fd}`;
  const stat = orNull(() => (pid === 'self' ? fstatSync(fd, { bigint: true }) : statSync(link, { bigint: true })));
  if (!stat?.isFile()) return null;
  return { dev: stat.dev, ino: stat.ino, path: orNull(() => readlinkSync(link)) };
}

/** Whether a path names that file. */
export function isAt(path: string, { dev, ino }: OutputFile): boolean {
  const found = orNull(() => lstatSync(path, { bigint: true }));
  return found !== null && found.dev === dev && found.ino === ino;
}

/** Processes may end during the check, and those of other users cannot be read. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
