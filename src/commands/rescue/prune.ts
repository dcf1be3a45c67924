import { UsageError } from '../../contracts/errors.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { durationOf } from '../run/flags.ts';
import { isOn, type RawFlags, textOf } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';

const DAY_MS = 86_400_000;

/** `ralph rescue prune --older-than D [--dry-run]` */
export async function pruneRescues(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const olderThanMs = ageOf(flags);
  const dryRun = isOn(flags, 'dryRun');
  const git = await openProject(flags, io);
  const names = await git.pruneRescues(olderThanMs, dryRun);
  const what = `${counted(names.length, 'rescue')} ${dryRun ? 'would be deleted' : 'deleted'}`;
  if (isOn(flags, 'json')) printJson(io, { dryRun, rescues: names });
  else printLines(io, [...names.map((name) => `  ${name}`), what]);
  return 0;
}

/** Days may be many here; durations that end in a timer may not. */
function ageOf(flags: RawFlags): number {
  const days = /^(\d{1,5})d$/.exec(textOf(flags, 'olderThan') ?? '');
  const age = days ? Number(days[1]) * DAY_MS : durationOf(flags, 'olderThan');
  if (age !== undefined) return age;
  throw new UsageError({
    what: 'ralph rescue prune needs --older-than: nothing is deleted without an age',
    mend: ['ralph rescue prune --older-than 30d --dry-run'],
  });
}
