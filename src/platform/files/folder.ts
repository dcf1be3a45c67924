import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  opendirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { attempt } from './sync.ts';

/**
 * Folders that another user's processes may be changing at this moment. Everything here goes step by step from a folder
 * that is held open, and follows no link: between checking a path and using it, a folder on the way could be swapped
 * for a link that leads anywhere.
 */

/** Opens without reading, so that even a folder without any permission can be held. Linux only. */
const O_PATH = 0o10000000;
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Outside Linux a held folder has no path of its own: links are refused there too, but a swap could be missed. */
const HOLDS = process.platform === 'linux';

interface Folder {
  /** A path to the folder itself that still works after the folder is moved. */
  readonly self: string;
  /** Path of something in it. */
  at(name: string): string;
  /** The same for a name that need not be text, one character per byte. */
  atBytes(name: string): Buffer;
  close(): void;
}

/** @throws what `open` throws: ENOENT, ENOTDIR and ELOOP when it is not a folder */
function hold(path: string | Buffer): Folder {
  const fd = openSync(path, HOLDS ? FOLDER | O_PATH : FOLDER);
  const self = HOLDS ? `/proc/self/fd/${fd}` : path.toString();
  const atBytes = (name: string) => Buffer.concat([Buffer.from(`${self}/`), Buffer.from(name, 'latin1')]);
  return { self, at: (name) => join(self, name), atBytes, close: () => closeSync(fd) };
}

/** Holds the folder that contains a file below `root`; null when a step on the way is missing or is not a folder. */
function holdAbove(root: string, path: string): { readonly folder: Folder; readonly name: string } | null {
  const steps = path.split('/');
  const name = steps.pop() ?? '';
  let folder = hold(root);
  for (const step of steps) {
    const above = folder;
    const next = attempt(() => hold(above.at(step)));
    above.close();
    if (next === null) return null;
    folder = next;
  }
  return { folder, name };
}

/** The bytes of a plain file below `root`; null for anything else, and when it is larger than `most` bytes. */
export async function readBelow(root: string, path: string, most: number): Promise<Uint8Array | null> {
  const held = holdAbove(root, path);
  if (held === null) return null;
  const { folder, name } = held;
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await fs.open(folder.at(name), flags).catch(() => null);
    if (file === null) return null;
    try {
      const found = await file.stat();
      return found.isFile() && found.size <= most ? await file.readFile() : null;
    } finally {
      await file.close();
    }
  } finally {
    folder.close();
  }
}

/** Writes a private file below `root`, whole or not at all; its folder must exist already. */
export async function writeBelow(root: string, path: string, text: string): Promise<void> {
  const held = holdAbove(root, path);
  if (held === null) return;
  const { folder, name } = held;
  const draft = folder.at(`.${name}.${process.pid}.${Math.random().toString(36).slice(2)}`);
  try {
    // `wx` follows no link, and a rename replaces one.
    await fs.writeFile(draft, text, { flag: 'wx', mode: 0o600 });
    await fs.rename(draft, folder.at(name));
  } finally {
    await fs.rm(draft, { force: true });
    folder.close();
  }
}

/** Attempts at emptying a folder in which entries keep appearing. */
const PASSES = 8;
/** So many are removed before others have their turn. */
const ENTRIES_A_TURN = 100;

/**
 * Removes a file, link or whole folder, even while another process writes into it: nothing outside it is ever touched.
 * A folder that is not empty is moved up to the top first, so that neither depth nor path length is an obstacle.
 *
 * @param deadline by `Date.now()`: what is left then stays
 * @returns whether all of it is gone
 */
export async function removeTree(path: string, deadline = Number.POSITIVE_INFINITY): Promise<boolean> {
  // Mostly nothing is there, and an error costs more than a look.
  if (attempt(() => lstatSync(path, { throwIfNoEntry: false })) === undefined || unlinked(path)) return true;
  if (removedFolder(path)) return true;
  for (let pass = 0; pass < PASSES && Date.now() < deadline; pass += 1) {
    const top = attempt(() => hold(path));
    // Gone, or no longer a folder.
    if (top === null) return unlinked(path);
    try {
      await emptied(top, deadline);
    } finally {
      top.close();
    }
    if (removedFolder(path)) return true;
  }
  return false;
}

/** Empties a folder, and one by one the folders that were in it. */
async function emptied(top: Folder, deadline: number): Promise<void> {
  const full: string[] = [];
  let moved = 0;
  let seen = 0;
  const empty = async (folder: Folder): Promise<void> => {
    unlocked(folder);
    const entries = opendirSync(folder.self, { encoding: 'latin1' });
    try {
      for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
        if (Date.now() >= deadline) return;
        seen += 1;
        if (seen % ENTRIES_A_TURN === 0) await nextTurn();
        if (!entry.isDirectory() && unlinked(folder.atBytes(entry.name))) continue;
        if (removedFolder(folder.atBytes(entry.name))) continue;
        if (folder === top) full.push(entry.name);
        else moveUp(folder.atBytes(entry.name));
      }
    } finally {
      entries.closeSync();
    }
  };
  const moveUp = (path: Buffer): void => {
    const name = `.removed-${process.pid}-${moved}-${Math.random().toString(36).slice(2)}`;
    moved += 1;
    const below = attempt(() => hold(path));
    if (below === null) return;
    unlocked(below);
    below.close();
    // Where it is no longer a folder, the next pass sees what it is.
    if (attempt(() => renameSync(path, top.atBytes(name))) !== null) full.push(name);
  };
  await empty(top);
  for (let name = full.pop(); name !== undefined && Date.now() < deadline; name = full.pop()) {
    const folder = attempt(() => hold(top.atBytes(name)));
    if (folder === null) continue;
    try {
      await empty(folder);
    } finally {
      folder.close();
    }
    removedFolder(top.atBytes(name));
  }
}

/** Lets the owner read and change a folder. */
function unlocked(folder: Folder, mode = 0): void {
  attempt(() => chmodSync(folder.self, mode | OWNERS));
}

const OWNERS = 0o700;

/** The same by its path, where an agent took these rights away. @param mode its other permissions */
export function unlockFolder(path: string | Buffer, mode: number): void {
  const folder = (mode & OWNERS) === OWNERS ? null : attempt(() => hold(path));
  if (folder === null) return;
  unlocked(folder, mode & 0o777);
  folder.close();
}

/**
 * @returns whether nothing is there any more; false for a folder. @throws what keeps anything else from being removed
 */
function unlinked(path: string | Buffer): boolean {
  return gone(() => unlinkSync(path), ['ENOENT', 'ENOTDIR'], ['EISDIR', 'EPERM']);
}

/** @returns whether nothing is there any more; false if not a folder or not empty. @throws as {@link unlinked} */
function removedFolder(path: string | Buffer): boolean {
  return gone(() => rmdirSync(path), ['ENOENT'], ['ENOTEMPTY', 'EEXIST', 'EACCES', 'ENOTDIR']);
}

function gone(removing: () => void, before: readonly string[], still: readonly string[]): boolean {
  try {
    removing();
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (before.includes(code)) return true;
    if (still.includes(code)) return false;
    throw error;
  }
}
