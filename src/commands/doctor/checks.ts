import { agentByName } from '../../adapters/agents/registry.ts';
import { chooseIsolation } from '../../adapters/isolation/index.ts';
import { loadConfig } from '../../adapters/workspace/config.ts';
import { loadOrThrow } from '../../adapters/workspace/document.ts';
import type { Config } from '../../contracts/config.ts';
import { FileProblemsError, RalphError } from '../../contracts/errors.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { namesOf, type RawFlags } from '../flags.ts';
import { hookPlaces } from '../hooks/status.ts';
import { configIn, openProject, openWorkspace } from '../open.ts';

/** One thing a run needs, as it was found. */
export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  /** Ways out; empty when all is well. */
  readonly mend: readonly string[];
  /** `place`: the machine or the project; `agent`: who would do the work. They end with different exit codes. */
  readonly concerns: 'place' | 'agent';
}

/** The oldest Node that is tested. */
const NODE_NEEDED = [20, 19] as const;

/** Looks at everything a run needs, in the order in which a run would stumble over it. */
export async function examine(flags: RawFlags, io: Io): Promise<readonly Finding[]> {
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
  if (loaded) findings.push(...(await agents(namesOf(flags, 'agent') ?? loaded.config.agent, loaded.config)));
  return [...findings, await isolation(), await interactiveHooks(flags, io)];
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

/** The first agent must work; the others are fallbacks. */
async function agents(names: readonly string[], config: Config): Promise<readonly Finding[]> {
  return Promise.all(names.map((name, i) => agent(name, config, i === 0)));
}

async function agent(name: string, config: Config, first: boolean): Promise<Finding> {
  const [found, finding] = await look(
    `agent ${name}`,
    async () => (await agentByName(name)).detect(config),
    ({ version, detail }) => version ?? detail,
    'agent',
  );
  if (!found || found.ok) return finding;
  return { ...finding, state: first ? 'failed' : 'warning', detail: found.detail, mend: [found.mend] };
}

async function isolation(): Promise<Finding> {
  const chosen = chooseIsolation();
  const { available, detail } = await chosen.probe();
  const state = !available ? 'failed' : chosen.name === 'none' ? 'warning' : 'ok';
  const mend =
    chosen.name === 'none'
      ? ['run ralph in a container or a virtual machine of its own when the repository is not yours alone']
      : [];
  return { name: `isolation ${chosen.name}`, state, detail, mend, concerns: 'agent' };
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

/** Tries something; what it refuses with becomes the finding. Bugs pass through. */
async function look<T>(
  name: string,
  attempt: () => Promise<T>,
  detail: (found: T) => string,
  concerns: Finding['concerns'] = 'place',
): Promise<readonly [T | null, Finding]> {
  try {
    const found = await attempt();
    return [found, { name, state: 'ok', detail: detail(found), mend: [], concerns }];
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    const { what, where, mend = [] } = error.facts;
    const ways = error instanceof FileProblemsError ? ['ralph validate names each problem'] : mend;
    return [null, { name, state: 'failed', detail: where ? `${what} (${where})` : what, mend: ways, concerns }];
  }
}
