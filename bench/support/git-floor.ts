const SHADOW = 'GIT_DIR=$S GIT_WORK_TREE=$PWD GIT_OBJECT_DIRECTORY=$O';

/** The floor of a checkpoint alone: which commit, and the work tree as a tree. Prints the tree. After a git floor. */
export const checkpointFloor = `
set -e
S=$PWD/.git/floor
O=$PWD/.git/objects
git rev-parse HEAD >.git/floor-head
${SHADOW} git add -A .
${SHADOW} git write-tree
`;

/** The floor of a roll-back alone: the work tree as the tree $1 has it, whatever stands there now. */
export const rollbackFloor = `
set -e
S=$PWD/.git/floor
O=$PWD/.git/objects
${SHADOW} git add -A .
${SHADOW} git read-tree --reset -u "$1"
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
