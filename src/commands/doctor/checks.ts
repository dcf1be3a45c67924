import { droppedNames } from '../../adapters/agents/allowed-environment.ts';
import { AGENT_NAMES, agentByName } from '../../adapters/agents/registry.ts';
import type { Git } from '../../adapters/git/port.ts';
import { loginStore } from '../../adapters/isolation/home/homes.ts';
import type { IsolationName } from '../../adapters/isolation/port.ts';
import { type System, thisSystem } from '../../adapters/isolation/system.ts';
import { type LoadedConfig, loadConfig } from '../../adapters/workspace/config/config.ts';
import { defaultConfig } from '../../adapters/workspace/config/config-checked.ts';
import { findConfigFile } from '../../adapters/workspace/config/config-file.ts';
import { readSettings } from '../../adapters/workspace/hooks/settings-file.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { STATE_FOLDER } from '../../adapters/workspace/paths.ts';
import type { Config } from '../../contracts/config.ts';
import { checkCommands } from '../../loop/judge/check-commands.ts';
import { specPaths } from '../../loop/keep/loop-files.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { hookPlaces } from '../hooks/status.ts';
import { namesOf, type RawFlags } from '../shared/flags.ts';
import { configIn, openProject, workspaceIn } from '../shared/open.ts';
import { type AgentRow, examineAgent } from './agents.ts';
import { type CheckFault, checkFault, placeOfCheck } from './check-commands.ts';
import { type Finding, look, lookThrough } from './finding.ts';
import { installLine } from './install.ts';
import { examineIsolation } from './isolation.ts';
import { examineLogin } from './login.ts';
import { disk, gh, node } from './machine.ts';
import { examinePlugins } from './plugins.ts';
import { examineBacklog, examineChecks, examineRuns, examineSetUp } from './project.ts';
import { examineRepository } from './repository.ts';
import { examineSettings } from './settings.ts';

/** Everything that was found. */
export interface Examination {
  /** In the order in which a run would stumble over them. */
  readonly findings: readonly Finding[];
  /** The agents of the run, or all there are. */
  readonly agents: readonly AgentRow[];
  /** Names of variables that are set here and that agents and checks do not get. */
  readonly withheld: readonly string[];
}

interface Depth {
  /** Look at every agent there is, not only at those of the run. */
  readonly all: boolean;
  /** Run the project's checks, outside and inside. */
  readonly checks: boolean;
}

type Findings = readonly Finding[];

/** Looks at everything a run needs, at once where nothing waits for another. */
export async function examine(flags: RawFlags, io: Io, { all, checks }: Depth): Promise<Examination> {
  const { env } = io;
  const system = await thisSystem(env);
  const [runnable, gitFinding] = await look(
    'git',
    () => openProject(flags, io, { toRun: true }),
    ({ repo }) => `work tree ${repo.root}`,
  );
  // Without a commit no run can start, but the rest can be looked at all the same.
  const git = runnable ?? (await openProject(flags, io).catch(() => null));
  const root = git?.repo.root ?? io.cwd;
  // Without a project the configuration of the directory itself still says which agent is meant.
  const [loaded, configFinding] = await examineSettings(() =>
    git ? configIn(git, io) : loadConfig({ root: io.cwd, env, flags: {}, onUntrusted: 'leave-out' }),
  );
  // Who would do the work, and in what, can be looked at whatever the file says.
  const config = loaded?.config ?? defaultConfig(env);
  const stateFolder = `${root}/${STATE_FOLDER}`;
  const [place, project, tools, hooks, free] = await Promise.all([
    git ? lookThrough('git state', () => aroundGit(git, loaded, { env, system }, flags, io)) : [],
    git ? lookThrough('spec folder', () => specAndChecks(git, loaded, system, flags, io, checks)) : [],
    agentsAndIsolation(config, root, flags, io),
    lookThrough('hooks', async () => [await interactiveHooks(root, flags, io)]),
    disk(git ? [root, stateFolder, git.repo.gitDir, git.repo.stateDir] : [root]),
  ]);
  const plugins = loaded && git ? await examinePlugins(git.repo, loaded.config, env) : [];
  const mine = tools.rows;
  return {
    findings: [
      node(env, system),
      withInstaller(gitFinding, system),
      free,
      ...place,
      ...project,
      configFinding,
      ...tools.findings,
      ...plugins,
      ...hooks,
      gh(env),
    ],
    agents: all ? [...mine, ...(await otherAgents(mine, config, tools.where, env['PATH']))] : mine,
    withheld: droppedNames(env, config, mine),
  };
}

/** Git itself says where to get it; here the machine is known. */
function withInstaller(finding: Finding, system: System): Finding {
  return finding.detail.startsWith('git cannot be started')
    ? { ...finding, mend: [installLine('git', system)] }
    : finding;
}

