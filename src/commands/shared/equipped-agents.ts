import { type AgentAdapter, agentsOf, equipped, serversFor, toolsAskedFor } from '../../adapters/agents/index.ts';
import { findServers, findSkills } from '../../adapters/workspace/index.ts';
import type { Config, Env } from '../../contracts/index.ts';

/**
 * The agents of a run, with the MCP servers, skills and sub-agents that their settings ask for, as they are now: what an
 * agent changes later counts for the next run.
 * @param warn called for each file that is left out
 * @throws ConfigError, UsageError for an agent or a server that is not there
 */
export async function equippedAgents(
  config: Config,
  root: string,
  env: Env,
  warn: (text: string) => void = () => {},
): Promise<readonly AgentAdapter[]> {
  const agents = await agentsOf(config);
  return Promise.all(
    agents.map(async (agent) => {
      const { mcp, skills } = toolsAskedFor(config, agent.name);
      const servers = mcp.length === 0 ? [] : serversFor(agent.name, mcp, await findServers(root, env), env);
      return equipped(agent, { servers, skills: skills ? await skillsIn(root, warn) : [] });
    }),
  );
}

async function skillsIn(root: string, warn: (text: string) => void) {
  const { files, leftOut } = await findSkills(root);
  for (const what of leftOut) warn(`not given to the agent: ${what}`);
  return files;
}
