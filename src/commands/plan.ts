import { isAbsolute, join, relative, resolve } from 'node:path';
import {
  type AgentAdapter,
  agentByName,
  INTERACTIVE_AGENTS,
  interactiveStart,
  settingsOf,
} from '../adapters/agents/index.ts';
import type { Git } from '../adapters/git/index.ts';
import { NoSpecFolder, STATE_FOLDER, scaffold, type Workspace, writeFiles } from '../adapters/workspace/index.ts';
import { type Config, ExitCode, UnavailableError, UsageError } from '../contracts/index.ts';
import {
  childExit,
  type Exit,
  packageFolder,
  readText,
  realPath,
  removeEmptyDir,
  SpawnFailed,
  startChild,
  stat,
} from '../platform/index.ts';
import { storyOfSentence } from '../rules/import/index.ts';
import { type Io, paintFor } from '../surfaces/terminal/index.ts';
import { type PlanRequest, planMode, skillArguments, skillPrompt } from './plan-request.ts';
import { StoriesElsewhere } from './shared/elsewhere.ts';
import { isOn, type RawFlags, textOf } from './shared/flags.ts';
import { refuseBesideRun } from './shared/live-run.ts';
import { configOf, openProject, workspaceIn } from './shared/open.ts';
import { printResult } from './shared/print.ts';
import { askForTrust } from './trust.ts';
import { readPrd, renderRemarks, renderValidation, type Validation, validatePlan } from './validate.ts';

