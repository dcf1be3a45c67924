import { line, type Room, runGit, tryGit } from '../room.ts';
import { commitTree } from '../worktrees/commit-tree.ts';
import type { FleetPlace } from './place.ts';
import type { FleetBase, FleetFiles, FleetStream } from './port.ts';
import { refsOf } from './refs.ts';
import { writeStateFiles } from './state-files.ts';

/** See `FleetGit.push`. Done again after an answer that got lost, it finds its own work there: 'pushed'. */
export async function pushTurn(
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
  // Why it failed is only worth asking where the remote is still what it was.
  const now = await remote.list([refs.branch, refs.state]);
  const [branchNow, stateNow] = [now.get(refs.branch) ?? '', now.get(refs.state) ?? ''];
  if (branchNow === head && stateNow === state) return 'pushed';
  if (branchNow !== base.head || stateNow !== base.state) return 'fenced';
  throw remote.refuse('push a turn', said);
}

/** See `FleetGit.pushWip`. */
export async function pushWip({ room, remote }: FleetPlace, stream: FleetStream, tree: string): Promise<void> {
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

/** Pushing with a lease forces: history that others have must not be lost that way. */
async function refuseRewritten(room: Room, base: string, head: string): Promise<void> {
  const builds = await tryGit(room, ['merge-base', '--is-ancestor', base, head]);
  if (builds.exitCode !== 0) throw new Error(`${head} does not build on ${base}, which the remote has`);
}

/** Without a parent, so that old ones can go; dated as the work is, so that the same turn has the same commit. */
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
