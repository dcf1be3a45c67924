import { posix } from 'node:path';
import { UsageError } from '../../../contracts/errors.ts';
import { realPath, stat } from '../../../platform/files/files.ts';
import { isWithin } from '../../../platform/files/files-inside.ts';
import { notWritable } from '../../../platform/files/folder-facts.ts';

/**
 * Makes sure that files can be written before the first of them is: an import is all or nothing.
 * @param paths relative to `root`
 * @throws UsageError for the first that cannot be written, or whose folder leads out of the work tree
 */
export async function refuseUnwritable(root: string, paths: readonly string[]): Promise<void> {
  const folders = new Set(paths.map((path) => posix.dirname(path)));
  for (const folder of folders) await refuseFolder(root, folder);
  for (const path of new Set(paths)) {
    if ((await stat(posix.join(root, path)))?.kind === 'dir') throw cannot(path, 'a folder stands in its place');
  }
}

/** Every part of the way is a folder of the work tree, or missing; the last that is there can be written to. */
async function refuseFolder(root: string, folder: string): Promise<void> {
  let last = root;
  const parts = folder === '.' ? [] : folder.split('/');
  for (const depth of parts.keys()) {
    const path = parts.slice(0, depth + 1).join('/');
    const found = await stat(posix.join(root, path));
    if (found === null) break;
    last = posix.join(root, path);
    if (found.kind === 'dir') continue;
    if (found.kind !== 'symlink') throw cannot(path, 'a file stands where a folder has to be');
    const real = await realPath(last).catch(() => null);
    if (real === null || !isWithin(await realPath(root), real)) throw cannot(path, 'it is a link out of the work tree');
    if ((await stat(real))?.kind !== 'dir') throw cannot(path, 'it is a link to something that is no folder');
  }
  if ((await notWritable(last)) !== null) throw cannot(folder, 'it may not be written to');
}

function cannot(path: string, why: string): UsageError {
  return new UsageError({
    what: `${path} cannot be written`,
    where: path,
    why: `${why}; nothing was written`,
    mend: ['put it right', 'or import into another folder: --ralph-dir FOLDER'],
  });
}
