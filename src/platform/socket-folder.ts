import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from './clock.ts';
import { hostName, processExists, processId } from './process/process-facts.ts';

/** Bytes of a socket's path that every system takes: macOS has 104, the closing zero among them. */
const LONGEST_PATH = 103;

/** Bytes kept for the name of a socket in the folder. */
const LONGEST_NAME = 20;

/** File in the folder that says where its process was; no socket is called so. */
const PLACE = 'place';

/** Ids of processes count for one container, and several may share a temp folder: where made elsewhere, what is young stays. */
const LEFT_FOR_MS = 60 * 60 * 1000;

/**
 * A new private folder (0700) for sockets, its name `prefix`, this process's id, and more; symbolic links resolved. In
 * the system's temp folder where the paths of sockets in it stay short enough, else in /tmp or /var/tmp. What processes
 * that were killed left there under this prefix is removed: at once where they ran here, else after an hour.
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

/** What ids of processes count for: this container, since this start of the machine. */
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
  // Only our own: in a folder of somebody else, he could put a link in the way while it is being emptied.
  const ours = found.isDirectory() && found.uid === process.getuid?.();
  if (!ours) return;
  const here = (await fs.readFile(join(folder, PLACE), 'utf8').catch(() => '')) === (await placeOfIds());
  if (here || found.mtimeMs < systemClock.now() - LEFT_FOR_MS) await fs.rm(folder, { recursive: true, force: true });
}
