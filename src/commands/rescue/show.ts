import type { Io } from '../../surfaces/terminal/io.ts';
import { safeLines } from '../../surfaces/terminal/sanitise.ts';
import type { RawFlags } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';
import { printLines } from '../shared/print.ts';
import { rescueByName } from './name.ts';

/** `ralph rescue show NAME`: byte for byte where a program reads it (`| git apply`), made safe on a terminal. */
export async function showRescue([name = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const diff = await git.showRescue((await rescueByName(git, name)).name);
  if (io.isTTY) printLines(io, safeLines(diff));
  else io.stdout.write(diff);
  return 0;
}
