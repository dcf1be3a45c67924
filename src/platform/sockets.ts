import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from './clock.ts';
import { readText } from './files/files.ts';
import { hostName, processExists, processId } from './process/self.ts';
import { refuseMissing, SpawnFailed } from './process/start-child.ts';

/** Longest socket path, in bytes, that every system accepts: macOS has 104, including the terminating zero. */
const LONGEST_PATH = 103;

/** Bytes reserved for the name of a socket in the folder. */
const LONGEST_NAME = 20;

/** File in the folder that says where its process ran; no socket has this name. */
const PLACE = 'place';

/**
 * Process ids are unique within one container, and several containers may share a temp folder: a young folder made
 * elsewhere stays.
 */
const LEFT_FOR_MS = 60 * 60 * 1000;

/**
 * A new private folder (0700) for sockets; its name is `prefix`, this process's id, and more; symbolic links resolved.
 * In the system's temp folder where the paths of its sockets stay short enough, else in /tmp or /var/tmp. Folders that
 * killed processes left there under this prefix are removed: at once where they ran here, else after an hour.
 */
export async function makeSocketFolder(prefix: string): Promise<string> {
  const named = `${prefix}${processId()}-`;
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) {
    const real = await fs.realpath(parent).catch(() => null);
    // mkdtemp adds six characters.
    if (real === null || Buffer.byteLength(join(real, `${named}XXXXXX`)) + 1 + LONGEST_NAME > LONGEST_PATH) continue;
    const made = await fs.mkdtemp(join(real, named)).catch(() => null);
    if (made === null) continue;
    await fs.writeFile(join(made, PLACE), await placeOfIds());
    await removeLeft(real, prefix);
    return made;
  }
  throw new Error('no temp folder has a path short enough for a socket');
}

/** Where process ids are unique: this container, since the machine last started. */
async function placeOfIds(): Promise<string> {
  const boot = await fs.readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const space = await fs.readlink('/proc/self/ns/pid').catch(() => '');
  return [hostName(), boot.trim(), space].join('\n');
}

/** Never rejects. */
async function removeLeft(parent: string, prefix: string): Promise<void> {
  const names = await fs.readdir(parent).catch(() => []);
  const left = names.filter((name) => {
    const id = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined;
    return id !== undefined && !processExists(Number(id));
  });
  await Promise.all(left.map((name) => removeOld(join(parent, name)).catch(() => {})));
}

async function removeOld(folder: string): Promise<void> {
  const found = await fs.lstat(folder);
  // Only this user's own: in another user's folder, that user could put a link in the way while it is being emptied.
  const ours = found.isDirectory() && found.uid === process.getuid?.();
  if (!ours) return;
  const here = (await fs.readFile(join(folder, PLACE), 'utf8').catch(() => '')) === (await placeOfIds());
  if (here || found.mtimeMs < systemClock.now() - LEFT_FOR_MS) await fs.rm(folder, { recursive: true, force: true });
}

/** Most entries that a search looks at. */
const MAX_ENTRIES = 200_000;
const MAX_MS = 2000;
/** Folders read at a time. */
const AT_A_TIME = 64;
/** How long a socket may take to answer a connection. */
const ANSWER_MS = 200;

/**
 * Unix sockets below a folder that a process listens on, found by searching its folders (links not followed), up to a
 * limit of entries and time. A socket file that no process listens on does not count.
 */
export async function findSockets(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [root];
  const until = Date.now() + MAX_MS;
  let seen = 0;
  // Near folders first: what is cut off lies deep.
  while (folders.length > 0 && seen < MAX_ENTRIES && Date.now() < until) {
    const some = folders.splice(0, AT_A_TIME);
    const lists = await Promise.all(some.map((folder) => fs.readdir(folder, { withFileTypes: true }).catch(() => [])));
    for (const [at, entries] of lists.entries()) {
      seen += entries.length;
      for (const entry of entries) {
        if (entry.isDirectory()) folders.push(join(some[at] ?? root, entry.name));
        else if (entry.isSocket()) found.push(join(some[at] ?? root, entry.name));
      }
    }
  }
  const isAlive = await Promise.all(found.map(answers));
  return found.filter((_, at) => isAlive[at]);
}

/** Unix sockets below a folder that processes in this machine's network have bound by their full path, right now. */
export async function boundSockets(root: string): Promise<readonly string[]> {
  const lines = ((await readText('/proc/net/unix')) ?? '').split('\n');
  const paths = lines.flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  return [...new Set(paths)].filter((path) => path.startsWith(`${root}/`));
}

/** Whether there is a socket at this path. */
export async function isSocket(path: string): Promise<boolean> {
  return fs.lstat(path).then(
    (found) => found.isSocket(),
    () => false,
  );
}

/** Anything but a refusal counts as an answer. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const end = (alive: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(alive);
    };
    const timer = setTimeout(end, ANSWER_MS, true);
    socket.once('connect', () => end(true));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => end(code !== 'ECONNREFUSED' && code !== 'ENOENT'));
  });
}

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
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (inside) => connectTo(socket, inside));
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new BridgeFailed(`port ${port} cannot be listened on inside: ${error.message}`, 125));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}

/** Copies bytes both ways, each way ending separately; an error on one side becomes an error on the other. */
function connectTo(path: string, inside: Socket): void {
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
