import { WHOLE_LINKS } from './checkpoint.ts';
import { pathToBytes } from './path-bytes.ts';
import { line, type Room, runGit } from './room.ts';

/**
 * The same repository for differences that people look at: attributes of the work tree, which an agent may have written,
 * neither hide a file nor show it otherwise. Git looks for them where it is started: none of its files are in there.
 */
export function withoutAttributes(room: Room): Room {
  const empty = { GIT_WORK_TREE: room.objects, GIT_INDEX_FILE: `${room.objects}/no-index` };
  return { ...room, repo: { ...room.repo, root: room.objects }, realRoot: null, env: { ...room.env, ...empty } };
}

/** See `Git.show`. */
export async function show(room: Room, treeish: string, path: string): Promise<Uint8Array | null> {
  // Through standard input: arguments cannot carry every path.
  const name = Buffer.concat([Buffer.from(`${treeish}:`), pathToBytes(path), Buffer.of(0)]);
  const output = await runGit(room, `read ${path}`, ['cat-file', '--batch', '-z'], name);
  const end = output.indexOf('\n');
  const [, type, size] = output.subarray(0, end).toString('latin1').split(' ');
  if (type !== 'blob' || size === undefined) return null;
  return output.subarray(end + 1, end + 1 + Number(size));
}

/** See `Git.diffStat`. */
export async function diffStat(room: Room, from: string, to: string, maxLines = 20): Promise<string> {
  const args = ['diff-tree', '-r', '--stat=100', '-M', '--no-ext-diff', '--no-textconv', WHOLE_LINKS, from, to];
  const lines = line(await runGit(withoutAttributes(room), 'summarise changes', args)).split('\n');
  if (lines.length <= maxLines) return lines.join('\n');
  // The last line is the sum.
  const shown = lines.slice(0, Math.max(0, maxLines - 2));
  return [...shown, ` … and ${lines.length - 1 - shown.length} more files`, ...lines.slice(-1)].join('\n');
}
