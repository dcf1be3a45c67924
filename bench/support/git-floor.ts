/**
 * The git floor: the fewest git commands that checkpoint a work tree exactly and commit exactly one iteration's
 * changes, as a plain shell script without any check, fsync or record. Run in a repository, $1 numbers the iteration.
 *
 * Checkpoint: HEAD, a tree of everything through a git dir of our own, a ref on it, a copy of the index.
 * Then the agent's change. Accept: the tree after it, the difference, a commit of just these paths built in a
 * temporary index, the branch moved, the user's index brought up to date.
 */
export const gitFloor = `set -eu
D=$(pwd)/.git
S=$D/floor
shadow() {
  GIT_DIR=$S GIT_WORK_TREE=. GIT_OBJECT_DIRECTORY=$D/objects GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git "$@"
}
export GIT_AUTHOR_NAME=Floor GIT_AUTHOR_EMAIL=floor@example.org GIT_COMMITTER_NAME=Floor GIT_COMMITTER_EMAIL=floor@example.org
if ! [ -d "$S" ]; then
  git init -q --bare "$S"
  git --git-dir="$S" config core.bare false
  git --git-dir="$S" config core.untrackedCache true
fi

head=$(git rev-parse HEAD)
shadow add -A .
before=$(shadow write-tree)
git update-ref refs/floor/checkpoint "$(shadow commit-tree -m checkpoint "$before")"
cp -p "$D/index" "$D/floor.index"

echo "$1" >"src/floor-$1.txt"

shadow add -A .
after=$(shadow write-tree)
export GIT_INDEX_FILE=$D/floor.commit.index
git read-tree "$head"
shadow diff-tree -r -z --no-renames --name-only "$before" "$after" >"$D/floor.paths"
GIT_LITERAL_PATHSPECS=1 git add -A --pathspec-from-file="$D/floor.paths" --pathspec-file-nul
commit=$(git commit-tree -p "$head" -m "iteration $1" "$(git write-tree)")
git update-ref refs/heads/main "$commit" "$head"
export GIT_INDEX_FILE=$D/floor.index
git diff-tree -r --no-renames "$head" "$commit" | sed 's/^:[0-9]* \\([0-9]*\\) [0-9a-f]* \\([0-9a-f]*\\) [A-Z]/\\1 \\2/' |
  git update-index --index-info
mv "$D/floor.index" "$D/index"
`;
