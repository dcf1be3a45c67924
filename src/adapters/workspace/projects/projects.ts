import { basename, isAbsolute } from 'node:path';
import type { ProjectInfo } from '../../../contracts/catalogue.ts';
import { list, readText, stat } from '../../../platform/files/files.ts';
import { makePrivateDir, writePrivate } from '../../../platform/files/private.ts';
import { stateHome } from '../records/state-home.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What is remembered of a project; the rest follows from it. */
type Place = Pick<ProjectInfo, 'root' | 'repository'>;

/**
 * Notes that a run was started in this work tree, so that monitor and dashboard find it from anywhere. A note that
 * cannot be written is none: it must not keep a run from starting.
 */
export async function rememberProject(env: Env, { root, repository }: Place): Promise<void> {
  const folder = projectsFolder(env);
  try {
    await makePrivateDir(folder);
    const text = `${JSON.stringify({ version: 1, root, repository })}\n`;
    await writePrivate(`${folder}/${idOf(root)}.json`, text, { fsync: false });
  } catch {
    return;
  }
}

/** The work trees of this person in which runs were started and that are still there, by path. */
export async function listProjects(env: Env): Promise<readonly ProjectInfo[]> {
  const folder = projectsFolder(env);
  const names = (await list(folder)).filter((name) => name.endsWith('.json'));
  const places = await Promise.all(names.map(async (name) => parsePlace(await readText(`${folder}/${name}`))));
  const there = await Promise.all(
    places.map(async (place) => (place && (await stat(place.root))?.kind === 'dir' ? [projectAt(place)] : [])),
  );
  return there.flat().sort((one, other) => (one.root < other.root ? -1 : 1));
}

/** The project of a work tree, remembered or not. */
export function projectAt({ root, repository }: Place): ProjectInfo {
  return { id: idOf(root), name: basename(root), root, repository };
}

function projectsFolder(env: Env): string {
  return `${stateHome(env)}/projects`;
}

function parsePlace(text: string | null): Place | null {
  try {
    const value = JSON.parse(text ?? '') as Partial<Place> | null;
    const { root, repository } = value ?? {};
    const isPlace = typeof root === 'string' && typeof repository === 'string' && isAbsolute(root);
    return isPlace ? { root, repository } : null;
  } catch {
    return null;
  }
}

/**
 * A short name for a path, the same every time: FNV-1a with two offsets, as nobody gains by two that collide, and a
 * start need not load node:crypto for it.
 */
function idOf(root: string): string {
  return [0x811c9dc5, 0x9e3779b9].map((basis) => hash(root, basis).toString(36).padStart(7, '0')).join('');
}

function hash(text: string, basis: number): number {
  let value = basis;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
