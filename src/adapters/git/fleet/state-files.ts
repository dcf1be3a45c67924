import { pathFromBytes, splitNul } from '../path-bytes.ts';
import { show } from '../read.ts';
import { line, type Room, runGit } from '../room.ts';
import { treeWith } from '../worktrees/tree-with.ts';
import type { FleetFiles } from './port.ts';

/** The small files of a commit; none for ''. */
export async function readStateFiles(room: Room, commit: string): Promise<FleetFiles> {
  if (commit === '') return {};
  const names = splitNul(await runGit(room, 'list a state', ['ls-tree', '-z', '--name-only', commit])).map(
    pathFromBytes,
  );
  const contents = await Promise.all(names.map((name) => show(room, commit, name)));
  return Object.fromEntries(names.map((name, at) => [name, Buffer.from(contents[at] ?? []).toString('utf8')]));
}

/** A tree of small files. */
export async function writeStateFiles(room: Room, files: FleetFiles): Promise<string> {
  const empty = line(await runGit(room, 'make a tree', ['hash-object', '-w', '-t', 'tree', '--stdin'], Buffer.of()));
  return treeWith(room, empty, files);
}
