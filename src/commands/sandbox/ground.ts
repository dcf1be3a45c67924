import { passedEnvironment } from '../../adapters/agents/allowed-environment.ts';
import type { AgentAdapter } from '../../adapters/agents/port.ts';
import { agentByName } from '../../adapters/agents/registry.ts';
import type { Git } from '../../adapters/git/port.ts';
import { lazyHomes } from '../../adapters/isolation/home/homes.ts';
import { type EffectivePolicy, isolationInput } from '../../adapters/isolation/policy.ts';
import type { Backend, InsideWorkspace } from '../../adapters/isolation/port.ts';
import type { LoadedConfig } from '../../adapters/workspace/config/config.ts';
import type { Config } from '../../contracts/config.ts';
import { RalphError, UsageError } from '../../contracts/errors.ts';
import { nearest } from '../../rules/nearest.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { insidePolicy } from '../isolate.ts';
import type { RawFlags } from '../shared/flags.ts';
import { configIn, openProject, workspaceIn } from '../shared/open.ts';

/** In the order of their strength. */
export const BACKEND_NAMES = ['sbx', 'container', 'bwrap', 'srt'] as const satisfies readonly Backend[];

/** Where the commands of `ralph sandbox` stand: what a run here would isolate, and by which policy. */
export interface Ground {
  /** Null outside a repository. */
  readonly git: Git | null;
  readonly root: string;
  readonly config: Config;
  readonly agents: readonly AgentAdapter[];
  /** What commands inside get of the person's environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly policy: EffectivePolicy;
}

/** Reads the project, or the current directory where there is none. @throws ConfigError, FileProblemsError */
export async function openGround(flags: RawFlags, io: Io): Promise<Ground> {
  const git = await orNull(openProject(flags, io));
  const root = git?.repo.root ?? io.cwd;
  const { config } = await (git ? configIn(git, io) : configAt(root, io));
  const agents = await Promise.all(config.agent.map(agentByName));
  const workspace = git && (await orNull(workspaceIn(git, flags, io)));
  // A person is there: a login that is made now is kept.
  const needs = agents.map(({ inside }) => inside);
  const { open: openHome } = lazyHomes({ env: io.env, needs, rights: 'make' });
  const here = { settings: config.isolation, env: io.env, agents, openHome };
  const { policy } = workspace
    ? await insidePolicy({ git: null, workspace, config, env: io.env, agents, asked: false }, openHome)
    : { policy: isolationInput({ ...here, registries: [], workspace: bare(root) }) };
  return { git, root, config, agents, policy, environment: passedEnvironment(io.env, config, agents) };
}

/** Loaded here and not before: what several commands share is in the chunk that the configuration builds on. */
async function configAt(root: string, { env }: Io): Promise<LoadedConfig> {
  const { loadConfig } = await import('../../adapters/workspace/config/config.ts');
  return loadConfig({ root, env, flags: {}, onUntrusted: 'leave-out' });
}

/** Before there is a spec folder, nothing of the project is the loop's but its state. */
function bare(root: string): InsideWorkspace {
  return { root, readOnly: [`${root}/.ralph`], writable: [] };
}

/** What cannot be opened here is no part of the answer; bugs pass through. */
async function orNull<T>(opening: Promise<T>): Promise<T | null> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof RalphError) return null;
    throw error;
  }
}

/** A backend as a person named it. @throws UsageError naming the nearest one */
export function backendNamed(name: string): Backend {
  const found = BACKEND_NAMES.find((one) => one === name);
  if (found) return found;
  const near = nearest(name, BACKEND_NAMES);
  throw new UsageError({
    what: `there is no backend '${name}'`,
    mend: [near ? `did you mean ${near}?` : `one of: ${BACKEND_NAMES.join(', ')}`],
  });
}

/** What a run here would isolate with where nothing else is said. */
export function backendOf({ isolation }: Config): Backend {
  if (isolation.backend !== 'auto' && isolation.backend !== 'none') return isolation.backend;
  return process.platform === 'darwin' ? 'srt' : 'bwrap';
}
