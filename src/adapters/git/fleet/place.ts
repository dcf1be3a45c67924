import { GitRefusal } from '../../../contracts/index.ts';
import { exists, makeDir, runCommand, systemClock } from '../../../platform/index.ts';
import { type Env, hostEnv } from '../environment.ts';
import { blankMemory, gitError, type Room, tryGit } from '../room.ts';
import { sh } from '../scripts/prelude.ts';
import type { FleetStream } from './port.ts';
import { openRemote, type Remote } from './remote.ts';

/** What the git of a worker works on. */
export interface FleetPlace {
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
export async function openPlace(input: {
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
export async function refsOf(room: Room, { stream, branch }: FleetStream): Promise<StreamRefs> {
  const own = `refs/ralph/fleet/${stream}`;
  for (const ref of [`${own}/state`, `refs/heads/${branch}`]) {
    if ((await tryGit(room, ['check-ref-format', ref])).exitCode === 0) continue;
    throw new GitRefusal({ what: `"${ref}" cannot be the name of a ref`, mend: ['see git help check-ref-format'] });
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
export function stateRefspec({ state, fetchedState }: StreamRefs): string {
  const pattern = (ref: string) => `${ref.slice(0, -1)}*`;
  return `+${pattern(state)}:${pattern(fetchedState)}`;
}
