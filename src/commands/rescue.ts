import type { Git, Rescue } from '../adapters/git/index.ts';
import { UsageError } from '../contracts/index.ts';
import { loopFiles } from '../loop/index.ts';
import { counted, moment, oneLine, safeLines } from '../rules/text/index.ts';
import { type Column, type Io, type Paint, paintFor, renderColumns } from '../surfaces/terminal/index.ts';
import { durationOf } from './run/flags.ts';
import { isOn, type RawFlags, textOf, unknownName } from './shared/flags.ts';
import { openProject, workspaceIn } from './shared/open.ts';
import { printResult, widthOf } from './shared/print.ts';

export async function listRescues(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const rescues = [...(await git.rescues())].sort((a, b) => b.date - a.date);
  return printResult(io, flags, rescues, renderRescues(rescues, widthOf(io), paintFor(io)));
}

const COLUMNS: readonly Column<Rescue>[] = [
  { title: 'rescue', text: (rescue) => rescue.name, tone: () => 'accent' },
  { title: 'when', text: (rescue) => moment(rescue.date) },
  { title: 'what', text: (rescue) => oneLine(rescue.subject), flexible: true },
];

function renderRescues(rescues: readonly Rescue[], width: number, paint: Paint): readonly string[] {
  if (rescues.length === 0) return ['no rescues'];
  return [
    ...renderColumns(COLUMNS, rescues, width, paint),
    '',
    paint('dim', 'ralph rescue show NAME · ralph rescue restore NAME [PATHS]'),
  ];
}

/** `ralph rescue show NAME`: byte for byte where a program reads it (`| git apply`), sanitized on a terminal. */
export async function showRescue([name = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const diff = await git.showRescue((await rescueByName(git, name)).name);
  io.stdout.write(
    io.isTTY
      ? safeLines(diff)
          .map((line) => `${line}\n`)
          .join('')
      : diff,
  );
  return 0;
}

export async function restoreRescue(
  [name = '', ...paths]: readonly string[],
  flags: RawFlags,
  io: Io,
): Promise<number> {
  const git = await openProject(flags, io);
  const rescue = await rescueByName(git, name);
  // The loop has judged the agent's changes to its own files already; they come back only by name.
  const workspace = await workspaceIn(git, flags, io).catch(() => null);
  const except = workspace === null ? [] : loopFiles(workspace);
  const restored = await git.restoreRescue(rescue.name, { paths, except, force: isOn(flags, 'force') });
  return printResult(io, flags, { rescue: rescue.name, restored }, [
    ...restored.map((path) => `  ${oneLine(path)}`),
    `${counted(restored.length, 'file')} restored from ${rescue.name}; the rescue stays`,
  ]);
}

const DAY_MS = 86_400_000;

export async function pruneRescues(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const olderThanMs = ageOf(flags);
  const dryRun = isOn(flags, 'dryRun');
  const git = await openProject(flags, io);
  const names = await git.pruneRescues(olderThanMs, dryRun);
  const what = `${counted(names.length, 'rescue')} ${dryRun ? 'would be deleted' : 'deleted'}`;
  return printResult(io, flags, { dryRun, rescues: names }, [...names.map((name) => `  ${name}`), what]);
}

/** Ages may be many days here; durations that set a timer may not. */
function ageOf(flags: RawFlags): number {
  const days = /^(\d{1,5})d$/.exec(textOf(flags, 'olderThan') ?? '');
  const age = days ? Number(days[1]) * DAY_MS : durationOf(flags, 'olderThan');
  if (age !== undefined) return age;
  throw new UsageError({
    what: 'ralph rescue prune needs --older-than: give the age of the rescues to delete',
    fix: ['ralph rescue prune --older-than 30d --dry-run'],
  });
}

/** The rescue named by the user, by its short name or its full ref. @throws UsageError with the nearest name */
async function rescueByName(git: Git, name: string): Promise<Rescue> {
  const rescues = await git.rescues();
  const found = rescues.find((rescue) => rescue.name === name || rescue.ref === name);
  if (found) return found;
  const names = rescues.map((rescue) => rescue.name);
  throw unknownName('rescue', name, names, ['`ralph rescue list` lists them']);
}
