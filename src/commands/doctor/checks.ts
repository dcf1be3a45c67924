import { droppedNames } from '../../adapters/agents/allowed-environment.ts';
import { AGENT_NAMES } from '../../adapters/agents/registry.ts';
import { loadConfig } from '../../adapters/workspace/config.ts';
import { loadOrThrow } from '../../adapters/workspace/document.ts';
import type { Config } from '../../contracts/config.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { namesOf, type RawFlags } from '../flags.ts';
import { hookPlaces } from '../hooks/status.ts';
import { configIn, openProject, openWorkspace } from '../open.ts';
import { type AgentRow, examineAgent } from './agents.ts';
import { type Finding, look } from './finding.ts';
import { examineIsolation } from './isolation.ts';
import { examinePlugins } from './plugins.ts';

/** Everything that was found. */
export interface Examination {
  /** In the order in which a run would stumble over them. */
  readonly findings: readonly Finding[];
  /** The agents of the run, or all there are. */
  readonly agents: readonly AgentRow[];
  /** Names of variables that are set here and that agents and checks do not get. */
  readonly withheld: readonly string[];
}

/** The oldest Node that is tested. */
const NODE_NEEDED = [20, 19] as const;

/** Looks at everything a run needs. @param all look at every agent there is, not only at those of the run */
export async function examine(flags: RawFlags, io: Io, { all }: { readonly all: boolean }): Promise<Examination> {
  const [runnable, gitFinding] = await look(
    'git',
    () => openProject(flags, io, { toRun: true }),
    ({ repo }) => `work tree ${repo.root}`,
  );
  // Without a commit no run can start, but the rest can be looked at all the same.
  const git = runnable ?? (await openProject(flags, io).catch(() => null));
  const findings = [node(), gitFinding];
  if (git) findings.push(...(await specFolder(flags, io)));
  // Without a project the configuration of the directory itself still says which agent is meant.
  const [loaded, finding] = await look(
    'config',
    () => (git ? configIn(git, io) : loadConfig({ root: io.cwd, env: io.env, flags: {} })),
    ({ warnings }) => warnings.join('; ') || 'valid',
  );
  findings.push(loaded && loaded.warnings.length > 0 ? { ...finding, state: 'warning' } : finding);
  const names = loaded ? (namesOf(flags, 'agent') ?? loaded.config.agent) : [];
  const wanted = loaded ? await Promise.all(names.map((name, i) => examineAgent(name, loaded.config, i === 0))) : [];
  const mine = wanted.flatMap(({ row }) => row ?? []);
  findings.push(...wanted.map((one) => one.finding));
  const root = git?.repo.root ?? io.cwd;
  if (loaded) findings.push(await examineIsolation(loaded.config.isolation, { root, env: io.env }));
  if (loaded && git) findings.push(...(await examinePlugins(git.repo, loaded.config, io.env)));
  findings.push(await interactiveHooks(flags, io));
  return {
    findings,
    agents: loaded && all ? [...mine, ...(await otherAgents(mine, loaded.config))] : mine,
    withheld: loaded ? droppedNames(io.env, loaded.config, mine) : [],
  };
}

async function otherAgents(mine: readonly AgentRow[], config: Config): Promise<readonly AgentRow[]> {
  const names = AGENT_NAMES.filter((name) => !mine.some((row) => row.name === name));
  const others = await Promise.all(names.map((name) => examineAgent(name, config, false)));
  return others.flatMap(({ row }) => row ?? []);
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [neededMajor, neededMinor] = NODE_NEEDED;
  const ok = major > neededMajor || (major === neededMajor && minor >= neededMinor);
  return {
    name: 'node',
    state: ok ? 'ok' : 'failed',
    detail: process.versions.node,
    mend: ok ? [] : [`install Node ${NODE_NEEDED.join('.')} or newer`],
    concerns: 'place',
  };
}

async function specFolder(flags: RawFlags, io: Io): Promise<readonly Finding[]> {
  const [opened, finding] = await look(
    'spec folder',
    () => openWorkspace(flags, io),
    ({ workspace }) => workspace.specDir,
  );
  if (!opened) return [finding];
  const [, backlog] = await look(
    'backlog',
    () => loadOrThrow(opened.workspace),
    ({ document }) => `${document.file}: ${counted(document.backlog.stories.length, 'story', 'stories')}`,
  );
  return [finding, backlog];
}

/** Hooks of a person's own sessions: a run brings its own, so that nothing here keeps one from starting. */
async function interactiveHooks(flags: RawFlags, io: Io): Promise<Finding> {
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
