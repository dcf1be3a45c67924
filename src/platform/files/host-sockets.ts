import { lstat, opendir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { readText } from './files.ts';

/** How far a folder is searched. */
const MAX_ENTRIES = 200_000;
const MAX_MS = 2000;
/** For a socket's answer to a connection. */
const ANSWER_MS = 200;

/**
 * Unix sockets below a folder that a process listens at, found by looking into its folders (no links), up to a limit of
 * entries and time. A file that is left of a socket is none.
 */
export async function findSockets(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [root];
  const until = Date.now() + MAX_MS;
  let seen = 0;
  // Near ones first: what is cut off is deep.
  for (let at = 0; at < folders.length && seen < MAX_ENTRIES && Date.now() < until; at += 1) {
    const folder = folders[at] ?? root;
    const entries = await opendir(folder, { bufferSize: 512 }).catch(() => null);
    if (entries === null) continue;
    for await (const entry of entries) {
      seen += 1;
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
      else if (entry.isSocket()) found.push(join(folder, entry.name));
    }
  }
  const isAlive = await Promise.all(found.map(answers));
  return found.filter((_, at) => isAlive[at]);
}

/** Unix sockets below a folder that processes of this machine's network have bound by their whole path, right now. */
export async function boundSockets(root: string): Promise<readonly string[]> {
  const lines = ((await readText('/proc/net/unix')) ?? '').split('\n');
  const paths = lines.flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  return [...new Set(paths)].filter((path) => path.startsWith(`${root}/`));
}

/** Is there a socket at this path? */
export async function isSocket(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSocket(),
    () => false,
  );
}

/** Whatever is not refused is taken for an answer. */
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
