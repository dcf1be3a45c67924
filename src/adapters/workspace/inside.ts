import { basename, dirname, join, relative, sep } from 'node:path';
import { UsageError } from '../../contracts/errors.ts';
import { realPath, stat } from '../../platform/files/files.ts';

/**
 * A path a person named, relative to the work tree, with `/` (`.` for the root itself). It need not exist.
 * @param label what it is, for the message
 * @throws UsageError when it lies outside: the loop commits what it works on, and commits nothing else.
 */
export async function pathInside(root: string, path: string, label: string): Promise<string> {
  const inside = relative(root, await resolved(path));
  if (inside === '') return '.';
  if (inside !== '..' && !inside.startsWith(`..${sep}`)) return inside.split(sep).join('/');
  throw new UsageError({
    what: `${label} is outside the work tree`,
    where: path,
    why: `ralph commits its files with the work, and the work tree is ${root}`,
    mend: ['name a path inside it, or start ralph in the other repository'],
  });
}

/** @throws UsageError when there is no folder at this path. */
export async function requireFolder(path: string, label: string): Promise<void> {
  const real = await realPath(path).catch(() => null);
  if (real !== null && (await stat(real))?.kind === 'dir') return;
  throw new UsageError({
    what: `${label} '${basename(path)}' ${real === null ? 'does not exist' : 'is not a folder'}`,
    where: dirname(path),
    mend: ['correct the path', '`ralph init` makes a spec folder'],
  });
}

/** Links resolved as far as the path exists. */
async function resolved(path: string): Promise<string> {
  const real = await realPath(path).catch(() => null);
  const parent = dirname(path);
  if (real !== null || parent === path) return real ?? path;
  return join(await resolved(parent), basename(path));
}