/** `ralph plan`: a conversation with the agent on this terminal, then a validation. 0 when a run could start with it. */
export async function plan([idea]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const found = await workspaceIn(git, flags, io).catch((error: unknown) => {
    // Where another branch has stories, only an idea says that these are not meant.
    if (error instanceof NoSpecFolder && (idea !== undefined || !(error instanceof StoriesElsewhere))) return null;
    throw error;
  });
  const given = textOf(flags, 'from');
  const from = given === undefined ? null : await textFile(git.repo.root, resolve(io.cwd, given));
  if (found !== null) refuseNoBacklog(found);
  await refuseBesideRun(git, {
    why: 'it would treat changes to the plan as edits by its agent',
    fix: ['wait until it ends, or `ralph stop`', '`ralph stories add` adds a story to an active run'],
  });
  const screen = isOn(flags, 'json') ? 2 : 1;
  refuseWithoutTerminal(screen);
  if (screen === 1) await askForTrust(git, io);
  const { config } = await configOf(git, io, 'refuse');
  const talker = await talkerNamed(textOf(flags, 'agent') ?? config.agent[0] ?? 'claude', config);
  const made = found === null ? await makeSpecFolder(git, idea ?? '', io) : null;
  const workspace = found ?? (await workspaceIn(git, flags, io));
  const request = await requestFor(workspace, from, idea ?? null);
  const options = { cwd: workspace.root, io, screen, config } as const;
  let isUnused = false;
  const { exitCode, signal } = await talk(talker, await talker.args(request), options).finally(async () => {
    isUnused = (await made?.dropIfUnused()) ?? false;
  });
  if (isUnused) {
    io.stderr.write('ralph: nothing was planned; the empty spec folder was removed again\n');
    return ExitCode.usage;
  }
  if (exitCode !== 0)
    io.stderr.write(
      `ralph: ${talker.adapter.name} ${signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`}; the plan may be incomplete\n`,
    );

  const validation = await validatePlan(workspace, config.verifyCommands);
  const next = nextCommand(validation);
  const canStart = exitCode === 0 && validation.ok && validation.stories > 0;
  const paint = paintFor(io);
  printResult(io, flags, { agent: talker.adapter.name, mode: request.mode, ...validation, next }, [
    ...renderValidation(validation, paint),
    ...renderRemarks(validation, paint),
    '',
    `next: ${next}`,
  ]);
  return canStart ? ExitCode.complete : ExitCode.usage;
}

/** A spec folder, removed again where the agent has written nothing into it. */
async function makeSpecFolder({ repo: { root } }: Git, idea: string, io: Io) {
  const name = storyOfSentence(idea).slug;
  const { created } = await scaffold({ root, layout: 'ralph', force: false, from: io.cwd, ...(name ? { name } : {}) });
  const read = async () => (await Promise.all(created.map((path) => readText(`${root}/${path}`)))).join('\0');
  const before = await read();
  return {
    async dropIfUnused(): Promise<boolean> {
      if ((await read()) !== before) return false;
      await writeFiles(root, Object.fromEntries(created.map((path) => [path, null])));
      for (const folder of ['ralph', STATE_FOLDER]) await removeEmptyDir(`${root}/${folder}`);
      return true;
    },
  };
}

/** @throws UsageError for a spec folder without a backlog */
function refuseNoBacklog({ backlog, specDir }: Workspace): void {
  if (backlog !== null && backlog.format !== 'prompt') return;
  throw new UsageError({
    what: 'there is no backlog for the plan',
    where: specDir,
    why: 'planning writes its stories into a backlog',
    fix: ['`ralph init` creates an empty one'],
  });
}

async function requestFor(workspace: Workspace, from: string | null, idea: string | null): Promise<PlanRequest> {
  const { backlog, specDir, prdPath } = workspace;
  const mode = planMode(await readPrd(workspace));
  return { mode, specDir, prd: prdPath, backlog: backlog?.path ?? '', from, idea };
}

/** The path as seen from the root of the work tree. */
async function textFile(root: string, path: string): Promise<string> {
  const real = await realPath(path).catch(() => null);
  if (real === null || (await stat(real))?.kind !== 'file') {
    throw new UsageError({
      what: `--from: there is no file ${path}`,
      fix: ['name a text file: notes, an issue, a specification'],
    });
  }
  const inside = relative(root, real);
  return inside.startsWith('..') || isAbsolute(inside) ? real : inside;
}

function refuseWithoutTerminal(screen: 1 | 2): void {
  const shown = screen === 1 ? process.stdout : process.stderr;
  if (process.stdin.isTTY && shown.isTTY) return;
  throw new UsageError({
    what: 'planning is a conversation and needs a terminal',
    fix: [
      'run `ralph plan` in a terminal',
      'or write the stories yourself (`ralph stories add`), or import them (`ralph import`)',
      'in a session of Claude Code: /ralph:ralph-plan',
    ],
  });
}

function nextCommand({ ok, stories, remarks = [] }: Validation): string {
  if (!ok) return 'ralph validate --plan';
  if (stories === 0) return 'ralph plan';
  return remarks.some(({ severity }) => severity === 'warning') ? 'ralph plan' : 'ralph run --dry-run';
}

interface Talker {
  readonly adapter: AgentAdapter;
  readonly program: string;
  /** Variables of the settings, for this agent only. */
  readonly env: Readonly<Record<string, string>>;
  readonly args: (request: PlanRequest) => Promise<readonly string[]>;
}

/** The agent of that name. @throws UsageError for one that cannot hold a conversation */
async function talkerNamed(name: string, config: Config): Promise<Talker> {
  const adapter = await agentByName(name);
  const start = interactiveStart(name);
  const own = settingsOf(config, name);
  if (start === null || own === undefined) {
    throw new UsageError({
      what: `the agent '${name}' cannot be used for planning`,
      why: 'planning is a conversation on your terminal',
      fix: [`name one that can: \`ralph plan --agent claude\` (${INTERACTIVE_AGENTS.join(', ')})`],
    });
  }
  const [program = name, ...first] = [own.command].flat();
  return {
    adapter,
    program,
    env: own.env,
    async args(request) {
      const plugin = join(await packageFolder(), 'plugin');
      if (start.loadsPlugin) return [...first, ...start.args(`/ralph:ralph-plan ${skillArguments(request)}`, plugin)];
      const skill = join(plugin, 'skills/ralph-plan');
      return [...first, ...start.args(skillPrompt(await skillText(skill), skill, request), plugin)];
    },
  };
}

/**
 * Hands the terminal to the agent as the user's own session, without isolation. Ctrl-C and Ctrl-Z go to the agent.
 * @param screen file descriptor of the terminal that it draws on
 */
async function talk(
  { adapter, program, env }: Talker,
  args: readonly string[],
  {
    cwd,
    io,
    screen,
    config,
  }: { readonly cwd: string; readonly io: Io; readonly screen: 1 | 2; readonly config: Config },
): Promise<Exit> {
  const child = await startChild(program, args, { cwd, env: { ...io.env, ...env }, stdio: [0, screen, 2] }).catch(
    async (error: unknown) => {
      if (!(error instanceof SpawnFailed)) throw error;
      const { fix } = await adapter.detect(config);
      throw new UnavailableError({ what: error.message, why: `${adapter.name} would plan with you`, fix: [fix] });
    },
  );
  const keep = () => undefined;
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on('SIGINT', keep).on('SIGTERM', pass).on('SIGHUP', pass);
  try {
    return await childExit(child);
  } finally {
    process.off('SIGINT', keep).off('SIGTERM', pass).off('SIGHUP', pass);
  }
}

async function skillText(folder: string): Promise<string> {
  const path = join(folder, 'SKILL.md');
  const text = await readText(path);
  if (text === null) throw new Error(`${path} is missing from this installation of ralph`);
  return text;
}
