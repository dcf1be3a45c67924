import type { Rescue } from '../../adapters/git/port.ts';
import { type Column, renderColumns } from '../../surfaces/terminal/columns.ts';
import { moment } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type Paint, paintFor } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';

/** `ralph rescue list` */
export async function listRescues(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const rescues = [...(await git.rescues())].sort((a, b) => b.date - a.date);
  if (isOn(flags, 'json')) printJson(io, rescues);
  else printLines(io, renderRescues(rescues, io.isTTY ? io.columns : Number.POSITIVE_INFINITY, paintFor(io)));
  return 0;
}

const COLUMNS: readonly Column<Rescue>[] = [
  { title: 'rescue', text: (rescue) => rescue.name, tone: () => 'accent' },
  { title: 'when', text: (rescue) => moment(rescue.date) },
  { title: 'what', text: (rescue) => oneLine(rescue.subject), flexible: true },
];

/** Rescues as a table and how to go on. Pure. */
export function renderRescues(rescues: readonly Rescue[], width: number, paint: Paint): readonly string[] {
  if (rescues.length === 0) return ['no rescues: no rollback has taken anything'];
  return [
    ...renderColumns(COLUMNS, rescues, width, paint),
    '',
    paint('dim', 'ralph rescue show NAME · ralph rescue restore NAME [PATHS]'),
  ];
}
