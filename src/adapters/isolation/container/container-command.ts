import { basename, isAbsolute } from 'node:path';
import type { Command, InsideCommand, IsolationInput } from '../port.ts';
import { isThere, type ViewEntry } from '../view/entry.ts';
import { bridgeCommand, insideEnvironment } from '../view/environment.ts';
import { currentUser, type Engine, type Environment, labelsOf } from './engine.ts';
import { type Covers, renderView, type Skeleton } from './mounts.ts';
import { containerEnvironment, runArguments } from './run-arguments.ts';
import { hostSight, imageSight, type Sight } from './sight.ts';
import { provideSkeleton } from './skeleton.ts';

/** What every container of a run shares. */
export interface Setting {
  readonly engine: Engine;
  /** The environment that the engine's client itself needs. */
  readonly client: Environment;
  readonly input: IsolationInput;
  readonly run: string;
  readonly programs: Programs;
  readonly covers: Covers;
  /** Where file systems are mounted on the host. */
  readonly mountPoints: readonly string[];
  readonly ulimits: readonly string[];
  readonly seccomp: readonly string[];
  /** The bridge program, the gateway's folder, and the host ports available inside. */
  readonly bridge: string;
  readonly sockets: string;
  readonly ports: readonly number[];
}

/**
 * The first process of a container has to reap processes whose parents are gone, and gets no signal without a handler.
 * A shell does both well: it passes termination signals on, and ends with the exit code of the bridge.
 */
const FIRST_PROCESS = `exec 3<&0
"$@" <&3 3<&- &
exec 0<&- 3<&-
trap 'kill -TERM $!' TERM INT HUP
wait $!; code=$?
while kill -0 $! 2>/dev/null; do wait $!; code=$?; done
exit $code`;

/**
 * Starts the engine's client: `$1` is the name of the container, `$2` the client with its global arguments, `$3` flags
 * for use without a terminal (a terminal cannot be passed on); the arguments of `run` follow.
 *
 * Podman's monitor of a container, conmon, has to outlive everything that is ended with a run, or no process records
 * the container's exit code. It inherits the limit of file locks, by which descendants of a run are found
 * (src/platform/process/processes.ts). So the client gets its own limit; it is still found by its environment.
 *
 * Podman's client passes a SIGTERM on, and kills itself when that fails: the process inside may have ended by then, or
 * the sweep that ends a whole tree has hit the client's helper as well. An agent may still be writing its last words,
 * so the shell waits for the container to end.
 */
const START = `name=$1 client=$2 piped=$3; shift 3
n=$(ulimit -w 2>/dev/null || ulimit -x 2>/dev/null)
case $n in unlimited|'') ;; *) n=$((n - 1)); ulimit -w $n 2>/dev/null || ulimit -x $n 2>/dev/null ;; esac
how=$piped
if [ -t 0 ] || [ -t 1 ] || [ -t 2 ]; then how='--log-driver none'; fi
if [ -t 0 ] && [ -t 1 ]; then how="$how --tty"; fi
trap : TERM
$client run $how "$@"; code=$?
while [ $code -gt 128 ] && $client container inspect "$name" >/dev/null 2>&1; do
  ended=$($client wait "$name" 2>/dev/null) && code=$ended && break
done
exit $code`;

/** The client's command that runs `asked` in a container called `name`. @param home its home folder on the host */
export async function containerCommand(
  setting: Setting,
  home: string,
  asked: InsideCommand,
  name: string,
): Promise<Command> {
  const { engine, input, programs, sockets, ports } = setting;
  const view = await programs.sight(home, asked, sockets);
  const { flags: mounts, skeleton } = renderView(view, setting.covers, setting.mountPoints);
  const command = programs.commandFor({ ...asked, env: insideEnvironment(asked.env, input, view) }, view);
  const { flags: environment, client } = containerEnvironment(command.env, setting.client);
  // The engine counts processes per container; a count by user would include the user's own programs.
  const processes = engine.limits.processes ? 0 : input.policy.processes;
  const inside = bridgeCommand({ node: programs.node, bridge: setting.bridge, sockets, ports, processes, command });
  const args = runArguments({
    engine,
    name,
    labels: labelsOf(setting.run),
    image: await programs.imageFor(skeleton),
    hostPrograms: programs.ofHost,
    mounts,
    environment,
    cwd: inside.cwd,
    user: currentUser(),
    policy: input.policy,
    restrictions: [...setting.ulimits, ...setting.seccomp],
    added: input.container.args,
    file: '/bin/sh',
    args: ['-c', FIRST_PROCESS, 'sh', inside.file, ...inside.args],
  });
  const words = [engine.name, ...engine.global].join(' ');
  return {
    file: '/bin/sh',
    args: ['-c', START, 'sh', name, words, engine.piped.join(' '), ...args],
    cwd: '/',
    env: client,
  };
}

/** Where the programs inside come from. */
interface Programs {
  /** This machine; otherwise an image. */
  readonly ofHost: boolean;
  /** Node's path inside. */
  readonly node: string;
  readonly sight: Sight;
  /** Name of the image, which has to contain the skeleton if it contains nothing else. */
  imageFor(skeleton: Skeleton): Promise<string>;
  /** The command in a form that can start there. */
  commandFor(command: InsideCommand, view: readonly ViewEntry[]): InsideCommand;
}

/** Inspects the machine once for a run. @throws UnavailableError where no view can be made */
export async function openPrograms(engine: Engine, input: IsolationInput, client: Environment): Promise<Programs> {
  const { image } = input.container;
  return image === null ? programsOfHost(engine, input, client) : programsOfImage(image, input);
}

async function programsOfHost(engine: Engine, input: IsolationInput, client: Environment): Promise<Programs> {
  // Commands of a run rarely differ here, and asking the engine takes as long as starting a container.
  const known = new Map<string, Promise<string>>();
  return {
    ofHost: true,
    node: process.execPath,
    sight: await hostSight(input),
    imageFor: (skeleton) => {
      const key = JSON.stringify([skeleton.folders, skeleton.temporary, [...skeleton.links]]);
      const image = known.get(key) ?? provideSkeleton(engine, skeleton, client);
      known.set(key, image);
      return image;
    },
    commandFor: (command) => command,
  };
}

/** The image sets PATH; a program of this machine is looked up there by name. */
async function programsOfImage(image: string, input: IsolationInput): Promise<Programs> {
  return {
    ofHost: false,
    node: 'node',
    sight: await imageSight(input),
    imageFor: async () => image,
    commandFor: (command, view) => {
      const { PATH: _, ...env } = command.env;
      const { file } = command;
      return { ...command, env, file: isAbsolute(file) && !isThere(view, file) ? basename(file) : file };
    },
  };
}
