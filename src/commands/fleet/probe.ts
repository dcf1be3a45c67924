import { agentsOf } from '../../adapters/agents/index.ts';
import { loadConfig, workspaceAt } from '../../adapters/workspace/index.ts';
import { describeError, UnavailableError } from '../../contracts/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { isolate } from '../isolate.ts';
import type { RunFlags } from '../run/flags.ts';
import { usableAgents } from '../shared/turn-ports.ts';

/**
 * Tests at startup what a worker needs for every turn: agent and isolation, as far as the command line and this machine
 * name them. Needs of a project beyond that show in its turns.
 * @param folder of the worker, without project settings; absolute
 * @throws UnavailableError, FileProblemsError, ConfigError as a run does
 */
export async function probePlace(
  flags: RunFlags['config'],
  folder: string,
  io: Io,
  tell: (text: string) => void,
): Promise<void> {
  const { config } = await loadConfig({ root: folder, env: io.env, flags, onUntrusted: 'leave-out' });
  const named = await agentsOf(config);
  const asked = flags.isolation !== undefined;
  const { isolation } = await isolate({
    git: null,
    workspace: await workspaceAt(folder, 'ralph'),
    config,
    env: io.env,
    agents: named,
    asked,
  });
  try {
    await usableAgents(named, config, isolation.name, tell);
  } catch (error) {
    if (!(error instanceof UnavailableError) || flags.agent !== undefined) throw error;
    // Projects may name another one.
    for (const line of describeError(error).split('\n')) tell(line.replace(/^Error: /, 'warning: '));
  }
}
