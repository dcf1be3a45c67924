import { repositoryOf } from './trust.ts';

/**
 * What steers the runs of this process: read before their first agent, and never looked up again in a tree that an
 * agent can write. By repository, for a run with all its lanes and streams; by work tree, for a run of a worker, whose
 * clone holds the branches of several.
 */
const places = new Map<string, Map<string, unknown>>();

/** From here on it is read once. @param place a repository or a work tree */
export async function freeze(root: string, what: 'repository' | 'work tree'): Promise<void> {
  const place = what === 'repository' ? await repositoryOf(root) : root;
  if ((await frozenAt(root)) === null) places.set(place, new Map());
}

/** The run of this work tree ended: the next one begins with what is there then. Of a repository nothing is let go. */
export function thaw(root: string): void {
  places.delete(root);
}

/** What `read` found here at first; what it finds now where nothing is frozen. What failed is tried again. */
export async function once<T>(root: string, name: string, read: () => Promise<T>): Promise<T> {
  const place = await frozenAt(root);
  if (place?.has(name)) return place.get(name) as T;
  const found = await read();
  place?.set(name, found);
  return found;
}

async function frozenAt(root: string): Promise<Map<string, unknown> | null> {
  if (places.size === 0) return null;
  return places.get(root) ?? places.get(await repositoryOf(root)) ?? null;
}
