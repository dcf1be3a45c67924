import { loopFiles } from '../../loop/keep/loop-files.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { openProject, workspaceIn } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { rescueByName } from './name.ts';

/** `ralph rescue restore NAME [PATHS…]` */
export async function restoreRescue(
  [name = '', ...paths]: readonly string[],
  flags: RawFlags,
  io: Io,
): Promise<number> {
  const git = await openProject(flags, io);
  const rescue = await rescueByName(git, name);
  // What the agent did to the loop's own files was judged already; it comes back only by name.
  const workspace = await workspaceIn(git, flags, io).catch(() => null);
  const except = workspace === null ? [] : loopFiles(workspace);
  const restored = await git.restoreRescue(rescue.name, { paths, except, force: isOn(flags, 'force') });
  if (isOn(flags, 'json')) printJson(io, { rescue: rescue.name, restored });
  else
    printLines(io, [
      ...restored.map((path) => `  ${oneLine(path)}`),
      `${counted(restored.length, 'file')} restored from ${rescue.name}; the rescue stays`,
    ]);
  return 0;
}
