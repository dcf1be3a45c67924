import { sh } from './sh.ts';

/**
 * $1: folder, $2: its index, $3: tree, $4: commit the tree builds on (may be empty), $5: keep, or not, what git ignores
 * there; the other arguments: patterns of what stays. Brings a folder that belongs to the loop to a tree by what differs,
 * and gives it a new git dir in which the tree is committed, as after a fresh clone. Nothing there is believed: its git
 * dir is never used, only replaced. Standard input: the text of the list of borrowed objects.
 */
export const CHECK_OUT = sh`
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

/** $1: folder, $2: its index. Prints what is there beside the tree, ignored or not; folders end with a slash. */
export const BESIDE_TREE = sh`
cd "$1"
GIT_WORK_TREE=$1
export GIT_WORK_TREE
shadow_in "$2" -c core.untrackedCache=false ls-files -o -z --directory
`;

/** $1: git dir of a submodule, $2: its folder in the checkout, $3: its index, $4: commit. */
export const CHECK_OUT_MODULE = sh`
mkdir -p "$2"
cd "$2"
rm -f "$3.lock"
GIT_DIR=$1 GIT_WORK_TREE=$2 GIT_INDEX_FILE=$3 git read-tree --reset -u "$4"
`;
