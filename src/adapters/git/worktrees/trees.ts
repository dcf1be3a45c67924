import { makeDir } from '../../../platform/index.ts';
import { diffTrees } from '../checkpoint.ts';
import { messageOf, withDate } from '../commit.ts';
import { mergeBase, pastVersions } from '../history.ts';
import { joinNul, pathFromBytes, pathToBytes, splitNul } from '../lists.ts';
import { gitError, line, ONLINE, type Room, runGit, runScript, tryScript } from '../room.ts';
import { sh } from '../scripts/prelude.ts';
import type { MergeOutcome, WorktreeGit } from './port.ts';

export async function commitTree(room: Room, input: Parameters<WorktreeGit['commitTree']>[0]): Promise<string> {
  const parents = input.parents.flatMap((parent) => ['-p', parent]);
  const args = ['commit-tree', ...(input.sign ? ['-S'] : []), ...parents, '-F', '-', input.tree];
  return line(await runGit(withDate(room, input.date), 'make the commit', args, Buffer.from(messageOf(input))));
}

/** Date of a commit that is never shown: git takes no date before 1973 as a number. */
const SOME_DAY = 1e12;

/** See `Git.mergeTrees`. Drivers that git itself provides (union, binary) apply as the attributes of both sides say. */
export async function mergeTrees(room: Room, ours: string, theirs: string): Promise<MergeOutcome> {
  const merged = await mergeOnce(room, ours, theirs);
  if (merged.kind === 'merged') return merged;
  const known = await addedAsTheyHadIt(room, ours, theirs, new Set(merged.paths));
  if (merged.paths.some((path) => !known.includes(path))) return merged;
  // As if our side had not added them yet.
  const tree = await treeWith(room, ours, Object.fromEntries(known.map((path) => [path, null])));
  const before = { tree, parents: [ours], subject: 'before', body: '', trailers: [], date: SOME_DAY, sign: false };
  return mergeOnce(room, await commitTree(room, before), theirs);
}

/** Files that both sides added, ours equal to an earlier version of theirs: git misses that theirs builds on it. */
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

/** Where a file and a folder have the same name, git calls the file `name~<commit>`. */
function asWritten(path: string): string {
  return path.replace(/~(?:[0-9a-f]{40}|[0-9a-f]{64})(?:_\d+)?$/, '');
}

const EXECUTABLE = '100755';
const PLAIN = '100644';

/** See `Git.treeWith`. The bytes go in unchanged; an executable file stays executable. */
export async function treeWith(
  room: Room,
  tree: string,
  files: Readonly<Record<string, string | Uint8Array | null>>,
): Promise<string> {
  await makeDir(room.work);
  const isRemoval = Object.values(files).every((contents) => contents === null);
  const executable = isRemoval ? new Set<string>() : await executables(room, tree);
  const entries = await Promise.all(
    Object.entries(files).map(async ([path, contents]) => {
      const mode = contents === null ? '0' : executable.has(path) ? EXECUTABLE : PLAIN;
      const id = contents === null ? '0'.repeat(room.objectFormat === 'sha256' ? 64 : 40) : await blob(room, contents);
      return Buffer.concat([Buffer.from(`${mode} ${id}\t`), pathToBytes(path), Buffer.of(0)]);
    }),
  );
  return line(await runScript(room, 'make a tree', TREE_WITH, [tree], Buffer.concat(entries)));
}

export async function treeFrom(
  room: Room,
  base: string,
  { tree, paths, gone }: { readonly tree: string; readonly paths: readonly string[]; readonly gone: readonly string[] },
): Promise<string> {
  await makeDir(room.work);
  const args = ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', tree, '--', ...paths];
  const laid = paths.length === 0 ? Buffer.of() : await runGit(room, 'list a tree', args);
  const nothing = '0'.repeat(room.objectFormat === 'sha256' ? 64 : 40);
  const removed = gone.map((path) => Buffer.concat([Buffer.from(`0 ${nothing}\t`), pathToBytes(path), Buffer.of(0)]));
  return line(await runScript(room, 'make a tree', TREE_WITH, [base], Buffer.concat([...removed, laid])));
}

async function blob(room: Room, contents: string | Uint8Array): Promise<string> {
  const args = ['hash-object', '-w', '--no-filters', '--stdin'];
  return line(await runGit(room, 'store a file', args, Buffer.from(contents)));
}

