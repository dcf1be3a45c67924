import { join } from 'node:path';
import { UnavailableError } from '../../../contracts/index.ts';
import { chmod, keepGoing, makeDir, makeTempDir, processId, remove, writeAtomic } from '../../../platform/index.ts';
import { tryClaims } from '../battery/canary.ts';
import { openGateway } from '../gateway/open.ts';
import type { Command, Env, InsideCommand, Isolation, IsolationInput, IsolationRun, Probe } from '../port.ts';
import { type Session, withHome, withSession } from '../session.ts';
import { bridgeCommand, bridgeProgram, insideEnvironment } from '../view/environment.ts';
import { chooseEngine, describeEngine, fixEngine } from './detect.ts';
import {
  clientEnvironment,
  currentUser,
  type Engine,
  labelsOf,
  removeContainers,
  removeLeftovers,
  ulimitFlags,
} from './engine.ts';
import { imageTrouble } from './image.ts';
import { hostMountPoints, openPrograms } from './programs.ts';
import { containerEnvironment, renderView, runArguments } from './run-arguments.ts';
import { seccompFlags } from './seccomp.ts';

type FindEngine = () => ReturnType<typeof chooseEngine>;

/** Agents, checks and hooks in containers of Podman or Docker: one for each command, without a network. */
export function openContainer(input: IsolationInput): Isolation {
  let found: ReturnType<FindEngine> | null = null;
  return containersOf(input, () => {
    found ??= clientEnvironment(input).then((client) => chooseEngine(input.container.engine, client));
    return found;
  });
}

function containersOf(input: IsolationInput, findEngine: FindEngine): Isolation {
  const probing = async () => {
    const engine = await findEngine();
    return 'name' in engine ? probe(engine, input) : unavailable(engine.join('; '), fixEngine(engine));
  };
  const lent = input.policy.lending?.lent ?? [];
  return withSession({ name: 'container', coversGitDir: true, lent, probe: probing }, async (run) => {
    const engine = await findEngine();
    if (!('name' in engine)) throw new UnavailableError({ what: 'no container engine works', why: engine.join('; ') });
    return openSession(engine, input, run, await clientEnvironment(input));
  });
}

async function probe(engine: Engine, input: IsolationInput): Promise<Probe> {
  const { image } = input.container;
  const trouble = image === null ? null : await imageTrouble(engine, image, await clientEnvironment(input));
  if (trouble !== null) return unavailable(trouble.why, trouble.fix);
  const claims = await tryClaims((changed) => containersOf(changed, async () => engine), input);
  const detail = `${describeEngine(engine)}, ${image === null ? "this machine's programs" : `image ${image}`}`;
  const unlimited = engine.limits.memory ? [] : (['memory'] as const);
  return { available: claims.every(({ held }) => held), detail, fix: [], claims, unlimited };
}

function unavailable(detail: string, fix: readonly string[] = []): Probe {
  return { available: false, detail, fix, claims: [] };
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

/** So that two sessions of this process, a probe and a run, use different container names. */
let containers = 0;

/**
 * Removes containers of killed runs, inspects the machine, opens the way out, and creates the replacements for hidden
 * files.
 *
 * @param client the environment of the engine's client
 * @throws UnavailableError when the view cannot be put together
 */
async function openSession(engine: Engine, input: IsolationInput, run: IsolationRun, client: Env): Promise<Session> {
  const { policy } = input;
  await removeLeftovers(engine, client);
  const programs = await openPrograms(engine, input, client);
  const [mountPoints, ulimits, program] = await Promise.all([
    hostMountPoints(),
    ulimitFlags(engine.name),
    bridgeProgram(programs.node, programs.ofHost),
  ]);
  const gateway = await openGateway(input, run);
  const masks = await makeMasks();
  const { sockets, ports } = gateway;
  // Folders in memory count as memory where memory is limited; elsewhere this value limits each of them.
  const covers = { ...masks, memoryBytes: Math.floor(policy.memoryBytes / 2) };
  const seccomp = await seccompFlags(engine, masks.place);
  const { run: id } = run;
  // The folder's path is in the command lines of the first processes.
  const letStop = keepGoing(sockets);
  // The engine counts processes per container; a count by user would include the user's own programs.
  const processes = engine.limits.processes ? 0 : policy.processes;

  /** The client's command that runs `asked` in a container. @param home its home folder on the host */
  async function commandIn(name: string, home: string, asked: InsideCommand): Promise<Command> {
    const view = await programs.sight(home, asked, sockets);
    const { flags: mounts, skeleton } = renderView(view, covers, mountPoints);
    const command = programs.commandFor({ ...asked, env: insideEnvironment(asked.env, input, view) }, view);
    const environment = containerEnvironment(command.env, client);
    const inside = bridgeCommand({ program, sockets, ports, processes, command });
    const args = runArguments({
      ...{ engine, name, mounts, policy },
      labels: labelsOf(id),
      image: await programs.imageFor(skeleton),
      hostPrograms: programs.ofHost,
      environment: environment.flags,
      cwd: inside.cwd,
      user: currentUser(),
      restrictions: [...ulimits, ...seccomp],
      file: '/bin/sh',
      args: ['-c', FIRST_PROCESS, 'sh', inside.file, ...inside.args],
    });
    const words = [engine.name, ...engine.global].join(' ');
    const start = ['-c', START, 'sh', name, words, engine.piped.join(' '), ...args];
    return { file: '/bin/sh', args: start, cwd: '/', env: environment.client };
  }

  return {
    wrap: withHome(input, async (home, command) => {
      containers += 1;
      const name = `ralph-${id.replaceAll(/[^A-Za-z0-9_.-]/g, '-')}-${processId()}-${containers}`;
      const started = await commandIn(name, home, command);
      return { ...started, end: () => removeContainers(engine, [name], client) };
    }),
    close: async () => {
      letStop();
      await gateway.close();
      await remove(masks.place).catch(() => {});
    },
  };
}

/** An unreadable empty file and empty folder, to be mounted over what must not be read. */
async function makeMasks() {
  const place = await makeTempDir('ralph-masks-');
  const file = join(place, 'file');
  const folder = join(place, 'folder');
  await writeAtomic(file, '', { fsync: false });
  await makeDir(folder);
  await chmod(file, 0);
  await chmod(folder, 0);
  return { place, file, folder };
}
