import { passedEnvironment } from '../../adapters/agents/index.ts';
import { type Backend, type InsideWorkspace, isolationInput, lazyHomes } from '../../adapters/isolation/index.ts';
import type { LoadedConfig } from '../../adapters/workspace/index.ts';
import { type Config, RalphError, UsageError } from '../../contracts/index.ts';
import { nearest } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { insidePolicy, withProviders } from '../isolate.ts';
import type { RawFlags } from '../shared/flags.ts';
import { configOf, openProject, workspaceIn } from '../shared/open.ts';
import { equippedAgents } from '../shared/turn-ports.ts';

export const BACKEND_NAMES = ['sbx', 'container', 'bwrap', 'srt'] as const satisfies readonly Backend[];

/** What the commands of `ralph sandbox` work on: what a run here would isolate, and its policy. */
export type Ground = Awaited<ReturnType<typeof openGround>>;

/** Reads the project, or the current directory where there is none. @throws ConfigError, FileProblemsError */
export async function openGround(flags: RawFlags, io: Io) {
  const git = await orNull(openProject(flags, io));
  const root = git?.repo.root ?? io.cwd;
  const { config } = await (git ? configOf(git, io) : configAt(root, io));
  const agents = await equippedAgents(config, root, io.env);
  const workspace = git && (await orNull(workspaceIn(git, flags, io)));
  // A person is present: a login made now is kept.
  const needs = agents.map(({ inside }) => inside);
  const { open: openHome } = lazyHomes({ env: io.env, needs, rights: 'make' });
  const own = await Promise.all(agents.map((agent) => withProviders(agent, io.env, config)));
  const here = { settings: config.isolation, env: io.env, agents: own, openHome };
  const { policy } = workspace
    ? await insidePolicy({ git: null, workspace, config, env: io.env, agents, asked: false }, openHome)
    : { policy: isolationInput({ ...here, registries: [], workspace: bare(root) }) };
  /** The part of the user's environment that checks inside get: without keys of agents. */
  const environment = passedEnvironment(io.env, config, []);
  return { git, root, config, agents, policy, environment };
}

/** Loaded only here: code that several commands share is in the chunk that the configuration builds on. */
async function configAt(root: string, { env }: Io): Promise<LoadedConfig> {
  const { loadConfig } = await import('../../adapters/workspace/config/config.ts');
  return loadConfig({ root, env, flags: {}, onUntrusted: 'leave-out' });
}

/** Before a spec folder exists, only the state belongs to the loop. */
function bare(root: string): InsideWorkspace {
  return { root, readOnly: [`${root}/.ralph`], writable: [] };
}

/** A part that cannot be opened here is left out of the answer; bugs pass through. */
async function orNull<T>(opening: Promise<T>): Promise<T | null> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof RalphError) return null;
    throw error;
  }
}

/** A backend by its name as typed. @throws UsageError naming the nearest one */
export function backendNamed(name: string): Backend {
  const found = BACKEND_NAMES.find((one) => one === name);
  if (found) return found;
  const near = nearest(name, BACKEND_NAMES);
  throw new UsageError({
    what: `there is no backend '${name}'`,
    fix: [near ? `did you mean ${near}?` : `one of: ${BACKEND_NAMES.join(', ')}`],
  });
}

/** The backend a run here would use by its settings. */
export function backendOf({ isolation }: Config): Backend {
  if (isolation.backend !== 'auto' && isolation.backend !== 'none') return isolation.backend;
  return process.platform === 'darwin' ? 'srt' : 'bwrap';
}
