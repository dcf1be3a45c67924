import { resolve } from 'node:path';
import { checksWithinOthers, type Scaffolded, scaffold, unreadableCheckFiles } from '../adapters/workspace/index.ts';
import { UsageError } from '../contracts/index.ts';
import type { Contained } from '../rules/project-checks/index.ts';
import { oneLine } from '../rules/text/index.ts';
import type { Io } from '../surfaces/terminal/index.ts';
import { choiceOf, countOf, given, isOn, type RawFlags, textOf } from './shared/flags.ts';
import { openProject, withRunLock } from './shared/open.ts';
import { printResult } from './shared/print.ts';

export async function init(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const prd = countOf(flags, 'prd');
  const layout = choiceOf(flags, 'layout', ['ralph', 'prd']) ?? (prd === undefined ? 'ralph' : 'prd');
  if (layout === 'ralph' && prd !== undefined) {
    throw new UsageError({ what: '--layout ralph has no numbers: leave out --prd, or choose --layout prd' });
  }
  const git = await openProject(flags, io);
  const force = isOn(flags, 'force');
  const make = () =>
    scaffold({
      root: git.repo.root,
      layout,
      force,
      from: resolve(io.cwd, textOf(flags, 'projectDir') ?? '.'),
      ...given({ name: textOf(flags, 'name'), prd }),
    });
  // Without --force existing files stay, so it may be typed beside a run.
  const made = force ? await withRunLock(git.repo.stateDir, 'ralph init --force', make) : await make();
  const unread = await unreadableCheckFiles(git.repo.root);
  const { root } = git.repo;
  const { findSetUp, shownStep } = await import('../loop/room/enter.ts');
  const setUp = (await findSetUp(git, { tree: await git.tree(), folder: root }, null)).map(shownStep);
  const twice = await checksWithinOthers(root, made.checks);
  return printResult(io, flags, { ...made, twice, setUp, unread }, renderInit({ ...made, twice, setUp, unread }));
}

interface Made extends Scaffolded {
  /** Checks that another check already runs. */
  readonly twice: readonly Contained[];
  /** The commands that install what the checks need, as far as the project's files tell. */
  readonly setUp: readonly string[];
  /** Unreadable files that would name checks. */
  readonly unread: readonly string[];
}

/** A stream is one of several and worked on beside the others. */
function startStep(specDir: string): string {
  const [, number] = /PRD-(\d+)$/.exec(specDir) ?? [];
  return number === undefined || number === '1' ? 'start: ralph run' : `start: ralph stream start ${number}`;
}

function renderInit({ specDir, created, kept, backups, checks, twice, setUp, unread }: Made): readonly string[] {
  const backlog = [...created, ...kept].find((path) => path.endsWith('.json')) ?? 'the backlog';
  const steps = [
    'plan it with the agent: ralph plan, or import what you have: ralph import FILE',
    `or write it down yourself: ${specDir}/prd.md, and ralph stories add "Title" -c "criterion"`,
    ...(checks.length > 0 ? [] : [`name the checks that a run must pass: verifyCommands in ${backlog}`]),
    'check the backlog: ralph validate',
    'see the plan and the prompt: ralph run --dry-run',
    startStep(specDir),
  ];
  return [
    ...created.map((path) => `created  ${path}`),
    ...kept.map((path) => `kept     ${path} (already there)`),
    ...backups.map((path) => `backup   ${path}`),
    ...(checks.length > 0
      ? [
          '',
          `Checks found in the project, which the loop will run itself (to change: verifyCommands in ${backlog}):`,
          ...checks.map((check) => {
            const within = twice.find((one) => one.check === check)?.within;
            return `  ${oneLine(check)}${within === undefined ? '' : `   (redundant: \`${oneLine(within)}\` also runs it)`}`;
          }),
        ]
      : []),
    ...(checks.length > 0 && setUp.length > 0
      ? [
          '',
          'The checks run in a clean room; these commands install what they need there (to change: checks.setup in ralph.config.json):',
          ...setUp.map((command) => `  ${oneLine(command)}`),
        ]
      : []),
    ...(unread.length > 0
      ? ['', ...unread.map((file) => `${file} is not JSON: checks that it names were not found`)]
      : []),
    '',
    'Next:',
    ...steps.map((step, i) => `  ${i + 1}. ${step}`),
  ];
}
