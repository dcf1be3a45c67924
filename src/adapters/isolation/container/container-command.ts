import type { Command, InsideCommand, IsolationInput } from '../port.ts';
import { insideEnvironment } from '../view/environment.ts';
import { bridgeCommand } from '../view/inside-command.ts';
import { currentUser, type Engine, type Environment } from './engine.ts';
import { containerEnvironment } from './environment.ts';
import { labelsOf } from './leftovers.ts';
import { type Covers, renderView } from './mounts.ts';
import type { Programs } from './programs.ts';
import { runArguments } from './run-arguments.ts';

/** What is the same for every container of a run. */
export interface Setting {
  readonly engine: Engine;
  /** The environment that its client needs for itself. */
  readonly client: Environment;
  readonly input: IsolationInput;
  readonly run: string;
  readonly programs: Programs;
  readonly covers: Covers;
  /** Where file systems are mounted on the host. */
  readonly mountPoints: readonly string[];
  readonly ulimits: readonly string[];
  readonly seccomp: readonly string[];
  /** The bridge program, the gateway's folder, and the ports of the host that are there inside. */
  readonly bridge: string;
  readonly sockets: string;
  readonly ports: readonly number[];
}

/**
 * The first process of a container has to take leave of those whose parents are gone, and gets no signal that it does
 * not handle. A shell does both well: it passes on what asks to end, and ends with the exit code of the bridge.
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
 * for where there is no terminal (a terminal cannot be handed on); what follows are the arguments of `run`.
 *
 * Podman's monitor of a container, conmon, has to outlive everything that is ended with a run, or nobody notices how it
 * ended. It inherits the limit of file locks, by which descendants of a run are found (src/platform/process/lineage.ts). So the
 * client gets one of its own; it is found all the same, by its environment.
 *
 * Podman's client passes a SIGTERM on, and kills itself when that fails: what is inside may have ended by itself by
 * then, or the sweep that ends a whole tree has hit its helper as well. An agent may still be at its last words, so the
 * shell waits for the container to end.
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
  // The engine counts what is in the container; counted by user, the person's own programs would be among them.
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
