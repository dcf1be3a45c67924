import { messageOf, withDate } from '../commit.ts';
import { line, type Room, runGit } from '../room.ts';
import type { WorktreeGit } from './port.ts';

/** See `Git.commitTree`. */
export async function commitTree(room: Room, input: Parameters<WorktreeGit['commitTree']>[0]): Promise<string> {
  const parents = input.parents.flatMap((parent) => ['-p', parent]);
  const args = ['commit-tree', ...(input.sign ? ['-S'] : []), ...parents, '-F', '-', input.tree];
  return line(await runGit(withDate(room, input.date), 'make the commit', args, Buffer.from(messageOf(input))));
}
