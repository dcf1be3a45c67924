import { dirname, join } from 'node:path';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { list, makeDir, remove, stat } from '../../../platform/files/files.ts';
import type { Picked } from './pick.ts';

/**
 * Makes `parts` of `folder` hold exactly the picked files: what else is there goes. `home` is where agents may write,
 * so that a link may stand anywhere below it: links on the way are removed, never followed.
 *
 * @param keep parts that stay as they are when nothing was picked for them
 */
export async function mirror(
  home: string,
  folder: string,
  parts: readonly string[],
  files: readonly Picked[],
  keep: ReadonlySet<string>,
): Promise<void> {
  await ownFolder(home, folder);
  const wanted = new Set(files.flatMap(({ path }) => [path, ...above(path)]));
  for (const part of parts) {
    if (!wanted.has(part) && keep.has(part)) continue;
    await ownFolder(home, join(folder, dirname(part)));
    await prune(join(home, folder), part, wanted);
  }
  for (const { path, bytes, executable } of files) {
    await ownFolder(home, join(folder, dirname(path)));
    const at = join(home, folder, path);
    if ((await stat(at))?.kind === 'dir') await remove(at);
    // A rename over what is there: another run that copies at the same time never sees half a file.
    await writeAtomic(at, bytes, { fsync: false, mode: executable ? 0o700 : 0o600 });
  }
}

/** A real folder at every step from `home` down; anything else in the way is removed. */
export async function ownFolder(home: string, folder: string): Promise<void> {
  let at = home;
  for (const name of folder.split('/').filter((step) => step !== '' && step !== '.')) {
    at = join(at, name);
    if ((await stat(at))?.kind !== 'dir') await remove(at);
    await makeDir(at);
  }
}

/** Removes what is at `path` below `home`. A link on the way is removed itself: it may lead out. */
export async function removeBelow(home: string, path: string): Promise<void> {
  let at = home;
  for (const name of path.split('/')) {
    at = join(at, name);
    const found = await stat(at);
    if (found === null) return;
    if (found.kind !== 'dir') return remove(at);
  }
  await remove(at);
}

/** Removes what is not wanted at and below `path`; links are never entered. */
async function prune(folder: string, path: string, wanted: ReadonlySet<string>): Promise<void> {
  const at = join(folder, path);
  const found = await stat(at);
  if (found === null) return;
  if (!wanted.has(path) || found.kind !== 'dir') {
    if (!wanted.has(path) || found.kind !== 'file') await remove(at);
    return;
  }
  for (const name of await list(at)) await prune(folder, join(path, name), wanted);
}

function above(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [folder, ...above(folder)];
}
