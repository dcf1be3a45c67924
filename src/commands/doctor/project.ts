import type { Git } from '../../adapters/git/index.ts';
import type { System } from '../../adapters/isolation/index.ts';
import {
  cacheHome,
  checksWithinOthers,
  detectChecks,
  isCutOff,
  type LoadedConfig,
  loadOrThrow,
  type Workspace,
} from '../../adapters/workspace/index.ts';
import { type Config, type Env, FileProblemsError, type Problem } from '../../contracts/index.ts';
import { findProgram, notWritable, readText, stat } from '../../platform/index.ts';
import type { BacklogDocument } from '../../rules/backlog/index.ts';
import { counted, nearest, shellWord } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { lookAtPlugins } from '../plugins.ts';
import { liveRun } from '../shared/live-run.ts';
import { startOf } from './check-start.ts';
import { type Finding, findingOf, knownInstallLine, look } from './finding.ts';

export async function examineBacklog(workspace: Workspace): Promise<readonly [BacklogDocument | null, Finding]> {
  const [loaded, finding] = await look(
    'backlog',
    () => loadOrThrow(workspace),
    ({ document }) => `${document.file}: ${counted(document.backlog.stories.length, 'story', 'stories')}`,
  );
  if (loaded === null) return [null, finding];
  const { stories } = loaded.document.backlog;
  if (stories.length > 0) return [loaded.document, finding];
  const fix = ['ralph plan', 'ralph stories add "Title" -c "criterion"'];
  return [loaded.document, { ...finding, state: 'failed', detail: `${loaded.document.file}: no stories yet`, fix }];
}

/** Are there checks, and can each be started? Runs nothing: `--checks` does that. */
export async function examineChecks(
  commands: readonly string[],
  root: string,
  faultOf: (command: string) => Promise<CheckFault | null>,
): Promise<Finding> {
  if (commands.length === 0) {
    const found = await detectChecks(root);
    if (found.length > 0) return findingOf('checks', 'ok', `${found.join(' · ')} (found in the project files)`);
    const fix = [`ralph config set verifyCommands '["npm test"]'`];
    return findingOf('checks', 'warning', 'there are none: a story is done when an agent says so', fix);
  }
  const faults = (await Promise.all(commands.map(faultOf))).flatMap((fault) => fault ?? []);
  if (faults.length > 0) {
    const fix = [...new Set(faults.flatMap((fault) => fault.fix))];
    return findingOf('checks', 'warning', faults.map(({ says }) => says).join('; '), fix);
  }
  const more = (await checksWithinOthers(root, commands)).map(
    ({ check, within }) => `\`${check}\` runs twice for each tree: \`${within}\` runs it, too`,
  );
  return findingOf('checks', 'ok', commands.join(' · '), [], { more });
}

/** Where do checks run, and what is installed there? Runs nothing: `--checks` does that. */
export async function examineSetUp({ checks }: Pick<Config, 'checks'>, git: Git, env: Env): Promise<Finding> {
  if (checks.where === 'tree')
    return findingOf('clean room', 'ok', "none (checks.where: tree): checks run in the agent's tree");
  const cache = cacheHome(env);
  if ((await notWritable(cache)) !== null) {
    const detail = `cannot write ${cache}: checks run in the agent's tree`;
    return findingOf('clean room', 'warning', detail, ['set XDG_CACHE_HOME to a folder you may write']);
  }
  const { findSetUp, shownStep } = await import('../../loop/room/enter.ts');
  const here = { tree: await git.tree(), folder: git.repo.root };
  const steps = (await findSetUp(git, here, checks.setup)).map(shownStep);
  const nothing = 'checks run there; nothing has to be installed';
  return findingOf('clean room', 'ok', steps.length === 0 ? nothing : `set up by ${steps.join(', then ')}`);
}

export async function examineRuns(git: Git): Promise<readonly Finding[]> {
  const [live, cutOff] = await Promise.all([liveRun(git), isCutOff(git.repo.stateDir)]);
  if (live !== null) {
    const detail = `run ${live.run} is active: a second run would be refused`;
    return [findingOf('runs', 'warning', detail, ['ralph stop'])];
  }
  const detail = 'the last run was cut off in the middle of an iteration; the next one restores everything first';
  return cutOff ? [findingOf('runs', 'warning', detail, ['ralph run'])] : [];
}

/** Loads the configuration; each of its problems comes with the command that fixes it. */
export async function examineSettings(
  load: () => Promise<LoadedConfig>,
): Promise<readonly [LoadedConfig | null, Finding]> {
  let problems: readonly Problem[] = [];
  const [loaded, finding] = await look(
    'config',
    () =>
      load().catch((error: unknown) => {
        if (error instanceof FileProblemsError) problems = error.problems;
        throw error;
      }),
    ({ warnings }) => warnings.join('; ') || 'valid',
  );
  if (loaded === null) return [null, problems.length === 0 ? finding : { ...finding, ...waysOut(problems) }];
  if (loaded.warnings.length === 0) return [loaded, finding];
  return [loaded, { ...finding, state: 'warning', fix: loaded.warnings.flatMap(wayOutOfWarning) }];
}

