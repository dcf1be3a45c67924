import { join } from 'node:path';
import { UnavailableError } from '../../../contracts/index.ts';
import { chmod, keepGoing, makeDir, makeTempDir, processId, remove, writeAtomic } from '../../../platform/index.ts';
import { tryClaims } from '../battery/canary.ts';
import { openGateway } from '../gateway/open.ts';
import type { Isolation, IsolationInput, IsolationRun, Probe } from '../port.ts';
import { type Session, sharedPorts, withHome, withSession } from '../session.ts';
import { bridgeFile } from '../view/environment.ts';
import { containerCommand, openPrograms, type Setting } from './container-command.ts';
import { chooseEngine, describeEngine, mendEngine } from './detect.ts';
import {
  clientEnvironment,
  type Engine,
  type Environment,
  removeContainers,
  removeLeftovers,
  ulimitFlags,
} from './engine.ts';
import { imageTrouble } from './image.ts';
import { seccompFlags } from './seccomp.ts';
import { hostMountPoints } from './sight.ts';

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
    return 'name' in engine ? probe(engine, input) : unavailable(engine.join('; '), mendEngine(engine));
  };
  return withSession({ name: 'container', coversGitDir: true, probe: probing }, async (run) => {
    const engine = await findEngine();
    if (!('name' in engine)) throw new UnavailableError({ what: 'no container engine works', why: engine.join('; ') });
    return openSession(engine, input, run, await clientEnvironment(input));
  });
}

async function probe(engine: Engine, input: IsolationInput): Promise<Probe> {
  const { image } = input.container;
  const trouble = image === null ? null : await imageTrouble(engine, image, await clientEnvironment(input));
  if (trouble !== null) return unavailable(trouble.why, trouble.mend);
  const claims = await tryClaims((changed) => containersOf(changed, async () => engine), input);
  const detail = `${describeEngine(engine)}, ${image === null ? "this machine's programs" : `image ${image}`}`;
  const unlimited = engine.limits.memory ? [] : (['memory'] as const);
  return { available: claims.every(({ held }) => held), detail, mend: [], claims, unlimited };
}

function unavailable(detail: string, mend: readonly string[] = []): Probe {
  return { available: false, detail, mend, claims: [] };
}

/** So that two sessions of this process, a probe and a run, use different container names. */
let containers = 0;

/**
 * Removes containers of killed runs, inspects the machine, opens the way out, and creates the replacements for hidden
 * files.
 *
 * @param client the environment of the engine's client
 * @throws UnavailableError when the view cannot be put together
 */
async function openSession(
  engine: Engine,
  input: IsolationInput,
  run: IsolationRun,
  client: Environment,
): Promise<Session> {
  const { policy, env } = input;
  await removeLeftovers(engine, client);
  const programs = await openPrograms(engine, input, client);
  const [mountPoints, ulimits, bridge] = await Promise.all([hostMountPoints(), ulimitFlags(engine.name), bridgeFile()]);
  const ports = sharedPorts(input, run);
  const gateway = await openGateway({ hosts: policy.hosts, ports, env, onRefusal: run.onRefusal });
  const masks = await makeMasks();
  const { sockets } = gateway;
  // Folders in memory count as memory where memory is limited; elsewhere this value limits each of them.
  const covers = { ...masks, memoryBytes: Math.floor(policy.memoryBytes / 2) };
  const seccomp = await seccompFlags(engine, masks.place);
  const { run: id } = run;
  // The folder's path is in the command lines of the first processes.
  const letStop = keepGoing(sockets);
  const setting: Setting = {
    ...{ engine, client, input, run: id, programs },
    ...{ covers, mountPoints, ulimits, seccomp, bridge, sockets, ports },
  };
  return {
    wrap: withHome(input, async (home, command) => {
      containers += 1;
      const name = `ralph-${id.replaceAll(/[^A-Za-z0-9_.-]/g, '-')}-${processId()}-${containers}`;
      const wrapped = await containerCommand(setting, home, command, name);
      return { ...wrapped, end: () => removeContainers(engine, [name], client) };
    }),
    close: async () => {
      letStop();
      await gateway.close();
      await masks.dispose();
    },
  };
}

interface Masks {
  /** The folder that contains them. */
  readonly place: string;
  readonly file: string;
  readonly folder: string;
  /** Never rejects. */
  dispose(): Promise<void>;
}

/** An unreadable empty file and empty folder, to be mounted over what must not be read. */
async function makeMasks(): Promise<Masks> {
  const place = await makeTempDir('ralph-masks-');
  const file = join(place, 'file');
  const folder = join(place, 'folder');
  await writeAtomic(file, '', { fsync: false });
  await makeDir(folder);
  await chmod(file, 0);
  await chmod(folder, 0);
  return { place, file, folder, dispose: () => remove(place).catch(() => {}) };
}
