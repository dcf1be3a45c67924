import { type ChildProcess, type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';

/**
 * Starts a program and resolves once it runs, with a known pid. Rejects with {@link SpawnFailed}, in each of three
 * ways the system uses to report the failure.
 */
export function startChild<T extends ChildProcess>(
  file: string,
  args: readonly string[],
  options: SpawnOptions & { cwd: string },
): Promise<T & { pid: number }> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(new SpawnFailed(file, options.cwd, cause));
    try {
      const child = spawn(file, args, options);
      // Stays attached: a later error (a failed kill) must not be an uncaught one.
      child.on('error', fail);
      child.once('spawn', () => resolve(child as T & { pid: number }));
    } catch (cause) {
      fail(cause);
    }
  });
}

/** A program could not be started: it is missing, not executable, or the system refused. */
export class SpawnFailed extends Error {
  /** `ENOENT`, `EACCES`, `E2BIG`, … */
  readonly code: string;
  readonly file: string;
  constructor(file: string, cwd: string, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException | null)?.code ?? 'UNKNOWN';
    // The system reports ENOENT for a missing working folder too, which misleads people.
    super(
      existsSync(cwd) ? `cannot start ${file} (${code})` : `cannot start ${file}: the folder ${cwd} does not exist`,
      { cause },
    );
    this.name = 'SpawnFailed';
    this.code = code;
    this.file = file;
  }
}

/** The paths at which a shell with this PATH looks for a program (execvp(3)). */
function placesOf(file: string, path: string | undefined, cwd = '/'): readonly string[] {
  const folders = file.includes('/') ? [''] : (path || '/bin:/usr/bin').split(':');
  return folders.map((folder) => resolve(cwd, folder, file));
}

/** Absolute path of the program that a shell with this PATH would start; null when there is none. */
export function findProgram(file: string, path: string | undefined): string | null {
  return placesOf(file, path).find(isProgram) ?? null;
}

/** A non-executable file of that name where the program would be looked for; null when there is none. */
export function findUnexecutable(file: string, path: string | undefined): string | null {
  const isFile = (place: string) => statSync(place, { throwIfNoEntry: false })?.isFile() ?? false;
  return placesOf(file, path).find((place) => isFile(place) && !isProgram(place)) ?? null;
}

/** Whether anything is at this path. Synchronous: for use while looking for a program. */
export const isThere: (path: string) => boolean = existsSync;

/** Throws {@link SpawnFailed} for a program that the system would not start: missing, not executable, no folder. */
export function refuseMissing(
  file: string,
  { cwd, env = process.env }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv | undefined },
): void {
  const places = placesOf(file, env['PATH'], cwd);
  if (existsSync(cwd) && places.some(isProgram)) return;
  throw new SpawnFailed(file, cwd, { code: places.some(isThere) ? 'EACCES' : 'ENOENT' });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** A program whose input and output are pipes of this process. */
export type PipedChild = ChildProcessByStdio<Socket, Socket, Socket> & { readonly pid: number };

/**
 * Starts a program in a separate session, so that Ctrl-C does not reach it. Its input ends with this process, however
 * that ends. Rejects with `SpawnFailed`.
 */
export async function startPiped(
  file: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<PipedChild> {
  const child = await startChild<PipedChild>(file, args, { cwd, env, stdio: 'pipe', detached: true });
  child.stdin.on('error', () => {});
  return child;
}

/** From here on the child no longer keeps this process alive. */
export function letGo(child: PipedChild): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.unref();
}

/** How a process ended: exactly one of the two is set. */
export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/**
 * Checks of the pipes after the exit: this many in a row without new output, at most this many in all, this far apart.
 */
const QUIET_LOOKS = 5;
const MAX_LOOKS = 40;
const LOOK_EVERY_MS = 50;

/**
 * Resolves when a process has ended and its output has been read. Does not rely on `close`: a grandchild that keeps the
 * pipes open would delay that forever. After the exit the pipes are drained until they end or stay silent for 250 ms
 * (at most 2 s if the grandchild keeps writing), then closed on this side.
 */
export function childExit(child: ChildProcess): Promise<Exit> {
  const pipes = [child.stdout, child.stderr].filter((pipe) => pipe !== null);
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => {
      void drain(pipes).then(() => resolve({ exitCode, signal }));
    });
  });
}

async function drain(pipes: readonly Readable[]): Promise<void> {
  const open = pipes.filter((pipe) => !pipe.closed);
  if (open.length === 0) return;
  await new Promise<void>((resolve) => {
    let news = false;
    let quiet = 0;
    let looks = 0;
    const notice = () => {
      news = true;
    };
    const finish = () => {
      clearInterval(timer);
      for (const pipe of open) pipe.off('data', notice).destroy();
      resolve();
    };
    // A count of checks rather than one deadline: after this process was busy for long, a deadline would have passed
    // while unread output still waits for the event loop.
    const timer = setInterval(() => {
      looks += 1;
      quiet = news ? 0 : quiet + 1;
      news = false;
      if (quiet >= QUIET_LOOKS || looks >= MAX_LOOKS) finish();
    }, LOOK_EVERY_MS);
    let left = open.length;
    for (const pipe of open) {
      pipe.on('data', notice);
      pipe.once('close', () => {
        left -= 1;
        if (left === 0) finish();
      });
    }
  });
}
