import { basename, dirname } from 'node:path';
import { GitRefusal } from '../../../contracts/index.ts';
import { exists, makeDir, realPath, runCommand, systemClock } from '../../../platform/index.ts';
import { type Env, hostEnv } from '../environment.ts';
import { descends, resolveCommit } from '../history.ts';
import { pathList } from '../lists.ts';
import { openGit } from '../open.ts';
import type { Git } from '../port.ts';
import { sh } from '../prelude.ts';
import { show } from '../read.ts';
import { askGit, blankMemory, gitError, line, type Room, roomAt, runGit, tryGit } from '../room.ts';
import { commitTree, resetTo, treeWith } from '../trees.ts';
import type { WorktreeEntry } from '../worktrees/port.ts';
import { addWorktree, removeWorktree, worktrees } from '../worktrees/worktrees.ts';
import { openRemote, type Remote } from './remote.ts';

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
  if ((await askGit(room, ['symbolic-ref', '-q', 'HEAD'])) !== ref)
    await runGit(room, 'go back to the branch', ['symbolic-ref', 'HEAD', ref]);
  await resetTo(room, head);
}

async function streamTrees({ room, folder }: FleetPlace): Promise<readonly FleetTree[]> {
  const above = await realPath(`${folder}/streams`).catch(() => null);
  const trees = (await worktrees(room)).filter(({ root }) => dirname(root) === above);
  return trees.map(({ root, branch }) => ({ stream: basename(root), branch }));
}

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
        ...BOOKKEEPING,
        tree,
        parents: left === null ? [] : [left],
        subject: `What a turn of ${stream.stream} left`,
        trailers: [['Ralph-Worker', worker]],
        date: now,
      });
  const { lost } = await refsOf(room, stream);
  // A new name every time: a ref that is kept is never replaced.
  const name = `${lost}/${new Date(now).toISOString().replace(/[-:.]/g, '')}-${commit.slice(0, 8)}`;
  const { ok, said } = await remote.push(['--force', '--', remote.url, `${commit}:${name}`]);
  if (!ok) throw remote.refuse('keep what an earlier turn left', said);
}

