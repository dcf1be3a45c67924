const SHADOW = 'GIT_DIR=$S GIT_WORK_TREE=$PWD GIT_OBJECT_DIRECTORY=$O';

const PLACES = `
set -e
S=$PWD/.git/floor
O=$PWD/.git/objects
`;

/**
 * The floor of a checkpoint alone: which commit, the work tree as a tree, a ref that keeps it, a copy of the index.
 * Prints the tree. After a git floor.
 */
export const checkpointFloor = `${PLACES}
head=$(git rev-parse HEAD)
${SHADOW} git add -A .
tree=$(${SHADOW} git write-tree)
git update-ref refs/floor/checkpoint "$(git commit-tree -p "$head" -m checkpoint "$tree")"
cp -p .git/index .git/floor-saved
echo "$tree"
`;

/**
 * The floor of a roll-back alone, after a checkpoint: the ignore rules of tree $1, what stands there now kept by a ref,
 * the work tree as $1 has it, then branch $2 at commit $3 and the saved index.
 */
export const rollbackFloor = `${PLACES}
git ls-tree -r -z --name-only "$1" | { grep -zE '(^|/)\\.gitignore$' || :; } | ${SHADOW} git checkout-index -f -z --stdin
${SHADOW} git add -A .
tree=$(${SHADOW} git write-tree)
git update-ref refs/floor/rescue "$(git commit-tree -p "$3" -m rescue "$tree")"
${SHADOW} git read-tree --reset -u "$1"
git symbolic-ref HEAD "$2"
git update-ref "$2" "$3"
cp -p .git/floor-saved .git/index
`;

/**
 * The git floor: the eleven processes that record a work tree exactly, before and after a change, and commit exactly
 * that change, as a plain shell script: without a check, a hook, an fsync, a journal, a way back. Run in a repository;
 * $1 is the text of the change. The first run also makes the git dir of its own that it takes the snapshots with.
 */
export const gitFloor = `
set -e
S=$PWD/.git/floor
O=$PWD/.git/objects
T=$PWD/.git/floor-index
if ! [ -d "$S" ]; then
  git init -q --bare "$S"
  git --git-dir="$S" config core.bare false
fi
head=$(git rev-parse HEAD)
GIT_DIR=$S GIT_WORK_TREE=$PWD GIT_OBJECT_DIRECTORY=$O git add -A .
t0=$(GIT_DIR=$S GIT_WORK_TREE=$PWD GIT_OBJECT_DIRECTORY=$O git write-tree)
echo "$1" >file-1.txt
GIT_DIR=$S GIT_WORK_TREE=$PWD GIT_OBJECT_DIRECTORY=$O git add -A .
t1=$(GIT_DIR=$S GIT_WORK_TREE=$PWD GIT_OBJECT_DIRECTORY=$O git write-tree)
git diff-tree -r -z --no-renames --name-only "$t0" "$t1" >.git/floor-paths
GIT_INDEX_FILE=$T git read-tree "$head"
GIT_INDEX_FILE=$T git add -A --pathspec-from-file=.git/floor-paths --pathspec-file-nul
tree=$(GIT_INDEX_FILE=$T git write-tree)
commit=$(git commit-tree -p "$head" -m work "$tree")
git update-ref HEAD "$commit" "$head"
cp "$T" .git/index
`;
