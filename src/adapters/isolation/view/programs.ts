import { basename, dirname, join, resolve } from 'node:path';
import { list, realPath, stat } from '../../../platform/files/files.ts';
import { isWithin, normalPath } from './paths.ts';

/** Beside a `bin` folder these say that it belongs to a program of its own, which needs them. */
const OF_A_PREFIX = ['lib', 'lib64', 'libexec'];

/** In a folder these say that it is somebody's project, whatever else is in it. */
const OF_A_PROJECT = ['.git', '.env', '.hg', '.jj'];

/** Kept by the package manager: what is linked there leads to other folders of the system. */
const OF_THE_SYSTEM = ['/usr/bin', '/usr/sbin', '/bin', '/sbin'];

/** Of a `bin` folder at most so many links are followed. */
const MOST_LINKS = 3_000;

/**
 * What must be seen inside for the programs on PATH to work: host files and folders, as they are named there. Not for
 * folders of the work tree: what is linked to there was said by an agent.
 */
export async function programPlaces(
  path: string | undefined,
  home: string,
  tree: readonly string[],
): Promise<readonly string[]> {
  const folders = (path ?? '').split(':').flatMap((entry) => normalPath(entry) ?? []);
  const ofPeople = folders.filter((folder) => !OF_THE_SYSTEM.includes(folder) && !isWithin(home, folder));
  const found = await Promise.all([...new Set(ofPeople)].map((folder) => binPlaces(folder, home, tree)));
  return found.flat();
}

/** What must be seen for one program to work: it, what it is a link to, and what it was installed with. */
export async function placesOf(program: string, home: string): Promise<readonly string[]> {
  const real = await realPath(program).catch(() => null);
  if (real === null) return [];
  return [program, ...(await installationOf(real, home))];
}

/** The file that a command starts: found as execvp(3) does; null when it is nowhere. */
export async function findFile(file: string, cwd: string, path: string | undefined): Promise<string | null> {
  const places = file.includes('/') ? [''] : (path ?? '').split(':');
  for (const place of places) {
    const candidate = resolve(cwd, place, file);
    const real = await realPath(candidate).catch(() => null);
    const found = real === null ? null : await stat(real);
    if (found?.kind === 'file' && (found.mode & 0o111) !== 0) return candidate;
  }
  return null;
}

async function binPlaces(folder: string, home: string, tree: readonly string[]): Promise<readonly string[]> {
  const real = await realPath(folder).catch(() => null);
  if (real === null || [real, folder].some((path) => tree.some((root) => isWithin(path, root)))) return [];
  const [prefix, names] = await Promise.all([prefixOf(real, home), list(real).catch(() => [])]);
  const linked = await Promise.all(names.slice(0, MOST_LINKS).map((name) => linkedProgram(join(real, name), home)));
  return [folder, prefix ?? real, ...linked.flat()];
}

/** Where a link in a `bin` folder leads to: only to a program. Somebody may have a link to a key there. */
async function linkedProgram(path: string, home: string): Promise<readonly string[]> {
  if ((await stat(path))?.kind !== 'symlink') return [];
  const real = await realPath(path).catch(() => null);
  const found = real === null ? null : await stat(real);
  if (real === null || found?.kind !== 'file' || (found.mode & 0o111) === 0) return [];
  return installationOf(real, home);
}

/** With a package of npm everything that was installed beside it, with a program of a prefix the prefix. */
async function installationOf(real: string, home: string): Promise<readonly string[]> {
  const modules = real.indexOf('/node_modules/');
  if (modules !== -1) return [real.slice(0, modules + '/node_modules'.length)];
  return [(await prefixOf(dirname(real), home)) ?? real];
}

/** What a `bin` folder is part of; null when it is on its own. */
async function prefixOf(bin: string, home: string): Promise<string | null> {
  if (!['bin', 'sbin'].includes(basename(bin))) return null;
  const prefix = dirname(bin);
  // A home folder has `bin`, `.local/bin` and much else.
  if (isWithin(home, prefix) || prefix === join(home, '.local')) return null;
  const has = async (names: readonly string[]) => {
    const found = await Promise.all(names.map((name) => stat(join(prefix, name)).catch(() => null)));
    return found.some((one) => one !== null);
  };
  return (await has(OF_A_PREFIX)) && !(await has(OF_A_PROJECT)) ? prefix : null;
}
