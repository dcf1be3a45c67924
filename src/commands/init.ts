import { type Scaffolded, scaffold } from '../adapters/workspace/scaffold.ts';
import { UsageError } from '../contracts/errors.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { choiceOf, countOf, given, isOn, type RawFlags, textOf } from './flags.ts';
import { openProject } from './open.ts';
import { printJson, printLines } from './print.ts';

/** `ralph init` */
export async function init(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const prd = countOf(flags, 'prd');
  const layout = choiceOf(flags, 'layout', ['ralph', 'prd']) ?? (prd === undefined ? 'ralph' : 'prd');
  if (layout === 'ralph' && prd !== undefined) {
    throw new UsageError({ what: '--layout ralph has no numbers: leave out --prd, or choose --layout prd' });
  }
  const git = await openProject(flags, io);
  const made = await scaffold({
    root: git.repo.root,
    layout,
    force: isOn(flags, 'force'),
    ...given({ name: textOf(flags, 'name'), prd }),
  });
  if (isOn(flags, 'json')) printJson(io, made);
  else printLines(io, renderInit(made));
  return 0;
}

/** What was made, what was there, and what to do now. Pure. */
export function renderInit({ specDir, created, kept, backups, checks }: Scaffolded): readonly string[] {
  const backlog = [...created, ...kept].find((path) => path.endsWith('.json')) ?? 'the backlog';
  const steps = [
    `write down what is wanted: ${specDir}/prd.md`,
    `add stories: ralph stories add "Title" -c "criterion", or edit ${backlog}`,
    ...(checks.length > 0 ? [] : [`name the checks that a run must pass: verifyCommands in ${backlog}`]),
    'check the backlog: ralph validate',
    'see the plan and the prompt: ralph run --dry-run',
    'start: ralph run',
  ];
  return [
    ...created.map((path) => `created  ${path}`),
    ...kept.map((path) => `kept     ${path} (was there)`),
    ...backups.map((path) => `backup   ${path}`),
    ...(checks.length > 0
      ? ['', 'Checks found in the project, which the loop will run itself:', ...checks.map((check) => `  ${check}`)]
      : []),
    '',
    'Next:',
    ...steps.map((step, i) => `  ${i + 1}. ${step}`),
  ];
}
