import { exists, makeDir, pathFromBytes } from '../../platform/index.ts';
import { messageOf } from './commit.ts';
import { objectStores } from './guest/open.ts';
import { mergeBase, pastVersions } from './history.ts';
import { indexInfo, joinNul, pathList, splitNul } from './lists.ts';
import { diffTrees } from './objects.ts';
import type { CheckOut } from './port.ts';
import { sh } from './prelude.ts';
import {
  askGit,
  gitError,
  line,
  ONLINE,
  type Room,
  runGit,
  runScript,
  tryGit,
  tryScript,
  withDate,
  zeroId,
} from './room.ts';
import { prepareShadow } from './shadow.ts';
import type { MergeOutcome, WorktreeGit } from './worktrees/port.ts';

export async function commitTree(room: Room, input: Parameters<WorktreeGit['commitTree']>[0]): Promise<string> {
  const parents = input.parents.flatMap((parent) => ['-p', parent]);
  const args = ['commit-tree', ...(input.sign ? ['-S'] : []), ...parents, '-F', '-', input.tree];
  return line(await runGit(withDate(room, input.date), 'make the commit', args, Buffer.from(messageOf(input))));
}

/** Date of a commit that is never shown: git takes no date before 1973 as a number. */
const SOME_DAY = 1e12;

/** Drivers that git itself provides (union, binary) apply as the attributes of both sides say. */
export async function mergeTrees(room: Room, ours: string, theirs: string): Promise<MergeOutcome> {
  const merged = await mergeOnce(room, ours, theirs);
  if (merged.kind === 'merged') return merged;
  const known = await addedByBoth(room, ours, theirs, new Set(merged.paths));
  if (merged.paths.some((path) => !known.includes(path))) return merged;
  // As if our side had not added them yet.
  const tree = await treeWith(room, ours, Object.fromEntries(known.map((path) => [path, null])));
  const before = { tree, parents: [ours], subject: 'before', body: '', trailers: [], date: SOME_DAY, sign: false };
  return mergeOnce(room, await commitTree(room, before), theirs);
}

/** Files that both sides added, one equal to an earlier version of the other, which git does not see. */
async function addedByBoth(
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
  const [tree, ...paths] = pathList(result.stdout);
  if (tree !== undefined && result.exitCode === 0) return { kind: 'merged', tree };
  if (tree !== undefined && result.exitCode === 1)
    return { kind: 'conflict', paths: [...new Set(paths.map(asWritten))] };
  throw gitError(room, 'merge two commits', result);
}

/** Where a file and a folder have the same name, git calls the file `name~<commit>`. */
function asWritten(path: string): string {
  return path.replace(/~(?:[0-9a-f]{40}|[0-9a-f]{64})(?:_\d+)?$/, '');
}

type TreeFiles = Parameters<WorktreeGit['treeWith']>[1];

const EXECUTABLE = '100755';
const PLAIN = '100644';

/** The bytes go in unchanged; an executable file stays executable. */
export async function treeWith(room: Room, tree: string, files: TreeFiles): Promise<string> {
  await makeDir(room.work);
  const isRemoval = Object.values(files).every((contents) => contents === null);
  const executable = isRemoval ? new Set<string>() : await executables(room, tree);
  const entries = await Promise.all(
    Object.entries(files).map(async ([path, contents]) => {
      if (contents === null) return { path, newMode: '0', newId: zeroId(room) };
      return { path, newMode: executable.has(path) ? EXECUTABLE : PLAIN, newId: await blob(room, contents) };
    }),
  );
  return line(await runScript(room, 'make a tree', TREE_WITH, [tree], indexInfo(entries)));
}

