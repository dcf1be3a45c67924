import { exists, makeDir } from '../../platform/index.ts';
import { objectStores } from './guest/borrow.ts';
import { pathFromBytes, splitNul } from './lists.ts';
import type { CheckOut } from './port.ts';
import { line, type Room, runGit, runScript, tryGit, tryScript } from './room.ts';
import { sh } from './scripts/prelude.ts';
import { prepareShadow } from './shadow.ts';

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
    const commit = await tryGit(room, ['rev-parse', '-q', '--verify', `${parent}:${path}`]);
    if (commit.exitCode !== 0) continue;
    const there = [gitDir, `${folder}/${path}`, `${index}-${at}`, line(commit.stdout)];
    // A commit that was not fetched, or a link in the way: the checks see it like that.
    await tryScript(room, CHECK_OUT_MODULE, there);
  }
}

export async function besideTree(
  room: Room,
  { folder, index }: Pick<CheckOut, 'folder' | 'index'>,
): Promise<readonly string[]> {
  return splitNul(await runScript(room, 'look at a checkout', BESIDE_TREE, [folder, index])).map(pathFromBytes);
}

/** See `Git.paths`. */
export async function pathsOf(room: Room, treeish: string): Promise<readonly string[]> {
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', treeish];
  return splitNul(await runGit(room, 'list a tree', args)).map(pathFromBytes);
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
