import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { constants } from 'node:os';
import { refuseMissing, SpawnFailed } from './start-child.ts';

interface BridgeInput {
  /** Folder of the gateway's sockets. */
  readonly sockets: string;
  /** Name of a socket in that folder → loopback port that leads to it. */
  readonly ports: ReadonlyMap<string, number>;
  /** Most processes and threads of the user; 0 sets no limit here. */
  readonly processes: number;
  readonly file: string;
  readonly args: readonly string[];
}

/** The network or the command could not be prepared. */
export class BridgeFailed extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Shells use different options: -u in bash, zsh and busybox, -p in dash. */
const LIMITED = 'n=$1; shift; ulimit -u "$n" 2>/dev/null || ulimit -p "$n" 2>/dev/null; exec "$@"';

/** Signals that a terminal or a supervisor sends to ask a program to end. */
const ASKING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * A program that ends a whole tree signals each of its processes; the command then has the signal already, and a second
 * one would cut short what many programs do at the first. So it is passed on only to a command that still runs after
 * this time.
 */
const PASS_ON_AFTER_MS = 1000;

/**
 * The network of the inside: loopback ports, each leading to a unix socket of the host. Starts the command when all of
 * them listen, and resolves with its exit code (a signal is 128 + its number) when it has ended. A signal that asks
 * this process to end earlier is passed on to the command.
 *
 * @throws BridgeFailed
 */
export async function runBridged(input: BridgeInput): Promise<number> {
  if (!isFolder(input.sockets)) throw new BridgeFailed(`there is no folder of sockets: ${input.sockets}`, 125);
  await Promise.all([...input.ports].map(([name, port]) => listen(port, `${input.sockets}/${name}`)));
  // Installed before the command starts: the signal may come during the start.
  let child: ChildProcess | null = null;
  for (const signal of ASKING)
    process.on(signal, () => setTimeout(() => child?.kill(signal), PASS_ON_AFTER_MS).unref());
  child = await start(input);
  return exitCodeOf(child);
}

function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function listen(port: number, socket: string): Promise<void> {
  // Half open: a client that has finished sending still waits for the answer.
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (inside) => join(inside, socket));
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new BridgeFailed(`port ${port} cannot be listened on inside: ${error.message}`, 125));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}

/** Copies bytes both ways, each way ending separately; an error on one side becomes an error on the other. */
function join(inside: Socket, path: string): void {
  const outside = connect({ path, allowHalfOpen: true });
  inside.pipe(outside);
  outside.pipe(inside);
  inside.on('error', () => outside.destroy());
  outside.on('error', () => inside.resetAndDestroy());
  inside.on('close', () => outside.destroy());
  outside.on('close', () => inside.destroy());
}

async function start({ file, args, processes }: BridgeInput): Promise<ChildProcess> {
  try {
    refuseMissing(file, { cwd: process.cwd() });
  } catch (error) {
    if (error instanceof SpawnFailed) throw new BridgeFailed(error.message, 127);
    throw error;
  }
  const limited = ['-c', LIMITED, 'sh', String(processes), file, ...args];
  const child =
    processes > 0 ? spawn('/bin/sh', limited, { stdio: 'inherit' }) : spawn(file, args, { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child));
    child.once('error', (error) => reject(new BridgeFailed(`${file} cannot be started: ${error.message}`, 126)));
  });
}
