import { joinNul } from './path-bytes.ts';
import { type Room, runScript } from './room.ts';
import { EXPORT_TREE } from './scripts/export.ts';

/** See `Git.exportTree`. */
export async function exportTree(
  room: Room,
  treeish: string,
  folder: string,
  paths?: readonly string[],
): Promise<void> {
  const listed = paths === undefined ? 'all' : 'listed';
  await runScript(room, 'write out a tree', EXPORT_TREE, [treeish, folder, listed], joinNul(paths ?? []));
}
