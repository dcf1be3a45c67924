import { systemClock } from '../../../platform/clock.ts';
import { exists, makeDir } from '../../../platform/files/files.ts';
import { runCommand } from '../../../platform/process/run-command.ts';
import { type Env, hostEnv } from '../environment.ts';
import { blankMemory, gitError, type Room } from '../room.ts';
import { sh } from '../scripts/sh.ts';
import { openRemote, type Remote } from './remote.ts';

/** What the git of a worker works on. */
export interface FleetPlace {
  /** Above the work trees. */
  readonly folder: string;
  readonly worker: string;
  readonly env: Env;
  /** The clone that the work trees are of. */
  readonly room: Room;
  readonly remote: Remote;
}

/** $1: object format, $2: folder, $3: remote. The name `origin` is for what runs in the work trees, such as LFS. */
const INIT_CLONE = sh`
git init -q --bare --template= --object-format="$1" "$2"
git --git-dir="$2" config remote.origin.url "$3"
mkdir -p "$2/info"
`;

/** The bookkeeping of the fleet is nobody's work. */
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
      // It has none.
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
