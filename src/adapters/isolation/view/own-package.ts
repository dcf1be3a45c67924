import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exists, readText, realPath } from '../../../platform/index.ts';

/** Parts of our own package that are used inside, or run by the loop outside: no process inside may change them. */
const PARTS = ['package.json', 'bin', 'dist', 'plugin', 'templates', 'schemas'];

/** Root of the package that this file belongs to: for the bundle in `dist/` as for the sources. */
export async function ownPackage(): Promise<string> {
  const here = dirname(fileURLToPath(import.meta.url));
  for (let folder = here; folder !== '/'; folder = dirname(folder)) {
    if (await exists(join(folder, 'package.json'))) return realPath(folder);
  }
  throw new Error(`no package around ${here}`);
}

/** The folders of our own package and of the packages it loads; symbolic links resolved. */
export async function ownPlaces(): Promise<readonly string[]> {
  const own = await ownPackage();
  return [...PARTS.map((part) => join(own, part)), ...(await dependencies(own, new Set()))];
}

async function dependencies(folder: string, seen: Set<string>): Promise<readonly string[]> {
  const { dependencies: wanted = {} } = JSON.parse((await readText(join(folder, 'package.json'))) ?? '{}') as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  const places: string[] = [];
  for (const name of Object.keys(wanted)) {
    const place = await installed(name, folder);
    if (place === null || seen.has(place)) continue;
    seen.add(place);
    places.push(place, ...(await dependencies(place, seen)));
  }
  return places;
}

/** Where Node would look for a package. Not resolved by Node: its `exports` may hide any file. */
async function installed(name: string, from: string): Promise<string | null> {
  for (const folder of createRequire(join(from, 'package.json')).resolve.paths(name) ?? []) {
    const found = await realPath(join(folder, name)).catch(() => null);
    if (found !== null) return found;
  }
  return null;
}