async function executables(room: Room, tree: string): Promise<ReadonlySet<string>> {
  const entries = splitNul(await runGit(room, 'list a tree', ['ls-tree', '-r', '-z', '--full-tree', tree]));
  return new Set(
    entries
      .filter((entry) => entry.toString('latin1').startsWith(EXECUTABLE))
      .map((entry) => pathFromBytes(entry.subarray(entry.indexOf('\t') + 1))),
  );
}

/** $1: tree with the files' content; standard input: paths. Prints their ids as git would store them, one per line. */
const STORED_AS = sh`
xargs -0 sh -c 'tree=$1; shift
  for f; do git cat-file blob "$tree:$f" | git hash-object --stdin --path="$f"; done' sh "$1"
`;

/** See `Git.uncommittedAmong`. Snapshots have no line endings converted and no filters applied; commits do. */
export async function uncommittedAmong(
  room: Room,
  paths: readonly string[],
  commit: string,
  snapshot: string,
): Promise<readonly string[]> {
  const [wanted, before] = await Promise.all([new Set(paths), diffTrees(room, snapshot, commit)]);
  const differing = before.filter(({ path }) => wanted.has(path));
  // A file on both sides: links and submodules are stored unchanged.
  const files = differing.filter(({ status, newMode }) => status === 'modified' && newMode.startsWith('100'));
  if (files.length === 0) return differing.map(({ path }) => path);
  const input = joinNul(files.map(({ path }) => path));
  const ids = (await runScript(room, 'compare files', STORED_AS, [snapshot], input)).toString().trimEnd().split('\n');
  const same = new Set(files.filter(({ newId }, at) => newId === ids[at]).map(({ path }) => path));
  return differing.map(({ path }) => path).filter((path) => !same.has(path));
}

/** See `Git.resetTo`. Repeated after a crash, it gives the same result. */
export async function resetTo(room: Room, commit: string): Promise<void> {
  await makeDir(room.work);
  const result = await tryScript(room, RESET_TO, [commit], undefined, ONLINE);
  if (result.exitCode !== 0) throw gitError(room, 'put the work tree to a commit', result);
}

/**
 * $1: object format, $2: common git dir, $3, $4: commits. Works in a new git dir: no setting of the user or of an agent
 * names a program that merges, and no file of a work tree says how. Prints the tree, then paths in conflict.
 */
const MERGE_TREES = sh`
ours=$(git rev-parse --verify --end-of-options "$3^{commit}")
theirs=$(git rev-parse --verify --end-of-options "$4^{commit}")
# What a kill left.
find "$W" -maxdepth 1 -name 'merge.*' -mmin +60 -exec rm -rf {} +
place=$(mktemp -d "$W/merge.XXXXXX")
trap 'rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$place/tree"
(
  unset GIT_DIR GIT_WORK_TREE
  git init -q --bare --template= --object-format="$1" "$place/git"
)
git config -f "$place/git/config" core.bare false
# Where history is cut off.
[ ! -f "$2/shallow" ] || cp "$2/shallow" "$place/git/shallow"
cd "$place/tree"
export GIT_DIR="$place/git" GIT_WORK_TREE="$place/tree" GIT_OBJECT_DIRECTORY="$O" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
# Git looks up attributes in the work tree, as the side has them that is merged into.
git read-tree "$ours"
git ls-files -z -- ':(glob)**/.gitattributes' | git checkout-index -q -z --stdin
git merge-tree --write-tree -z --name-only --no-messages "$ours" "$theirs"
`;

/** $1: tree; standard input: entries as `update-index --index-info` reads them. Prints the tree with them. */
const TREE_WITH = sh`
place=$(mktemp -d "$W/with.XXXXXX")
trap 'rm -rf "$place"' EXIT
GIT_INDEX_FILE=$place/index
export GIT_INDEX_FILE
git read-tree --no-sparse-checkout "$1"
git update-index -z --replace --index-info
git write-tree
`;

/** $1: commit. The commit's own ignore rules apply: they are in place when the rest is removed. */
const RESET_TO = sh`
clear_operations
reset() { git reset -q --hard "$1" >&2 && git clean -ffdq >&2; }
reset "$1" || {
  # Whoever worked here took away the right to write.
  find . -name .git -prune -o -type d ! -perm -700 -exec chmod u+rwx {} +
  reset "$1"
}
`;
