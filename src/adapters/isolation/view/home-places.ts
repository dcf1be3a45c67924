import { dirname, join } from 'node:path';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { makeDir, remove, stat } from '../../../platform/files/files.ts';
import type { ViewEntry } from './entry.ts';
import { foldersBetween, isWithin } from './paths.ts';

/**
 * Makes the mount points below the home folder, in the host folder that stands for it, and gives the entries that pin
 * the folders on the way to them: a mount point cannot be moved away. The folder is a new one, in which no process has
 * been: what is there already is a file or folder of ours.
 *
 * @param from the host folder; `home`: where it is inside; `entries`: what is going to be mounted over it
 */
export async function makeHomePlaces(
  from: string,
  home: string,
  entries: readonly ViewEntry[],
): Promise<readonly ViewEntry[]> {
  const places = entries.filter(({ at }) => at !== home && isWithin(at, home));
  const covered = (path: string) => places.some(({ at }) => isWithin(path, at));
  const between = places.flatMap(({ at }) => foldersBetween(home, at)).filter((path) => !covered(path));
  const pinned = [...new Set(between)].sort((a, b) => a.length - b.length);
  const onHost = (path: string) => join(from, path.slice(home.length));
  for (const path of pinned) await makePlace(onHost(path), 'dir');
  for (const entry of places) {
    if (covered(dirname(entry.at))) continue;
    const kind = entry.kind === 'read' || entry.kind === 'write' ? (await stat(entry.from))?.kind : 'dir';
    await makePlace(onHost(entry.at), kind === 'dir' ? 'dir' : 'file');
  }
  return pinned.map((path) => ({ kind: 'write', from: onHost(path), at: path }));
}

async function makePlace(path: string, kind: 'dir' | 'file'): Promise<void> {
  const found = (await stat(path))?.kind;
  if (found === kind) return;
  if (found !== undefined) await remove(path);
  await (kind === 'dir' ? makeDir(path) : writeAtomic(path, '', { fsync: false }));
}
