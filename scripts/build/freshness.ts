import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../root.ts';

/** What the bundle is made from. Folders count too: their time changes when a file in them is removed. */
const SOURCES = ['src', 'dashboard', 'scripts/build', 'package-lock.json'];

/** Written last by a build, so its time is that of the whole build. */
const BUILT = 'dist/main.cjs';

/** Whether a source is newer than the bundle, or there is no bundle. */
export async function isStale(base: string = root): Promise<boolean> {
  const built = await modified(join(base, BUILT));
  if (built === null) return true;
  for (const source of SOURCES) {
    if ((await newest(join(base, source))) > built) return true;
  }
  return false;
}

async function modified(path: string): Promise<number | null> {
  return stat(path).then(
    (found) => found.mtimeMs,
    () => null,
  );
}

async function newest(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.mtimeMs;
  const below = await Promise.all((await readdir(path)).map((name) => newest(join(path, name))));
  return Math.max(found.mtimeMs, ...below);
}
