import { type Inventory, takeInventory } from '../../../adapters/git/inventory.ts';
import { type Contents, contentsOf, type Project } from '../project.ts';
import type { Blobs } from '../written.ts';

/** Nothing is lost: neither what the user had before the run nor what the agent wrote in it. */
export async function losses(project: Project, written: Blobs): Promise<readonly string[]> {
  const { root, before } = project;
  const after = await takeInventory(`${root}/.git`);
  return [
    ...lostFiles(before.files, await contentsOf(root, [...before.files.keys()]), after),
    ...lostHistory(before.repository, after),
    ...lostWork(written, after),
    ...committedFiles(before.files, after),
  ];
}

/** Files of the user that hold something else, where nothing keeps what they held. Pure. */
function lostFiles(before: Contents, now: Contents, { kept }: Pick<Inventory, 'kept'>): readonly string[] {
  return [...before]
    .filter(([path, id]) => now.get(path) !== id && !kept.has(id))
    .map(([path]) => `${path} of the user is ${now.has(path) ? 'overwritten' : 'deleted'}, and nothing keeps it`);
}

/** What the user's refs led to and no ref leads to any more. A ref that was moved is a loss only then. Pure. */
function lostHistory(before: Pick<Inventory, 'kept'>, after: Pick<Inventory, 'kept'>): readonly string[] {
  const lost = [...before.kept].filter((id) => !after.kept.has(id));
  return lost.length === 0 ? [] : [`${lost.length} objects of the user's history are out of reach, e.g. ${lost[0]}`];
}

/** What the agent wrote and neither a branch nor a rescue holds. Pure. */
export function lostWork(written: Blobs, { kept }: Pick<Inventory, 'kept'>): readonly string[] {
  return [...written].filter(([id]) => !kept.has(id)).map(([, path]) => `${path} as the agent wrote it is lost`);
}

/** Files that git did not know and that the loop's own branch holds now. Pure. */
function committedFiles(before: Contents, { checkedOut }: Pick<Inventory, 'checkedOut'>): readonly string[] {
  return [...before]
    .filter(([, id]) => checkedOut.has(id))
    .map(([path]) => `${path}, which the user never added, was committed`);
}