function waysOut(problems: readonly Problem[]): Pick<Finding, 'more' | 'fix'> {
  return {
    more: problems.map(({ file, line, message, fix }) => `${file}:${line}: ${message}; ${fix}`),
    fix: [...new Set(problems.map(({ message }) => `ralph config set ${shellWord(keyIn(message))} --unset`))],
  };
}

/** The setting that a problem is about: its message begins or ends with it. */
function keyIn(message: string): string {
  return /'([^']*)'/.exec(message)?.[1] ?? '';
}

function wayOutOfWarning(warning: string): readonly string[] {
  const [, variable] = /^(RALPH_\w+) is no variable/.exec(warning) ?? [];
  if (variable !== undefined) return [`unset ${variable}`];
  const [, asked] = /^maxIterations (\d+) is capped/.exec(warning) ?? [];
  return asked === undefined ? [] : [`ralph config set maxAllowedIterations ${asked}`];
}

/** The configured plugins, loaded as a run does; nothing where none are named. */
export async function examinePlugins(
  place: Parameters<typeof lookAtPlugins>[0],
  config: Pick<Config, 'plugins' | 'env' | 'agents'>,
  env: Io['env'],
): Promise<readonly Finding[]> {
  if (config.plugins.length === 0) return [];
  const [found, finding] = await look(
    'plugins',
    () => lookAtPlugins(place, config, env),
    (rows) => rows.map(({ name, provides }) => `${name} (${provides.join(', ')})`).join(', '),
  );
  const failing = (found ?? []).filter(({ failure }) => failure !== null);
  if (failing.length === 0) return [finding];
  return [
    {
      ...finding,
      state: 'warning',
      detail: `${counted(failing.length, 'plugin')} cannot be loaded; runs start without them`,
      more: failing.map(({ use, failure }) => `${use}: ${failure}`),
      fix: [...new Set(failing.flatMap(({ fix }) => fix ?? [])), 'ralph plugins'],
    },
  ];
}

export interface CheckFault {
  readonly says: string;
  readonly fix: readonly string[];
}

interface Place {
  readonly root: string;
  readonly env: Env;
  readonly system: System;
  /** Where the check is written, `file:line`. */
  readonly where: string;
}

/** Why a check cannot start; null when it can, or only the shell can tell. Runs nothing. */
export async function checkFault(command: string, place: Place): Promise<CheckFault | null> {
  const start = startOf(command);
  if (start === null) return null;
  const { root, env, system, where } = place;
  const { folder, program, script } = start;
  const out = `remove or correct the check: ${where}`;
  const dir = `${root}/${folder}`;
  if (folder !== '.' && (await stat(dir)) === null)
    return { says: `\`${command}\` cannot start: there is no folder ${folder}`, fix: [out] };
  if (program.includes('/')) {
    const path = program.startsWith('/') ? program : `${dir}/${program}`;
    if (findProgram(path, env['PATH']) !== null) return null;
    const shown = folder === '.' ? program : `${folder}/${program}`;
    return (await stat(path))?.kind === 'file'
      ? { says: `\`${command}\` cannot start: ${shown} may not be executed`, fix: [`chmod +x ${shellWord(shown)}`] }
      : { says: `\`${command}\` cannot start: there is no ${shown}`, fix: [out] };
  }
  if (findProgram(program, env['PATH']) === null) {
    const install = knownInstallLine(program, system);
    return {
      says: `\`${command}\` cannot start: there is no ${program}`,
      fix: [install ?? `install ${program}, or ${out}`],
    };
  }
  return script === null ? null : scriptFault(command, script, dir, out);
}

async function scriptFault(command: string, script: string, dir: string, out: string): Promise<CheckFault | null> {
  const scripts = scriptsIn(await readText(`${dir}/package.json`));
  if (scripts === null || scripts.includes(script)) return null;
  const near = nearest(script, scripts);
  return {
    says: `\`${command}\` cannot start: package.json has no script ${script}${near ? `; did you mean ${near}?` : ''}`,
    fix: [out],
  };
}

/** Names of the scripts; null where they cannot be determined: a manager may search parent folders. */
function scriptsIn(text: string | null): readonly string[] | null {
  try {
    const { scripts = {}, workspaces } = JSON.parse((text ?? '').replace(/^\uFEFF/, '')) as Record<string, unknown>;
    return workspaces !== undefined || typeof scripts !== 'object' || scripts === null ? null : Object.keys(scripts);
  } catch {
    return null;
  }
}

/** Where a check is written: `file:line`, the file alone where it spans lines, or all files searched. */
export async function placeOfCheck(command: string, root: string, files: readonly string[]): Promise<string> {
  const forms = [command, JSON.stringify(command).slice(1, -1)];
  for (const file of files) {
    const lines = ((await readText(`${root}/${file}`)) ?? '').split('\n');
    const at = lines.findIndex((line) => forms.some((form) => line.includes(form)));
    if (at >= 0) return `${file}:${at + 1}`;
  }
  return `verifyCommands in ${files.join(' or ')}`;
}
