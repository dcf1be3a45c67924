import { named } from '../../streams/choose.ts';
import { streamTrees } from '../../streams/facts.ts';
import { removeStreamTree } from '../../streams/remove.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';

/** `ralph stream remove N` */
export async function removeStream(names: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const all = (await streamTrees(git)).map((tree) => ({ stream: tree.file?.stream ?? tree.name, tree }));
  for (const { stream, tree } of named(all, names)) {
    const removed = await removeStreamTree({ git, tree, force: isOn(flags, 'force'), env: io.env });
    if (isOn(flags, 'json')) printJson(io, { stream, ...removed });
    else
      printLines(io, [
        `${oneLine(stream)}: its worktree is removed${removed.branch ? `; the branch ${oneLine(removed.branch)} stays` : ''}`,
        ...(removed.kept ? [`git could not read what it held; the folder is kept: ${oneLine(removed.kept)}`] : []),
        ...(removed.rescue ? [`what it held: ralph rescue show ${removed.rescue}`] : []),
      ]);
  }
  return 0;
}
