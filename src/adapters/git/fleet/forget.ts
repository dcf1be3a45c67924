import { basename, dirname } from 'node:path';
import { realPath } from '../../../platform/files/files.ts';
import { openGit } from '../open.ts';
import { removeWorktree, worktrees } from '../worktrees/worktrees.ts';
import { findTree, rootOf } from './check-out.ts';
import { keepLost } from './keep-lost.ts';
import type { FleetPlace } from './place.ts';
import type { FleetTree } from './port.ts';
import { refsOf } from './refs.ts';

/** See `FleetGit.trees`. */
export async function streamTrees({ room, folder }: FleetPlace): Promise<readonly FleetTree[]> {
  const above = await realPath(`${folder}/streams`).catch(() => null);
  const trees = (await worktrees(room)).filter(({ root }) => dirname(root) === above);
  return trees.map(({ root, branch }) => ({ stream: basename(root), branch }));
}

/** See `FleetGit.forget`. */
export async function forget(place: FleetPlace, { stream, branch }: FleetTree): Promise<boolean> {
  const { room, remote, env } = place;
  const path = rootOf(place, { stream });
  const tree = await findTree(room, path);
  if (tree !== null) {
    // Without it nobody knows what of this the remote has.
    if (branch === null) return false;
    const refs = await refsOf(room, { stream, branch });
    // Whoever deleted the branch has no use for what else there was.
    if (await remote.fetch([`+${refs.branch}:${refs.fetchedBranch}`])) {
      const head = await remote.fetched(refs.fetchedBranch);
      await keepLost(place, { stream, branch }, await openGit(tree.root, { env }), head);
    }
  }
  await removeWorktree(room, path);
  return true;
}
