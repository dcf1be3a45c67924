import { UsageError } from '../../contracts/errors.ts';
import { nearest } from '../../rules/nearest.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { paintFor } from '../../surfaces/terminal/paint.ts';
import type { RawFlags } from '../shared/flags.ts';
import { printLines } from '../shared/print.ts';
import type { CommandTable } from '../table/spec.ts';
import { commandManual, groupManual, type Manual, programManual } from './manual.ts';
import { manualText } from './text.ts';

/** `ralph help [COMMAND…]` */
export async function help(words: readonly string[], _flags: RawFlags, io: Io, table: CommandTable): Promise<number> {
  printManual(manualOf(words, table), io);
  return 0;
}

/** A page of the manual, as wide as the terminal, in colour where that is wanted. */
export function printManual(manual: Manual, io: Io): void {
  printLines(io, manualText(manual, { columns: io.columns, paint: paintFor(io) }));
}

/** The page of a command, a group, or `ralph` itself. @throws UsageError naming the nearest one */
export function manualOf(words: readonly string[], table: CommandTable): Manual {
  const { commands, groups } = table;
  const name = words.join(' ');
  if (name === '') return programManual(table);
  const spec = commands.find((one) => one.name === name || one.alias === name);
  if (spec) return commandManual(spec, table);
  const group = groups.find((one) => one.name === name);
  if (group) return groupManual(group, table);
  const names = [
    ...commands.flatMap((one) => [one.name, ...(one.alias ? [one.alias] : [])]),
    ...groups.map((one) => one.name),
  ];
  const near = nearest(name, names);
  throw new UsageError({
    what: `there is no command '${name}'${near ? `. Did you mean ${near}?` : ''} (see: ralph --help)`,
  });
}
