import { basename, isAbsolute } from 'node:path';
import { jsonObject, type ProjectInfo } from '../../../contracts/index.ts';
import { list, makePrivateDir, readText, stat, writePrivate } from '../../../platform/index.ts';
import { stateHome } from '../records/state-home.ts';
import { WORKTREES_FOLDER } from '../worktrees/places.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The stored part of a project; the rest is derived from it. */
type Place = Pick<ProjectInfo, 'root' | 'repository'>;

/**
 * Records that a run was started in this work tree, so that monitor and dashboard find it from anywhere. A failed write
 * is ignored: it must not keep a run from starting.
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

/** The user's work trees in which runs were started and that still exist, by path. */
export async function listProjects(env: Env): Promise<readonly ProjectInfo[]> {
  const folder = projectsFolder(env);
  const names = (await list(folder)).filter((name) => name.endsWith('.json'));
  const places = await Promise.all(names.map(async (name) => parsePlace(await readText(`${folder}/${name}`))));
  const there = await Promise.all(
    places.map(async (place) => (place && (await stat(place.root))?.kind === 'dir' ? [projectAt(place)] : [])),
  );
  return there.flat().sort((one, other) => (one.root < other.root ? -1 : 1));
}

/** The project of a work tree, recorded or not. */
export function projectAt({ root, repository }: Place): ProjectInfo {
  return { id: idOf(root), name: basename(root), root, repository };
}

function projectsFolder(env: Env): string {
  return `${stateHome(env)}/projects`;
}

function parsePlace(text: string | null): Place | null {
  const { root, repository } = jsonObject(text ?? '') ?? {};
  const isPlace = typeof root === 'string' && typeof repository === 'string' && isAbsolute(root);
  return isPlace ? { root, repository } : null;
}

/**
 * A short name for a path, always the same: FNV-1a with two offsets. A collision benefits no attacker, so a start need
 * not load node:crypto for it.
 */
function idOf(root: string): string {
  return [0x811c9dc5, 0x9e3779b9].map((basis) => hash(root, basis).toString(36).padStart(7, '0')).join('');
}

function hash(text: string, basis: number): number {
  let value = basis;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/**
 * The user's work trees in which runs were started, and with each repository those of its streams and lanes, even
 * before their first run.
 * @param more additional work trees, recorded or not
 */
export async function knownTrees(
  env: Readonly<Record<string, string | undefined>>,
  more: readonly ProjectInfo[] = [],
): Promise<readonly ProjectInfo[]> {
  const known = [...(await listProjects(env)), ...more];
  const inside = await Promise.all(known.map(treesInside));
  const all = new Map([...known, ...inside.flat()].map((project) => [project.root, project]));
  return [...all.values()].sort((one, other) => (one.root < other.root ? -1 : 1));
}

async function treesInside({ root, repository }: ProjectInfo): Promise<readonly ProjectInfo[]> {
  const folder = `${root}/${WORKTREES_FOLDER}`;
  const roots = (await list(folder)).map((name) => `${folder}/${name}`);
  // A linked work tree has a `.git` file where others have a folder.
  const there = await Promise.all(roots.map(async (one) => (await stat(`${one}/.git`))?.kind === 'file'));
  return roots.filter((_, i) => there[i]).map((one) => projectAt({ root: one, repository }));
}
