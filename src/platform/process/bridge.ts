import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { constants } from 'node:os';
import { refuseMissing } from './find-program.ts';
import { SpawnFailed } from './spawn-failed.ts';

export interface BridgeInput {
  /** Folder of the gateway's sockets. */
  readonly sockets: string;
  /** Name of the socket in it → port of the loopback that leads to it. */
  readonly ports: ReadonlyMap<string, number>;
  /** Most processes and threads of the user; 0 leaves that to others. */
  readonly processes: number;
  readonly file: string;
  readonly args: readonly string[];
}

/** The network or the command could not be made ready. */
export class BridgeFailed extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Shells disagree on the option: -u in bash, zsh and busybox, -p in dash. */
const LIMITED = 'n=$1; shift; ulimit -u "$n" 2>/dev/null || ulimit -p "$n" 2>/dev/null; exec "$@"';

/** What a terminal or a supervisor sends to have a program end. */
const ASKING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Whoever ends a whole tree signals each of its processes; then the command has the signal already, and a second one
 * would cut short what many programs do at the first. So it is passed on only to one that still runs after this.
 */
const PASS_ON_AFTER_MS = 1000;

/**
 * The network of the inside: ports of the loopback, each leading to a unix socket of the host. Starts the command when
 * all of them listen, and resolves with its exit code (a signal is 128 + its number) when it has ended. Whatever asks
 * it to end before asks the command.
 *
 * @throws BridgeFailed
 */
export async function runBridged(input: BridgeInput): Promise<number> {
  if (!isFolder(input.sockets)) throw new BridgeFailed(`there is no folder of sockets: ${input.sockets}`, 125);
  await Promise.all([...input.ports].map(([name, port]) => listen(port, `${input.sockets}/${name}`)));
  // Before it starts: the signal may come while its first words are on their way.
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
  // Half open: a client that has said all it has to say still waits for the answer.
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (inside) => join(inside, socket));
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new BridgeFailed(`port ${port} cannot be listened on inside: ${error.message}`, 125));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}

/** Bytes both ways, each way ended by itself; an error of one side is one for the other. */
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
