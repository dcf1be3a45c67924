import { WHOLE_LINKS } from './checkpoint.ts';
import { pathToBytes } from './path-bytes.ts';
import { line, type Room, runGit } from './room.ts';

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
  const lines = line(await runGit(room, 'summarise changes', args)).split('\n');
  if (lines.length <= maxLines) return lines.join('\n');
  // The last line is the sum.
  const shown = lines.slice(0, Math.max(0, maxLines - 2));
  return [...shown, ` … and ${lines.length - 1 - shown.length} more files`, ...lines.slice(-1)].join('\n');
}

/**
 * Trailer of the commit that puts a loop aside, once for each of its stories: what is older belongs to another story,
 * even where that had the same id.
 */
export const ARCHIVED_TRAILER = 'Ralph-Archived';

/** See `Git.storyRange`. */
export async function storyRange(
  room: Room,
  storyId: string,
): Promise<{ base: string; head: string; commits: number } | null> {
  const values = (key: string) => `%(trailers:key=${key},valueonly,separator=%x02)`;
  const args = [
    'rev-list',
    '--topo-order',
    '--no-commit-header',
    '--fixed-strings',
    `--grep=Ralph-Story: ${storyId}`,
    `--grep=${ARCHIVED_TRAILER}: ${storyId}`,
    `--format=%H %P%x00${values('Ralph-Story')}%x00${values(ARCHIVED_TRAILER)}%x01`,
    'HEAD',
  ];
  const found = (await runGit(room, 'find the commits of a story', args))
    .toString('utf8')
    .split('\x01')
    .map((record) =>
      record
        .trim()
        .split('\0')
        .map((part) => part.split('\x02')),
    );
  const archived = found.findIndex(([, , stories = []]) => stories.includes(storyId));
  const commits = (archived < 0 ? found : found.slice(0, archived))
    // The search is for text anywhere in the message; only a trailer counts.
    .filter(([, stories = []]) => stories.includes(storyId))
    .map(([[ids = ''] = []]) => ids.split(' '));
  const [last, first] = [commits[0], commits.at(-1)];
  if (!last?.[0] || !first?.[0]) return null;
  const base = first[1] ?? line(await runGit(room, 'name the empty tree', ['hash-object', '-t', 'tree', '--stdin']));
  return { base, head: last[0], commits: commits.length };
}