/** Repeated after a lost answer, it finds its own work there: 'pushed'. */
async function pushTurn(
  { room, remote }: FleetPlace,
  stream: FleetStream,
  base: FleetBase,
  files: FleetFiles,
): Promise<'pushed' | 'fenced'> {
  const refs = await refsOf(room, stream);
  const head = line(await runGit(room, 'read the branch', ['rev-parse', '--verify', `${refs.branch}^{commit}`]));
  // Pushing with a lease forces: it must not lose history that others have.
  if (!(await descends(room, head, base.head)))
    throw new Error(`${head} does not build on ${base.head}, which the remote has`);
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

async function pushWip({ room, remote }: FleetPlace, stream: FleetStream, tree: string): Promise<void> {
  const refs = await refsOf(room, stream);
  const head = await resolveCommit(room, refs.branch);
  const commit = await commitTree(room, {
    ...BOOKKEEPING,
    tree,
    parents: head === null ? [] : [head],
    subject: `Work under way in ${stream.stream}`,
    date: room.clock.now(),
  });
  await remote.push(['--force', '--', remote.url, `${commit}:${refs.wip}`]);
}

/** Without a parent, so that old ones can be deleted; dated like the work, so that one turn always gives one commit. */
async function stateCommit(room: Room, { stream }: FleetStream, head: string, files: FleetFiles): Promise<string> {
  const seconds = line(await runGit(room, 'read a date', ['show', '-s', '--format=%ct', head]));
  const empty = line(await runGit(room, 'make a tree', ['hash-object', '-w', '-t', 'tree', '--stdin'], Buffer.of()));
  const tree = await treeWith(room, empty, files);
  return commitTree(room, { ...BOOKKEEPING, tree, subject: `State of ${stream}`, date: Number(seconds) * 1000 });
}

/** The small files of a commit; none for ''. */
async function readStateFiles(room: Room, commit: string): Promise<FleetFiles> {
  if (commit === '') return {};
  const names = pathList(await runGit(room, 'list a state', ['ls-tree', '-z', '--name-only', commit]));
  const contents = await Promise.all(names.map((name) => show(room, commit, name)));
  return Object.fromEntries(names.map((name, at) => [name, Buffer.from(contents[at] ?? []).toString('utf8')]));
}

/** What the git of a worker works on. */
interface FleetPlace {
  /** Parent of the work trees. */
  readonly folder: string;
  readonly worker: string;
  readonly env: Env;
  /** The clone that the work trees are of. */
  readonly room: Room;
  readonly remote: Remote;
}

/** $1: object format, $2: folder, $3: remote. The name `origin` is for programs in the work trees, such as LFS. */
const INIT_CLONE = sh`
git init -q --bare --template= --object-format="$1" "$2"
git --git-dir="$2" config remote.origin.url "$3"
mkdir -p "$2/info"
`;

/** What the fleet's own commits have in common. */
const BOOKKEEPING = { parents: [], body: '', trailers: [], sign: false };

/** Identity for the fleet's bookkeeping commits, which are not a person's work. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Ralph Fleet',
  GIT_AUTHOR_EMAIL: 'ralph@localhost',
  GIT_COMMITTER_NAME: 'Ralph Fleet',
  GIT_COMMITTER_EMAIL: 'ralph@localhost',
};

/**
 * Makes, or finds, the clone of a worker in its folder.
 * @throws RemoteRefusal when the remote cannot be reached
 */
async function openPlace(input: {
  readonly remote: string;
  readonly folder: string;
  readonly env: Env;
  readonly worker: string;
}): Promise<FleetPlace> {
  const { folder, env, worker } = input;
  await makeDir(folder);
  const clone = `${folder}/clone.git`;
  const remote = await openRemote({ url: input.remote, folder, objects: `${clone}/objects`, env });
  const room = cloneRoom(clone, env, remote.objectFormat);
  if (!(await exists(`${clone}/info`))) {
    const args = ['-ec', INIT_CLONE, 'ralph', remote.objectFormat, clone, input.remote];
    const { GIT_DIR: _, ...outside } = room.env;
    const result = await runCommand('sh', args, { cwd: folder, env: outside });
    if (result.exitCode !== 0)
      throw gitError(room, 'make a clone', { ...result, stderr: result.stderr.toString('utf8') });
  }
  return { folder, worker, env, room, remote };
}

function cloneRoom(clone: string, env: Env, objectFormat: string): Room {
  const stateDir = `${clone}/ralph`;
  return {
    repo: { root: clone, gitDir: clone, commonDir: clone, stateDir },
    env: {
      ...hostEnv(env, { gitDir: clone, root: clone, excludesFile: null }),
      ...IDENTITY,
      // The clone has no work tree.
      GIT_WORK_TREE: undefined,
    },
    drivers: { instead: [], left: [], included: [] },
    hooksDir: `${clone}/hooks`,
    personal: { 'core.excludesFile': '', 'core.attributesFile': '' },
    objectFormat,
    shadow: `${stateDir}/shadow`,
    work: `${stateDir}/work`,
    objects: `${clone}/objects`,
    clock: systemClock,
    realRoot: null,
    memory: blankMemory(),
  };
}

/** Names of a stream's refs at the remote, and of the last fetched ones. */
interface StreamRefs {
  readonly branch: string;
  /** Ledger and the like, in their own commit. */
  readonly state: string;
  readonly wip: string;
  /** Prefix of the names of kept work. */
  readonly lost: string;
  readonly fetchedBranch: string;
  readonly fetchedState: string;
}

/** @throws GitRefusal when stream or branch cannot be the name of a ref */
async function refsOf(room: Room, { stream, branch }: FleetStream): Promise<StreamRefs> {
  const own = `refs/ralph/fleet/${stream}`;
  for (const ref of [`${own}/state`, `refs/heads/${branch}`]) {
    if ((await tryGit(room, ['check-ref-format', ref])).exitCode === 0) continue;
    throw new GitRefusal({ what: `"${ref}" cannot be the name of a ref`, fix: ['see git help check-ref-format'] });
  }
  return {
    branch: `refs/heads/${branch}`,
    state: `${own}/state`,
    wip: `${own}/wip`,
    lost: `${own}/lost`,
    fetchedBranch: `refs/fetched/${stream}/branch`,
    fetchedState: `refs/fetched/${stream}/state`,
  };
}

/** As a pattern: git accepts a pattern that matches nothing, and fails on a name that does not exist. */
function stateRefspec({ state, fetchedState }: StreamRefs): string {
  const pattern = (ref: string) => `${ref.slice(0, -1)}*`;
  return `+${pattern(state)}:${pattern(fetchedState)}`;
}

/** Git between workers of a fleet: a shared remote, and pushes that compare and swap. */

export interface FleetGit {
  /** Absolute: the clone of this worker, without its own work tree. */
  readonly clone: string;
  /**
   * Fetches branch and state of a stream, and brings its work tree to exactly them; makes it where there is none.
   * Serialised within this clone. Work in that work tree that exists nowhere else is pushed to a side ref first.
   * @returns null where the remote has no such branch
   */
  checkOut(stream: FleetStream): Promise<FleetCheckout | null>;
  /**
   * Pushes branch and state atomically, only if both still are what `base` says: the fencing token of a turn. Git's own
   * hooks and settings of the clone do not run.
   * `fenced`: another worker or a person moved them; nothing was pushed.
   */
  push(stream: FleetStream, base: FleetBase, state: FleetFiles): Promise<'pushed' | 'fenced'>;
  /** Keeps the work of a turn under way at a side ref (`refs/ralph/fleet/<stream>/wip`); never fails a turn. */
  pushWip(stream: FleetStream, tree: string): Promise<void>;
  /** The state of a stream as the remote has it; null when there is none. */
  readState(stream: FleetStream): Promise<FleetFiles | null>;
  /** Work trees of streams in this clone. */
  trees(): Promise<readonly FleetTree[]>;
  /**
   * Removes the work tree of a stream that has ended and is not worked on. Work in it that exists nowhere else is
   * pushed to a side ref first, unless the remote no longer has the branch. False when it stays: it is on no branch.
   */
  forget(tree: FleetTree): Promise<boolean>;
}

export interface FleetStream {
  readonly stream: string;
  readonly branch: string;
}

interface FleetTree {
  readonly stream: string;
  /** The branch it is on; null when an agent left it on none. */
  readonly branch: string | null;
}

/** The remote when a turn began: commit of the branch, commit of `refs/ralph/fleet/<stream>/state` ('' for none). */
export interface FleetBase {
  readonly head: string;
  readonly state: string;
}

export interface FleetCheckout {
  /** Absolute. */
  readonly root: string;
  readonly base: FleetBase;
  /** Files that travel with the branch: ledger, run record, steering, outcome of the last turn. Empty at first. */
  readonly files: FleetFiles;
}

/** Small files by name. */
export type FleetFiles = Readonly<Record<string, string>>;
