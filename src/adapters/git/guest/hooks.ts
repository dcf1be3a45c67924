import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { list, readBytes, stat } from '../../../platform/files/files.ts';
import type { Room } from '../room.ts';
import type { Setting } from './settings.ts';

/** Hooks and what they come with; who keeps more than that in the folder, keeps it elsewhere than in a git dir. */
const MOST_FILES = 200;

/**
 * Copies the hooks into a guest git dir, links as what they lead to. Those in the work tree (husky) are there already:
 * then the setting that says so is all it takes.
 */
export async function copyHooks(room: Room, dir: string): Promise<readonly Setting[]> {
  const { root } = room.repo;
  if (`${room.hooksDir}/`.startsWith(`${root}/`) && !room.hooksDir.startsWith(`${root}/.git/`))
    return [{ key: 'core.hooksPath', value: room.hooksDir }];
  for (const path of (await filesBelow(room.hooksDir, '')).slice(0, MOST_FILES)) {
    const from = `${room.hooksDir}/${path}`;
    const bytes = await readBytes(from);
    // Links to executables are executable; a file's own mode counts.
    const mode = (await stat(from))?.mode ?? 0o755;
    if (bytes !== null) await writeAtomic(`${dir}/hooks/${path}`, bytes, { fsync: false, mode: mode & 0o777 });
  }
  return [];
}

/** Two levels: hooks, and a folder of helpers beside them. git's samples do nothing. */
async function filesBelow(folder: string, below: string): Promise<string[]> {
  const names = (await list(folder)).filter((name) => !name.endsWith('.sample'));
  const found = await Promise.all(
    names.map(async (name) => {
      const isDir = (await stat(`${folder}/${name}`))?.kind === 'dir';
      if (isDir) return below === '' ? filesBelow(`${folder}/${name}`, `${name}/`) : [];
      return [`${below}${name}`];
    }),
  );
  return found.flat();
}
