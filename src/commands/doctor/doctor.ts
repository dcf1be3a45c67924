import { AGENT_NAMES, agentsOf, droppedNames, envOf } from '../../adapters/agents/index.ts';
import type { Git } from '../../adapters/git/index.ts';
import { type IsolationName, loginStore, type System, thisSystem } from '../../adapters/isolation/index.ts';
import {
  defaultConfig,
  findConfigFile,
  type LoadedConfig,
  loadConfig,
  readSettings,
  STATE_FOLDER,
  stateHome,
  type Workspace,
} from '../../adapters/workspace/index.ts';
import { type Config, ExitCode } from '../../contracts/index.ts';
import { specPaths } from '../../loop/index.ts';
import { checkCommands } from '../../rules/judge/index.ts';
import { type Io, paintFor } from '../../surfaces/terminal/index.ts';
import { hookPlaces } from '../hooks.ts';
import { isOn, namesOf, type RawFlags } from '../shared/flags.ts';
import { configOf, openProject, workspaceIn } from '../shared/open.ts';
import { printResult } from '../shared/print.ts';
import { type AgentRow, examineAgent, examineLogin, examineTools } from './agents.ts';
import { type Finding, findingOf, installLine, look, lookThrough } from './finding.ts';
import { chooseHere, disk, gh, isolationFinding, node } from './machine.ts';
import {
  type CheckFault,
  checkFault,
  examineBacklog,
  examineChecks,
  examinePlugins,
  examineRuns,
  examineSettings,
  examineSetUp,
  placeOfCheck,
} from './project.ts';
import { type Examination, renderExamination } from './render.ts';
import { examineRepository } from './repository.ts';

/** `ralph doctor`: exit 0 when a run can start, 2 when the project needs a fix, 7 when only the agent does. */
export async function doctor(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const found = await examine(flags, io, {
    all: isOn(flags, 'json') || isOn(flags, 'agents'),
    checks: isOn(flags, 'checks'),
  });
  const view = { paint: paintFor(io), columns: io.columns, verbose: isOn(flags, 'verbose') };
  printResult(io, flags, found, renderExamination(found, view));
  const failed = found.findings.filter((finding) => finding.state === 'failed');
  if (failed.length === 0) return ExitCode.complete;
  return failed.some((finding) => finding.concerns === 'place') ? ExitCode.usage : ExitCode.unavailable;
}

interface Depth {
  readonly all: boolean;
  readonly checks: boolean;
}

type Findings = readonly Finding[];

async function examine(flags: RawFlags, io: Io, { all, checks }: Depth): Promise<Examination> {
  const { env } = io;
  const system = await thisSystem(env);
  const [runnable, gitFinding] = await look(
    'git',
    () => openProject(flags, io, { toRun: true }),
    ({ repo }) => `work tree ${repo.root}`,
  );
  // Without a commit no run can start, but the rest can still be examined.
  const git = runnable ?? (await openProject(flags, io).catch(() => null));
  const root = git?.repo.root ?? io.cwd;
  // Without a project the configuration of the directory still names the agent.
  const [loaded, configFinding] = await examineSettings(() =>
    git ? configOf(git, io) : loadConfig({ root: io.cwd, env, flags: {}, onUntrusted: 'leave-out' }),
  );
  // Agent and isolation can be examined even when the file is broken.
  const config = loaded?.config ?? defaultConfig(env);
  const stateFolder = `${root}/${STATE_FOLDER}`;
  const [place, project, tools, hooks, free] = await Promise.all([
    git ? lookThrough('git state', () => aroundGit(git, loaded, { env, system }, flags, io)) : [],
    git ? lookThrough('spec folder', () => specAndChecks(git, loaded, system, flags, io, checks)) : [],
    agentsAndIsolation(config, root, flags, io),
    lookThrough('hooks', async () => [await interactiveHooks(root, flags, io)]),
    disk(git ? [root, stateFolder, git.repo.gitDir, git.repo.stateDir] : [root], stateHome(env)),
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

/** Git's own message says where to get it; here the machine is known. */
function withInstaller(finding: Finding, system: System): Finding {
  return finding.detail.startsWith('git cannot be started')
    ? { ...finding, fix: [installLine('git', system)] }
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
  return [...repository, ...runs];
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
  const setUp = run ? [] : [await examineSetUp(loaded.config, git, io.env)];
  return [folder, backlog, found, ...setUp, ...compared];
}

/** Loaded only on demand: it brings the isolation and its proxy. */
async function tried(
  commands: readonly string[],
  ground: { readonly git: Git; readonly workspace: Workspace; readonly config: Config; readonly env: Io['env'] },
  faultOf: (command: string) => Promise<CheckFault | null>,
): Promise<Findings> {
  const { compareChecks } = await import('./compare-checks.ts');
  const [found, finding] = await look(
    'check',
    async () => compareChecks(commands, { ...ground, agents: await agentsOf(ground.config) }, faultOf),
    String,
  );
  return found ?? [finding];
}

async function agentsAndIsolation(config: Config, root: string, flags: RawFlags, io: Io) {
  const names = namesOf(flags, 'agent') ?? [...new Set([...config.agent, ...(config.review.agents ?? [])])];
  const place = { root, env: io.env };
  const [chosen, refused] = await look('isolation', () => chooseHere(config.isolation, place), String, 'agent');
  const isolation = chosen ? isolationFinding(chosen) : refused;
  const where = (isolation.name.split(' ')[1] ?? 'none') as IsolationName;
  const wanted = await Promise.all(names.map((name, i) => examineAgent(name, config, i === 0, where, io.env['PATH'])));
  const rows = wanted.flatMap(({ row }) => row ?? []);
  const home = where === 'none' ? (io.env['HOME'] ?? '') : loginStore(io.env);
  const usable = rows.filter(({ ok }) => ok).map(({ name }) => name);
  const logins = await Promise.all(
    usable.map((name) => examineLogin(name, { env: envOf(io.env, config, name), config, home, isolation: where })),
  );
  const given = await Promise.all(names.map((name) => examineTools(name, config, root, io.env)));
  const more = [...logins, ...given].flatMap((one) => one ?? []);
  return { rows, where, findings: [...wanted.map(({ finding }) => finding), ...more, isolation] };
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

/** Hooks for a person's own sessions: a run brings its own, so no problem here keeps a run from starting. */
async function interactiveHooks(root: string, flags: RawFlags, io: Io): Promise<Finding> {
  // The shared file: it holds none of our hooks, but when it is broken the client reads none of its settings.
  const [, shared] = await look(
    'hooks',
    () => readSettings(`${root}/.claude/settings.json`),
    () => '',
  );
  if (shared.state === 'failed') return { ...shared, state: 'warning' };
  const places = await hookPlaces(flags, io);
  const faults = places.flatMap(({ path, faults }) =>
    faults.map(({ line, message, fix }) => ({ text: `${path}:${line}: ${message}`, fix })),
  );
  const installed = places.filter(({ hooks }) => hooks !== 'none').map(({ place }) => place);
  if (faults.length > 0) {
    const fix = [...new Set(faults.map((fault) => fault.fix))];
    return findingOf('hooks', 'warning', faults.map(({ text }) => text).join('; '), fix);
  }
  const detail =
    installed.length === 0 ? 'not installed for your own sessions; runs use their own' : installed.join(', ');
  const outdated = places.some(({ hooks }) => hooks === 'outdated');
  return outdated ? findingOf('hooks', 'warning', detail, ['ralph hooks install']) : findingOf('hooks', 'ok', detail);
}