async function aroundGit(
  git: Git,
  loaded: LoadedConfig | null,
  place: Parameters<typeof examineRepository>[3],
  flags: RawFlags,
  io: Io,
): Promise<Findings> {
  const workspace = await workspaceIn(git, flags, io).catch(() => null);
  const [repository, runs] = await Promise.all([
    examineRepository(git, loaded?.config ?? null, workspace ? specPaths(workspace) : [], place),
    examineRuns(git),
  ]);
  return [...repository, ...(runs ? [runs] : [])];
}

async function specAndChecks(
  git: Git,
  loaded: LoadedConfig | null,
  system: System,
  flags: RawFlags,
  io: Io,
  run: boolean,
): Promise<Findings> {
  const [workspace, folder] = await look(
    'spec folder',
    () => workspaceIn(git, flags, io),
    ({ specDir }) => specDir,
  );
  if (!workspace) return [folder];
  const [document, backlog] = await examineBacklog(workspace);
  if (!document || !loaded) return [folder, backlog];
  const commands = checkCommands(loaded.config, document.backlog, null);
  const file = await findConfigFile(git.repo.root);
  const files = [document.file, ...(file === null ? [] : [file])];
  const faultOf = async (command: string) =>
    checkFault(command, {
      root: git.repo.root,
      env: io.env,
      system,
      where: await placeOfCheck(command, git.repo.root, files),
    });
  const found = await examineChecks(commands, git.repo.root, faultOf);
  const compared = run ? await tried(commands, { git, workspace, config: loaded.config, env: io.env }, faultOf) : [];
  const setUp = run ? [] : [await examineSetUp(loaded.config, git)];
  return [folder, backlog, found, ...setUp, ...compared];
}

/** Loaded only when it is asked for: it brings the isolation and its proxy. */
async function tried(
  commands: readonly string[],
  ground: { readonly git: Git; readonly workspace: Workspace; readonly config: Config; readonly env: Io['env'] },
  faultOf: (command: string) => Promise<CheckFault | null>,
): Promise<Findings> {
  const { compareChecks } = await import('./compare-checks.ts');
  const [found, finding] = await look(
    'check',
    async () =>
      compareChecks(commands, { ...ground, agents: await Promise.all(ground.config.agent.map(agentByName)) }, faultOf),
    String,
  );
  return found ?? [finding];
}

async function agentsAndIsolation(config: Config, root: string, flags: RawFlags, io: Io) {
  const names = namesOf(flags, 'agent') ?? config.agent;
  const isolation = await examineIsolation(config.isolation, { root, env: io.env });
  const where = (isolation.name.split(' ')[1] ?? 'none') as IsolationName;
  const wanted = await Promise.all(names.map((name, i) => examineAgent(name, config, i === 0, where, io.env['PATH'])));
  const rows = wanted.flatMap(({ row }) => row ?? []);
  const home = where === 'none' ? (io.env['HOME'] ?? '') : loginStore(io.env);
  const usable = rows.filter(({ ok }) => ok).map(({ name }) => name);
  const logins = await Promise.all(usable.map((name) => examineLogin(name, { env: io.env, home, isolation: where })));
  return {
    rows,
    where,
    findings: [...wanted.map(({ finding }) => finding), ...logins.flatMap((one) => one ?? []), isolation],
  };
}

async function otherAgents(
  mine: readonly AgentRow[],
  config: Config,
  where: IsolationName,
  path: string | undefined,
): Promise<readonly AgentRow[]> {
  const names = AGENT_NAMES.filter((name) => !mine.some((row) => row.name === name));
  const others = await Promise.all(names.map((name) => examineAgent(name, config, false, where, path)));
  return others.flatMap(({ row }) => row ?? []);
}

/** Hooks of a person's own sessions: a run brings its own, so that nothing here keeps one from starting. */
async function interactiveHooks(root: string, flags: RawFlags, io: Io): Promise<Finding> {
  // The one that everybody shares: ours are not in it, but where it is broken the client reads none of its settings.
  const [, shared] = await look(
    'hooks',
    () => readSettings(`${root}/.claude/settings.json`),
    () => '',
  );
  if (shared.state === 'failed') return { ...shared, state: 'warning' };
  const places = await hookPlaces(flags, io);
  const faults = places.flatMap(({ path, faults }) =>
    faults.map(({ line, message, mend }) => ({ text: `${path}:${line}: ${message}`, mend })),
  );
  const installed = places.filter(({ hooks }) => hooks !== 'none').map(({ place }) => place);
  const concerns = 'place';
  if (faults.length > 0) {
    const mend = [...new Set(faults.map((fault) => fault.mend))];
    return { name: 'hooks', state: 'warning', detail: faults.map(({ text }) => text).join('; '), mend, concerns };
  }
  const outdated = places.some(({ hooks }) => hooks === 'outdated');
  return {
    name: 'hooks',
    state: outdated ? 'warning' : 'ok',
    detail: installed.length === 0 ? 'not installed for your own sessions; runs bring theirs' : installed.join(', '),
    mend: outdated ? ['ralph hooks install'] : [],
    concerns,
  };
}
