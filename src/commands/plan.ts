import { isAbsolute, relative, resolve } from 'node:path';
import type { Git } from '../adapters/git/port.ts';
import type { Workspace } from '../adapters/workspace/layout.ts';
import { LockedError, UsageError } from '../contracts/errors.ts';
import { ExitCode } from '../contracts/model.ts';
import { realPath, stat } from '../platform/files/files.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { paintFor } from '../surfaces/terminal/paint.ts';
import { renderRemarks, renderValidation } from './plan/render.ts';
import { type PlanRequest, planMode } from './plan/request.ts';
import { talk, talkerNamed } from './plan/talk.ts';
import { readPrd, type Validation, validatePlan } from './plan/validation.ts';
import { isOn, type RawFlags, textOf } from './shared/flags.ts';
import { liveRun } from './shared/live-run.ts';
import { configIn, openWorkspace } from './shared/open.ts';
import { printJson, printLines } from './shared/print.ts';
import { askForTrust } from './trust.ts';

/**
 * `ralph plan`: a conversation with the agent on this terminal, and a judgement of what came of it. 0 when a run could
 * start with that: there are stories, the backlog is valid, and the conversation did not break off.
 */
export async function plan(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { git, workspace } = await openWorkspace(flags, io);
  const request = await requestFor(workspace, flags, io);
  await refuseBesideRun(git);
  const screen = isOn(flags, 'json') ? 2 : 1;
  refuseWithoutTerminal(screen);
  if (screen === 1) await askForTrust(git, io);
  const { config } = await configIn(git, io, 'refuse');
  const talker = await talkerNamed(textOf(flags, 'agent') ?? config.agent[0] ?? 'claude', config);
  const options = { cwd: workspace.root, io, screen, config } as const;
  const { exitCode, signal } = await talk(talker, await talker.args(request), options);
  if (exitCode !== 0)
    io.stderr.write(
      `ralph: ${talker.adapter.name} ended with ${signal ?? `exit code ${exitCode}`}: is the plan whole?\n`,
    );

  const validation = await validatePlan(workspace, config.verifyCommands);
  const next = nextCommand(validation);
  const canStart = exitCode === 0 && validation.ok && validation.stories > 0;
  if (isOn(flags, 'json')) printJson(io, { agent: talker.adapter.name, mode: request.mode, ...validation, next });
  else {
    const paint = paintFor(io);
    printLines(io, [...renderValidation(validation, paint), ...renderRemarks(validation, paint), '', `next: ${next}`]);
  }
  return canStart ? ExitCode.complete : ExitCode.usage;
}

/** What the agent is asked for. @throws UsageError for a spec folder without a backlog, and a text that is not there */
async function requestFor(workspace: Workspace, flags: RawFlags, io: Io): Promise<PlanRequest> {
  const { root, backlog, specDir, prdPath } = workspace;
  if (backlog === null || backlog.format === 'prompt') {
    throw new UsageError({
      what: 'there is no backlog to plan into',
      where: specDir,
      why: 'planning ends with stories in a file',
      mend: ['`ralph init` makes the spec folder with an empty one'],
    });
  }
  const from = textOf(flags, 'from');
  return {
    mode: planMode(await readPrd(workspace)),
    specDir,
    prd: prdPath,
    backlog: backlog.path,
    from: from === undefined ? null : await textFile(root, resolve(io.cwd, from)),
  };
}

/** As the agent finds it from the root of the work tree. */
async function textFile(root: string, path: string): Promise<string> {
  const real = await realPath(path).catch(() => null);
  if (real === null || (await stat(real))?.kind !== 'file') {
    throw new UsageError({
      what: `--from names no file: ${path}`,
      mend: ['name a text: notes, an issue, a specification'],
    });
  }
  const inside = relative(root, real);
  return inside.startsWith('..') || isAbsolute(inside) ? real : inside;
}

async function refuseBesideRun(git: Git): Promise<void> {
  const live = await liveRun(git);
  if (live === null) return;
  throw new LockedError({
    what: `run ${live.run} is under way`,
    where: git.repo.root,
    why: 'it would take a plan that changes under it for the edits of its agent',
    mend: ['wait for its end, or `ralph stop`', '`ralph stories add` adds a story to a run that is under way'],
  });
}

function refuseWithoutTerminal(screen: 1 | 2): void {
  const shown = screen === 1 ? process.stdout : process.stderr;
  if (process.stdin.isTTY && shown.isTTY) return;
  throw new UsageError({
    what: 'planning is a conversation, and there is no terminal to have it on',
    mend: [
      'type `ralph plan` in a terminal',
      'without one: write the stories (`ralph stories add`), or take them over (`ralph import`)',
      'in a session of Claude Code: /ralph:ralph-plan',
    ],
  });
}

function nextCommand({ ok, stories, remarks = [] }: Validation): string {
  if (!ok) return 'ralph validate --plan';
  if (stories === 0) return 'ralph plan';
  return remarks.some(({ severity }) => severity === 'warning') ? 'ralph plan' : 'ralph run --dry-run';
}
