import { sh } from './sh.ts';

/**
 * $1: object format, $2: common git dir, $3, $4: commits. In a git dir made for this once: no setting of the user or of
 * an agent names a program that merges, and no file of a work tree says how. Prints the tree, then paths in conflict.
 */
export const MERGE_TREES = sh`
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
