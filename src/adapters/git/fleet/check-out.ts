import { exists, realPath } from '../../../platform/files/files.ts';
import { openGit } from '../open.ts';
import { type Room, roomAt, runGit, tryGit } from '../room.ts';
import type { WorktreeEntry } from '../worktrees/port.ts';
import { resetTo } from '../worktrees/reset-to.ts';
import { addWorktree, worktrees } from '../worktrees/worktrees.ts';
import { keepLost } from './keep-lost.ts';
import type { FleetPlace } from './place.ts';
import type { FleetCheckout, FleetStream } from './port.ts';
import { refsOf, stateRefspec } from './refs.ts';
import { readStateFiles } from './state-files.ts';

/** See `FleetGit.checkOut`. */
export async function checkOut(place: FleetPlace, stream: FleetStream): Promise<FleetCheckout | null> {
  const { room, remote } = place;
  const refs = await refsOf(room, stream);
  if (!(await remote.fetch([`+${refs.branch}:${refs.fetchedBranch}`, stateRefspec(refs)]))) return null;
  const base = { head: await remote.fetched(refs.fetchedBranch), state: await remote.fetched(refs.fetchedState) };
  const root = await bringTo(place, stream, base.head);
  return { root, base, files: await readStateFiles(room, base.state) };
}

/** Where the work tree of a stream is. */
export function rootOf({ folder }: FleetPlace, { stream }: Pick<FleetStream, 'stream'>): string {
  return `${folder}/streams/${stream}`;
}

async function bringTo(place: FleetPlace, stream: FleetStream, head: string): Promise<string> {
  const { room, env } = place;
  const path = rootOf(place, stream);
  const isThere = (await findTree(room, path)) !== null;
  // One that a killed worker left half made is removed and made again by this.
  const isNew = !isThere && (await addWorktree(room, { path, branch: stream.branch, from: head })).branchCreated;
  const tree = await findTree(room, path);
  if (tree === null) throw new Error(`git does not list the work tree that it has just made: ${path}`);
  if (!isNew) await keepLost(place, stream, await openGit(tree.root, { env }), head);
  await onTo(roomAt(room, tree), stream, head);
  return tree.root;
}

/** The work tree at a path; null where there is none that can be used. */
export async function findTree(room: Room, path: string): Promise<WorktreeEntry | null> {
  const root = await realPath(path).catch(() => path);
  const found = (await worktrees(room)).find((tree) => tree.root === root && !tree.missing);
  return found !== undefined && (await exists(`${found.root}/.git`)) ? found : null;
}

/** HEAD on the branch, the branch at the commit, and the files with it. */
async function onTo(room: Room, { branch }: FleetStream, head: string): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const on = await tryGit(room, ['symbolic-ref', '-q', 'HEAD']);
  if (on.stdout.toString('utf8').trim() !== ref)
    await runGit(room, 'go back to the branch', ['symbolic-ref', 'HEAD', ref]);
  await resetTo(room, head);
}
