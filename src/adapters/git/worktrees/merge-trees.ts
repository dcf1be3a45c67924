import { makeDir } from '../../../platform/files/files.ts';
import { diffTrees } from '../checkpoint.ts';
import { mergeBase } from '../history.ts';
import { pathFromBytes, splitNul } from '../path-bytes.ts';
import { gitError, type Room, tryScript } from '../room.ts';
import { MERGE_TREES } from '../scripts/merge-trees.ts';
import { commitTree } from './commit-tree.ts';
import { pastVersions } from './past-versions.ts';
import type { MergeOutcome } from './port.ts';
import { treeWith } from './tree-with.ts';

/** Of a commit that nobody sees: git takes no date before 1973 as a number. */
const SOME_DAY = 1e12;

/** See `Git.mergeTrees`. Drivers that git brings itself (union, binary) hold as the attributes of both sides say. */
export async function mergeTrees(room: Room, ours: string, theirs: string): Promise<MergeOutcome> {
  const merged = await mergeOnce(room, ours, theirs);
  if (merged.kind === 'merged') return merged;
  const known = await addedAsTheyHadIt(room, ours, theirs, new Set(merged.paths));
  if (merged.paths.some((path) => !known.includes(path))) return merged;
  // As if we had not added them yet.
  const tree = await treeWith(room, ours, Object.fromEntries(known.map((path) => [path, null])));
  const before = { tree, parents: [ours], subject: 'before', body: '', trailers: [], date: SOME_DAY, sign: false };
  return mergeOnce(room, await commitTree(room, before), theirs);
}

/** Files that both sides added, ours as theirs was once: theirs went on from there, and git does not see it. */
async function addedAsTheyHadIt(
  room: Room,
  ours: string,
  theirs: string,
  conflicts: ReadonlySet<string>,
): Promise<readonly string[]> {
  const start = await mergeBase(room, ours, theirs);
  if (start === null) return [];
  const added = (await diffTrees(room, start, ours)).filter(
    ({ path, status }) => status === 'added' && conflicts.has(path),
  );
  if (added.length < conflicts.size) return [];
  const past = await pastVersions(room, ours, theirs);
  return added.filter(({ path, newId }) => past.get(path)?.has(newId)).map(({ path }) => path);
}

async function mergeOnce(room: Room, ours: string, theirs: string): Promise<MergeOutcome> {
  await makeDir(room.work);
  const { repo, objectFormat } = room;
  const result = await tryScript(room, MERGE_TREES, [objectFormat, repo.commonDir, ours, theirs]);
  const [tree, ...paths] = splitNul(result.stdout).map(pathFromBytes);
  if (tree !== undefined && result.exitCode === 0) return { kind: 'merged', tree };
  if (tree !== undefined && result.exitCode === 1)
    return { kind: 'conflict', paths: [...new Set(paths.map(asWritten))] };
  throw gitError(room, 'merge two commits', result);
}

/** Where a file and a folder have one name, git calls the file `name~<commit>`. */
function asWritten(path: string): string {
  return path.replace(/~(?:[0-9a-f]{40}|[0-9a-f]{64})(?:_\d+)?$/, '');
}
