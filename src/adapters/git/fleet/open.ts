import { basename, dirname } from 'node:path';
import { exists, realPath, systemClock } from '../../../platform/index.ts';
import type { Env } from '../environment.ts';
import { pathFromBytes, splitNul } from '../lists.ts';
import { openGit } from '../open.ts';
import type { Git } from '../port.ts';
import { show } from '../read.ts';
import { line, type Room, roomAt, runGit, tryGit } from '../room.ts';
import type { WorktreeEntry } from '../worktrees/port.ts';
import { commitTree, resetTo, treeWith } from '../worktrees/trees.ts';
import { addWorktree, removeWorktree, worktrees } from '../worktrees/worktrees.ts';
import { type FleetPlace, openPlace, refsOf, stateRefspec } from './place.ts';
import type { FleetBase, FleetCheckout, FleetFiles, FleetGit, FleetStream, FleetTree } from './port.ts';

/**
 * Opens the git of a worker: one clone for all of its streams, a work tree for each.
 * @param folder of this worker alone, absolute; made where it is missing
 * @param env of the account that runs the worker: its keys and settings are used
 * @throws RemoteRefusal when the remote cannot be reached
 */
export async function openFleetGit(input: {
  readonly remote: string;
  readonly folder: string;
  readonly env: Env;
  readonly worker: string;
}): Promise<FleetGit> {
  const place = await openPlace(input);
  const { room, remote } = place;
  return {
    clone: room.repo.gitDir,
    checkOut: (stream) => checkOut(place, stream),
    push: (stream, base, state) => pushTurn(place, stream, base, state),
    // This push is optional, and the next one may succeed.
    pushWip: (stream, tree) => pushWip(place, stream, tree).catch(() => {}),
    async readState(stream) {
      const refs = await refsOf(room, stream);
      await remote.fetch([stateRefspec(refs)]);
      const commit = await remote.fetched(refs.fetchedState);
      return commit === '' ? null : readStateFiles(room, commit);
    },
    trees: () => streamTrees(place),
    forget: (tree) => forget(place, tree),
  };
}

/** See `FleetGit.checkOut`. */
async function checkOut(place: FleetPlace, stream: FleetStream): Promise<FleetCheckout | null> {
  const { room, remote } = place;
  const refs = await refsOf(room, stream);
  if (!(await remote.fetch([`+${refs.branch}:${refs.fetchedBranch}`, stateRefspec(refs)]))) return null;
  const base = { head: await remote.fetched(refs.fetchedBranch), state: await remote.fetched(refs.fetchedState) };
  const root = await bringTo(place, stream, base.head);
  return { root, base, files: await readStateFiles(room, base.state) };
}

/** Where the work tree of a stream is. */
function rootOf({ folder }: FleetPlace, { stream }: Pick<FleetStream, 'stream'>): string {
  return `${folder}/streams/${stream}`;
}

async function bringTo(place: FleetPlace, stream: FleetStream, head: string): Promise<string> {
  const { room, env } = place;
  const path = rootOf(place, stream);
  const isThere = (await findTree(room, path)) !== null;
  // A work tree that a killed worker left unfinished is removed and made again by this.
  const isNew = !isThere && (await addWorktree(room, { path, branch: stream.branch, from: head })).branchCreated;
  const tree = await findTree(room, path);
  if (tree === null) throw new Error(`git does not list the work tree that it has just made: ${path}`);
  if (!isNew) await keepLost(place, stream, await openGit(tree.root, { env }), head);
  await onTo(roomAt(room, tree), stream, head);
  return tree.root;
}

/** The work tree at a path; null where no usable one exists. */
async function findTree(room: Room, path: string): Promise<WorktreeEntry | null> {
  const root = await realPath(path).catch(() => path);
  const found = (await worktrees(room)).find((tree) => tree.root === root && !tree.missing);
  return found !== undefined && (await exists(`${found.root}/.git`)) ? found : null;
}

/** Puts HEAD on the branch, and the branch and the files at the commit. */
async function onTo(room: Room, { branch }: FleetStream, head: string): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const on = await tryGit(room, ['symbolic-ref', '-q', 'HEAD']);
  if (on.stdout.toString('utf8').trim() !== ref)
    await runGit(room, 'go back to the branch', ['symbolic-ref', 'HEAD', ref]);
  await resetTo(room, head);
}

/** See `FleetGit.trees`. */
async function streamTrees({ room, folder }: FleetPlace): Promise<readonly FleetTree[]> {
  const above = await realPath(`${folder}/streams`).catch(() => null);
  const trees = (await worktrees(room)).filter(({ root }) => dirname(root) === above);
  return trees.map(({ root, branch }) => ({ stream: basename(root), branch }));
}

/** See `FleetGit.forget`. */
async function forget(place: FleetPlace, { stream, branch }: FleetTree): Promise<boolean> {
  const { room, remote, env } = place;
  const path = rootOf(place, { stream });
  const tree = await findTree(room, path);
  if (tree !== null) {
    // Without a branch it is unknown which of this the remote has.
    if (branch === null) return false;
    const refs = await refsOf(room, { stream, branch });
    // The user who deleted the branch does not need the rest.
    if (await remote.fetch([`+${refs.branch}:${refs.fetchedBranch}`])) {
      const head = await remote.fetched(refs.fetchedBranch);
      await keepLost(place, { stream, branch }, await openGit(tree.root, { env }), head);
    }
  }
  await removeWorktree(room, path);
  return true;
}

