import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Env } from '../../contracts/index.ts';
import {
  exists,
  list,
  makeDir,
  makePrivateDir,
  readText,
  realPath,
  remove,
  writePrivate,
} from '../../platform/index.ts';
import { cacheHome } from './records/state-home.ts';

/** The location of a work tree's clean room, outside the work tree. Absolute, symbolic links resolved. */
export interface RoomPlace {
  /** The checkout. Its last name is the work tree's: some programs depend on it. */
  readonly folder: string;
  /** The index of the checkout; beside it, so that no process that runs in the checkout can write it. */
  readonly index: string;
  /** Packages that tools store outside the project. */
  readonly deps: string;
  /** The stored facts about the checkout, as JSON. */
  readonly record: string;
  /** The user's files as they were when the run began. */
  readonly copies: string;
  /** Installations of set-ups, by key; shared by all rooms of the repository. */
  readonly layers: string;
  /** Download caches of package managers; only set-ups may write there. */
  readonly packages: string;
  /** Results of checks; one file for all rooms of the repository. */
  readonly book: string;
}

/**
 * Makes the folders of a room, private to the user, and removes the rooms of work trees and repositories that are gone.
 * Everything there can be deleted at any time: it is made again.
 * @param name of a second room of the work tree
 */
export async function makeRoomPlace(
  env: Env,
  { root, commonDir }: { readonly root: string; readonly commonDir: string },
  name = '',
): Promise<RoomPlace> {
  const rooms = await cacheFolder(env, 'rooms');
  const repository = `${rooms}/${idOf(commonDir)}`;
  const own = `${repository}/at/${idOf(root)}${name}`;
  const place: RoomPlace = {
    folder: `${own}/${basename(root)}`,
    index: `${own}/.index`,
    deps: `${own}/.deps`,
    record: `${own}/.room.json`,
    copies: `${own}/.copies`,
    layers: `${repository}/layers`,
    packages: `${repository}/packages`,
    book: `${repository}/checks.jsonl`,
  };
  for (const folder of [place.folder, place.deps, place.layers, place.packages]) await makeDir(folder);
  await writePrivate(`${repository}/${OF}`, `${commonDir}\n`, { fsync: false });
  await writePrivate(`${own}/${OF}`, `${root}\n`, { fsync: false });
  await Promise.all([sweep(rooms), sweep(`${repository}/at`)]);
  return place;
}

/** Where the work trees of a repository's reviews or of its lab are. Absolute, symbolic links resolved. */
export function treesFolder(env: Env, of: 'reviews' | 'lab', commonDir: string): Promise<string> {
  return cacheFolder(env, `${of}/${idOf(commonDir)}`);
}

async function cacheFolder(env: Env, name: string): Promise<string> {
  const folder = `${cacheHome(env)}/${name}`;
  await makePrivateDir(folder);
  return realPath(folder);
}

/** File in a folder that names the place the folder belongs to. */
const OF = '.of';

function idOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16);
}

async function sweep(folder: string): Promise<void> {
  for (const name of await list(folder)) {
    const of = (await readText(`${folder}/${name}/${OF}`))?.trimEnd();
    if (of === undefined || (await exists(of))) continue;
    // Another process may be sweeping too.
    await remove(`${folder}/${name}`).catch(() => undefined);
  }
}