export async function treeFrom(
  room: Room,
  base: string,
  { tree, paths, gone, gitDir }: Parameters<WorktreeGit['treeFrom']>[1],
): Promise<string> {
  await makeDir(room.work);
  const args = ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', tree, '--', ...paths];
  const list = () =>
    gitDir === undefined
      ? runGit(room, 'list a tree', args)
      : runScript(room, 'copy files of another repository', COPY_FILES, [gitDir, ...args]);
  const laid = paths.length === 0 ? Buffer.of() : await list();
  const removed = indexInfo(gone.map((path) => ({ path, newMode: '0', newId: zeroId(room) })));
  return line(await runScript(room, 'make a tree', TREE_WITH, [base], Buffer.concat([removed, laid])));
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

/** Snapshots have no line endings converted and no filters applied; commits do. */
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

/** Repeated after a crash, it gives the same result. */
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
find "$W" -maxdepth 1 \( -name '*.??????' -o -name 'input-*' \) -mmin +60 -exec rm -rf {} +
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

/** $1: git dir of another repository; the others: how git lists its files. Copies them, and prints the list. */
const COPY_FILES = sh`
dir=$1
shift
there() { (unset GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_INDEX_FILE; GIT_DIR=$dir exec git "$@"); }
list=$(mktemp "$W/copy.XXXXXX")
trap 'rm -f "$list"' EXIT
there "$@" >"$list"
# Submodules are no objects of the repository.
tr '\0' '\n' <"$list" | sed -n 's/^[0-7]* blob \([0-9a-f]*\)	.*/\1/p' | there pack-objects -q --stdout | git unpack-objects -q
cat "$list"
`;

/** $1: commit. The commit's own ignore rules apply: they are in place when the rest is removed. */
const RESET_TO = sh`
clear_operations
reset() { git reset -q --hard "$1" >&2 && git clean -ffdq >&2; }
reset "$1" || {
  # The work here removed write permission.
  find . -name .git -prune -o -type d ! -perm -700 -exec chmod u+rwx {} +
  reset "$1"
}
`;

export async function checkOut(room: Room, { folder, index, tree, parent, ignored, keep }: CheckOut): Promise<void> {
  await prepareShadow(room);
  await makeDir(folder);
  const args = [folder, index, tree, parent ?? '', ignored, ...keep];
  const stores = await objectFolders(room);
  const alternates = Buffer.from(stores.map((dir) => `${dir}\n`).join(''));
  await runScript(room, 'check out what is to be checked', CHECK_OUT, args, alternates);
  if (parent !== null && (await exists(`${folder}/.gitmodules`)))
    await checkOutModules(room, { folder, index, parent });
}

/**
 * Checks out submodules at the commits that the tree names, from the objects that the repository has of them: their
 * folders in the work tree are the agent's. One that was never fetched stays empty, as after a clone.
 */
async function checkOutModules(
  room: Room,
  { folder, index, parent }: { readonly folder: string; readonly index: string; readonly parent: string },
): Promise<void> {
  const args = ['config', '--blob', `${parent}:.gitmodules`, '-z', '--get-regexp', '^submodule\\..*\\.path$'];
  const { exitCode, stdout } = await tryGit(room, args);
  const modules = exitCode === 0 ? splitNul(stdout).map((entry) => entry.toString('utf8').split('\n')) : [];
  for (const [at, [key = '', path = '']] of modules.entries()) {
    const name = key.slice('submodule.'.length, -'.path'.length);
    const gitDir = `${room.repo.commonDir}/modules/${name}`;
    const isPlain = [name, path].every((one) => one !== '' && !one.startsWith('/') && !/(^|\/)\.\.?(\/|$)/.test(one));
    if (!isPlain || !(await exists(gitDir))) continue;
    const commit = await askGit(room, ['rev-parse', '-q', '--verify', `${parent}:${path}`]);
    // A commit that was not fetched, or a link in the way: the checks see it like that.
    if (commit !== null)
      await tryScript(room, CHECK_OUT_MODULE, [gitDir, `${folder}/${path}`, `${index}-${at}`, commit]);
  }
}

export async function besideTree(room: Room, { folder, index }: Pick<CheckOut, 'folder' | 'index'>) {
  return pathList(await runScript(room, 'look at a checkout', BESIDE_TREE, [folder, index]));
}

export async function pathsOf(room: Room, treeish: string): Promise<readonly string[]> {
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', treeish];
  return pathList(await runGit(room, 'list a tree', args));
}

export async function objectFolders(room: Room): Promise<readonly string[]> {
  return (await objectStores(room.objects)).map(({ dir }) => dir);
}

/**
 * $1: folder, $2: its index, $3: tree, $4: commit the tree builds on (may be empty), $5: `keep` (or not) what git
 * ignores there; the other arguments: patterns of files that stay. Brings a folder of the loop to a tree by changing
 * only what differs, and gives it a new git dir in which the tree is committed, as after a fresh clone. Nothing there
 * is trusted: its git dir is never used, only replaced. Standard input: the text of the list of borrowed objects.
 */
const CHECK_OUT = sh`
folder=$1 index=$2 tree=$3 parent=$4
case $5 in
keep) which=-ffdq ;;
*) which=-ffdxq ;;
esac
shift 5
rm -rf "$folder/.git"
refs=$(git for-each-ref --format='%(objectname) %(refname)' refs/heads refs/remotes refs/tags | grep -v '/HEAD$' || :)
commit=$(
  GIT_AUTHOR_NAME=ralph GIT_AUTHOR_EMAIL=ralph@localhost GIT_COMMITTER_NAME=ralph GIT_COMMITTER_EMAIL=ralph@localhost \
    git commit-tree \${parent:+-p "$parent"} -m 'the work under judgement' "$tree"
)
shallow=
[ ! -f "$(git rev-parse --git-path shallow)" ] || shallow=$(cat "$(git rev-parse --git-path shallow)")
format=$(git rev-parse --show-object-format)
(
  cd "$folder"
  export GIT_WORK_TREE="$folder"
  rm -f "$index.lock"
  shadow_in "$index" -c core.untrackedCache=false read-tree --reset -u "$tree"
  set -f
  for pattern; do set -- "$@" -e "$pattern"; shift; done
  shadow_in "$index" -c core.untrackedCache=false clean "$which" "$@"
)
mkdir -p "$folder/.git/objects/info" "$folder/.git/refs"
cat >"$folder/.git/objects/info/alternates"
{
  echo '# pack-refs with: sorted '
  [ -z "$refs" ] || printf '%s\n' "$refs" | LC_ALL=C sort -k 2
} >"$folder/.git/packed-refs"
[ -z "$shallow" ] || printf '%s\n' "$shallow" >"$folder/.git/shallow"
{
  case $format in
  sha1) printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n' ;;
  *) printf '[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectformat = %s\n' "$format" ;;
  esac
} >"$folder/.git/config"
cp -p "$index" "$folder/.git/index"
echo "$commit" >"$folder/.git/HEAD"
`;

/** $1: folder, $2: its index. Prints the files that are not in the tree, ignored or not; folders end with a slash. */
const BESIDE_TREE = sh`
cd "$1"
GIT_WORK_TREE=$1
export GIT_WORK_TREE
shadow_in "$2" -c core.untrackedCache=false ls-files -o -z --directory
`;

/** $1: git dir of a submodule, $2: its folder in the checkout, $3: its index, $4: commit. */
const CHECK_OUT_MODULE = sh`
mkdir -p "$2"
cd "$2"
rm -f "$3.lock"
GIT_DIR=$1 GIT_WORK_TREE=$2 GIT_INDEX_FILE=$3 git read-tree --reset -u "$4"
`;
