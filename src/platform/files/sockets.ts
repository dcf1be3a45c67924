import * as fs from 'node:fs/promises';
import { lstat, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import { hostName, processExists, processId } from '../process/process-facts.ts';
import { readText } from './files.ts';

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
    const lists = await Promise.all(some.map((folder) => readdir(folder, { withFileTypes: true }).catch(() => [])));
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
  return lstat(path).then(
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
