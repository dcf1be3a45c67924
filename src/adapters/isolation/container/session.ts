import { keepGoing } from '../../../platform/keep-going.ts';
import { processId } from '../../../platform/process/process-facts.ts';
import { openGateway } from '../gateway/open.ts';
import type { InsideCommand, IsolationInput, IsolationRun, WrappedCommand } from '../port.ts';
import { bridgeFile } from '../view/inside-command.ts';
import { withHome } from '../with-home.ts';
import { containerCommand, type Setting } from './container-command.ts';
import type { Engine, Environment } from './engine.ts';
import { removeContainers, removeLeftovers } from './leftovers.ts';
import { makeMasks } from './masks.ts';
import { openPrograms } from './programs.ts';
import { seccompFlags } from './seccomp.ts';
import { hostMountPoints } from './sight.ts';
import { ulimitFlags } from './ulimits.ts';

/** A run in containers. */
export interface Session {
  wrap(command: InsideCommand): Promise<WrappedCommand>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** So that two sessions of this process, a probe and a run, name their containers apart. */
let containers = 0;

/**
 * Removes containers of runs that were killed, looks at the machine, opens the way out, and makes what stands in for
 * hidden files.
 *
 * @param client the environment of the engine's client
 * @throws UnavailableError when what is to be seen cannot be put together
 */
export async function openSession(
  engine: Engine,
  input: IsolationInput,
  run: IsolationRun,
  client: Environment,
): Promise<Session> {
  const { policy, env } = input;
  await removeLeftovers(engine, client);
  const programs = await openPrograms(engine, input, client);
  const [mountPoints, ulimits, bridge] = await Promise.all([hostMountPoints(), ulimitFlags(engine.name), bridgeFile()]);
  const ports = [...new Set([...policy.localPorts, ...run.localPorts])];
  const gateway = await openGateway({ hosts: policy.hosts, ports, env, onRefusal: run.onRefusal });
  const masks = await makeMasks();
  const { sockets } = gateway;
  // Folders in memory count as memory where that is limited; where not, this holds each of them.
  const covers = { ...masks, memoryBytes: Math.floor(policy.memoryBytes / 2) };
  const seccomp = await seccompFlags(engine, masks.place);
  const { run: id } = run;
  // The folder is in the command lines of the first processes.
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
