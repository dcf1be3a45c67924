import { type AgentAdapter, agentsOf, equipped, serversFor, toolsAskedFor } from '../../adapters/agents/index.ts';
import type { IsolationName } from '../../adapters/isolation/index.ts';
import { findServers, findSkills, loadConfig, workspaceAt } from '../../adapters/workspace/index.ts';
import { type Config, ConfigError, describeError, type Env, UnavailableError } from '../../contracts/index.ts';
import { oneLine } from '../../rules/text/index.ts';
import type { OpenedRun, OpenRun, RunPlace } from '../../streams/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { isolate } from '../isolate.ts';
import { noticesOf } from '../run/company.ts';
import type { RunFlags } from '../run/flags.ts';
import { withPluginFiles } from './open.ts';

/**
 * What runs by turns need of the commands, set up as `ralph run` does it. Finding agents and trying an isolation takes
 * long: it is done once for each work tree, and again when its settings change.
 * @param asked the command line says something about isolation
 * @param idle the turns start no agent: it does not matter whether one exists
 */
export function turnPorts(io: Io, asked: boolean, { idle = false } = {}): OpenRun {
  const known = new Map<string, { readonly settings: string; readonly ports: Ports }>();
  return async (place) => {
    const { root } = place.git.repo;
    const settings = JSON.stringify(place.config);
    const before = known.get(root);
    const ports = before?.settings === settings ? before.ports : await portsOf(place, asked, idle, io);
    known.set(root, { settings, ports });
    const notices = await noticesOf(place, place.config, io);
    return {
      ...ports,
      workspace: await withPluginFiles(place.workspace, place.config),
      see: notices.see,
      close: notices.settle,
    };
  };
}

type Ports = Omit<OpenedRun, 'workspace' | 'see' | 'close'>;

/**
 * The agents and the isolation of a run, found and tried.
 * @throws UnavailableError, ConfigError, UsageError
 */
export async function portsOf(
  { git, workspace, config }: RunPlace,
  asked: boolean,
  idle: boolean,
  { env, stderr }: Io,
): Promise<Ports> {
  const warn = (text: string) => stderr.write(`warning: ${oneLine(text)}\n`);
  const named = await equippedAgents(config, git.repo.root, env, warn);
  const isolated = await isolate({ git, workspace, config, env, agents: named, asked });
  const agents = idle ? named : await usableAgents(named, config, isolated.isolation.name, warn);
  return {
    ...isolated,
    agents,
    openControl: async () => (await import('../../surfaces/server/start.ts')).startControlServer(),
  };
}

/**
 * The agents that a run can use: those that work, then those that only review. Of a list with fallbacks, those after
 * the first available one are not checked: asking a program for its version takes long, and mostly they are not needed;
 * a missing one is skipped when its turn comes. A panel needs all of its agents.
 * @param warn called for each skipped one
 * @throws UnavailableError naming why each is unavailable; ConfigError for a panel with too few agents
 */
async function usableAgents(
  named: readonly AgentAdapter[],
  config: Config,
  isolation: IsolationName,
  warn: (text: string) => void,
): Promise<readonly AgentAdapter[]> {
  const { agents: own, panel } = config.review;
  const listed = (names: readonly string[]) =>
    [...new Set(names)].flatMap((name) => named.filter((a) => a.name === name));
  const workers = await usable('the agent', listed(config.agent), 1);
  if (config.skipReview || (own === null && panel === 1)) return workers;
  const reviewers = listed(own ?? config.agent);
  if (panel > reviewers.length) {
    throw new ConfigError({
      what: `a panel of ${panel} needs ${panel} different agents`,
      why: `only ${reviewers.map(({ name }) => name).join(', ')} may review`,
      fix: ['name them in `review.agents`, e.g. ["claude", "codex"]', 'or make `review.panel` smaller'],
    });
  }
  return [...new Set([...workers, ...(await usable('the reviewer', reviewers, panel))])];

  async function usable(what: string, agents: typeof named, needed: number): Promise<typeof named> {
    const reasons: string[] = [];
    const fixes: string[] = [];
    let told = 0;
    const found: AgentAdapter[] = [];
    for (const [i, agent] of agents.entries()) {
      if (found.length === needed) return [...found, ...agents.slice(i)];
      const { ok, detail, fix } = await agent.detect(config, isolation);
      if (ok) {
        for (const reason of reasons.slice(told)) warn(`${reason}; ${agent.name} takes over`);
        told = reasons.length;
        found.push(agent);
      } else {
        reasons.push(`${agent.name}: ${detail}`);
        fixes.push(fix);
      }
    }
    if (found.length === needed) return found;
    if (agents.length === 0)
      throw new ConfigError({ what: 'no agent is configured', fix: ['ralph run --agent claude'] });
    throw new UnavailableError({
      what:
        needed > 1 ? `${needed} agents must review, but only ${found.length} can be used` : `${what} cannot be used`,
      where: reasons.join('; '),
      fix: [...fixes, '`ralph doctor` checks everything a run needs'],
    });
  }
}

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

/**
 * What checks need: no agent works, so none is looked up.
 * @param room name of a clean room beside the one of the work tree's runs
 */
export function checksOnly(io: Io, room?: string): OpenRun {
  return async ({ git, workspace, config }) => {
    const agents = await agentsOf(config);
    const isolated = await isolate({
      git,
      workspace,
      config,
      env: io.env,
      agents,
      asked: false,
      ...(room && { room }),
    });
    return {
      ...isolated,
      workspace: await withPluginFiles(workspace, config),
      agents,
      openControl: () => Promise.reject(new Error('checks start no agent')),
      see: () => {},
      close: async () => {},
    };
  };
}

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
