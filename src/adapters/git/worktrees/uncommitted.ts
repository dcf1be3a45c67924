import { diffTrees } from '../checkpoint.ts';
import { joinNul } from '../path-bytes.ts';
import { type Room, runScript } from '../room.ts';
import { sh } from '../scripts/sh.ts';

/** $1: tree, as the files are; standard input: paths. Prints their ids as git would store them, one a line. */
const STORED_AS = sh`
xargs -0 sh -c 'tree=$1; shift
  for f; do git cat-file blob "$tree:$f" | git hash-object --stdin --path="$f"; done' sh "$1"
`;

/** See `Git.uncommittedAmong`. Snapshots are without line ends converted and without filters; commits are not. */
export async function uncommittedAmong(
  room: Room,
  paths: readonly string[],
  commit: string,
  snapshot: string,
): Promise<readonly string[]> {
  const [wanted, before] = await Promise.all([new Set(paths), diffTrees(room, snapshot, commit)]);
  const differing = before.filter(({ path }) => wanted.has(path));
  // A file on both sides: links and submodules are stored as they are.
  const files = differing.filter(({ status, newMode }) => status === 'modified' && newMode.startsWith('100'));
  if (files.length === 0) return differing.map(({ path }) => path);
  const input = joinNul(files.map(({ path }) => path));
  const ids = (await runScript(room, 'compare files', STORED_AS, [snapshot], input)).toString().trimEnd().split('\n');
  const same = new Set(files.filter(({ newId }, at) => newId === ids[at]).map(({ path }) => path));
  return differing.map(({ path }) => path).filter((path) => !same.has(path));
}