/**
 * Work that an earlier turn left in the work tree, and the remote does not have, is pushed to a side ref: its worker
 * died, or its push came too late. Does nothing when there is none.
 */
async function keepLost(place: FleetPlace, stream: FleetStream, git: Git, head: string): Promise<void> {
  const { room, remote, worker } = place;
  const left = await git.resolve('HEAD');
  const tree = await git.tree();
  // A turn that changed nothing, or made the same changes.
  if ((await git.changes(head, tree)).length === 0) return;
  const isClean = left !== null && (await git.changes(left, tree)).length === 0;
  if (isClean && (left === head || (await git.descends(head, left)))) return;
  const now = systemClock.now();
  const commit = isClean
    ? left
    : await git.commitTree({
        tree,
        parents: left === null ? [] : [left],
        subject: `What a turn of ${stream.stream} left`,
        body: '',
        trailers: [['Ralph-Worker', worker]],
        date: now,
        sign: false,
      });
  const { lost } = await refsOf(room, stream);
  // A new name every time: a ref that is kept is never replaced.
  const name = `${lost}/${new Date(now).toISOString().replace(/[-:.]/g, '')}-${commit.slice(0, 8)}`;
  const { ok, said } = await remote.push(['--force', '--', remote.url, `${commit}:${name}`]);
  if (!ok) throw remote.refuse('keep what an earlier turn left', said);
}

/** See `Git.push`. Repeated after a lost answer, it finds its own work there: 'pushed'. */
async function pushTurn(
  { room, remote }: FleetPlace,
  stream: FleetStream,
  base: FleetBase,
  files: FleetFiles,
): Promise<'pushed' | 'fenced'> {
  const refs = await refsOf(room, stream);
  const head = line(await runGit(room, 'read the branch', ['rev-parse', '--verify', `${refs.branch}^{commit}`]));
  await refuseRewritten(room, base.head, head);
  const state = await stateCommit(room, stream, head, files);
  const { ok, said } = await remote.push([
    '--atomic',
    `--force-with-lease=${refs.branch}:${base.head}`,
    `--force-with-lease=${refs.state}:${base.state}`,
    '--',
    remote.url,
    `${head}:${refs.branch}`,
    `${state}:${refs.state}`,
  ]);
  if (ok) return 'pushed';
  // The reason of the failure matters only when the remote is unchanged.
  const now = await remote.list([refs.branch, refs.state]);
  const [branchNow, stateNow] = [now.get(refs.branch) ?? '', now.get(refs.state) ?? ''];
  if (branchNow === head && stateNow === state) return 'pushed';
  if (branchNow !== base.head || stateNow !== base.state) return 'fenced';
  throw remote.refuse('push a turn', said);
}

/** See `FleetGit.pushWip`. */
async function pushWip({ room, remote }: FleetPlace, stream: FleetStream, tree: string): Promise<void> {
  const refs = await refsOf(room, stream);
  const head = line((await tryGit(room, ['rev-parse', '-q', '--verify', refs.branch])).stdout);
  const commit = await commitTree(room, {
    tree,
    parents: head === '' ? [] : [head],
    subject: `Work under way in ${stream.stream}`,
    body: '',
    trailers: [],
    date: room.clock.now(),
    sign: false,
  });
  await remote.push(['--force', '--', remote.url, `${commit}:${refs.wip}`]);
}

/** Pushing with a lease forces: it must not lose history that others have. */
async function refuseRewritten(room: Room, base: string, head: string): Promise<void> {
  const builds = await tryGit(room, ['merge-base', '--is-ancestor', base, head]);
  if (builds.exitCode !== 0) throw new Error(`${head} does not build on ${base}, which the remote has`);
}

/** Without a parent, so that old ones can be deleted; dated like the work, so that one turn always gives one commit. */
async function stateCommit(room: Room, { stream }: FleetStream, head: string, files: FleetFiles): Promise<string> {
  const seconds = line(await runGit(room, 'read a date', ['show', '-s', '--format=%ct', head]));
  return commitTree(room, {
    tree: await writeStateFiles(room, files),
    parents: [],
    subject: `State of ${stream}`,
    body: '',
    trailers: [],
    date: Number(seconds) * 1000,
    sign: false,
  });
}

/** The small files of a commit; none for ''. */
async function readStateFiles(room: Room, commit: string): Promise<FleetFiles> {
  if (commit === '') return {};
  const names = splitNul(await runGit(room, 'list a state', ['ls-tree', '-z', '--name-only', commit])).map(
    pathFromBytes,
  );
  const contents = await Promise.all(names.map((name) => show(room, commit, name)));
  return Object.fromEntries(names.map((name, at) => [name, Buffer.from(contents[at] ?? []).toString('utf8')]));
}

/** A tree of small files. */
async function writeStateFiles(room: Room, files: FleetFiles): Promise<string> {
  const empty = line(await runGit(room, 'make a tree', ['hash-object', '-w', '-t', 'tree', '--stdin'], Buffer.of()));
  return treeWith(room, empty, files);
}
