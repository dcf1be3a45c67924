import { agentByName } from '../../adapters/agents/registry.ts';
import type { OpenedRun, OpenRun, RunPlace } from '../../streams/open-run.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isolate } from '../isolate.ts';
import { noticesOf } from '../run/notify-run.ts';
import { withPluginFiles } from './open.ts';
import { usableAgents } from './usable-agents.ts';

/**
 * What runs by turns need of the commands, gathered as `ralph run` does it. Finding agents and trying an isolation takes
 * long: it is done once for each work tree, and again when its settings have changed.
 * @param asked the command line says something about isolation
 * @param idle the turns start no agent: whether one is there does not matter
 */
export function turnPorts(io: Io, asked: boolean, { idle = false } = {}): OpenRun {
  const known = new Map<string, { readonly settings: string; readonly ports: Ports }>();
  return async (place) => {
    const { root } = place.git.repo;
    const settings = JSON.stringify(place.config);
    const before = known.get(root);
    const ports = before?.settings === settings ? before.ports : await gather(place, asked, idle, io);
    known.set(root, { settings, ports });
    const notices = await noticesOf(place.git, place.config, io);
    return {
      ...ports,
      workspace: await withPluginFiles(place.workspace, place.config),
      see: notices.see,
      close: notices.settle,
    };
  };
}

type Ports = Omit<OpenedRun, 'workspace' | 'see' | 'close'>;

async function gather(
  { git, workspace, config }: RunPlace,
  asked: boolean,
  idle: boolean,
  { env, stderr }: Io,
): Promise<Ports> {
  const named = await Promise.all(config.agent.map(agentByName));
  const isolated = await isolate({ git, workspace, config, env, agents: named, asked });
  const warn = (text: string) => stderr.write(`warning: ${oneLine(text)}\n`);
  const agents = idle ? named : await usableAgents(named, config, isolated.isolation.name, warn);
  const { root } = git.repo;
  return {
    ...isolated,
    agents,
    openControl: async (run) => {
      const { startControlServer } = await import('../../surfaces/server/start.ts');
      return startControlServer({ run, root, env });
    },
  };
}
