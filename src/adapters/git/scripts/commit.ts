import { sh } from './prelude.ts';

/**
 * Exit code: git cannot take a path from the work tree. A link took its directory's place, or an empty directory or a
 * FIFO its own: the caller must list such paths as deleted.
 */
export const DISPLACED = 66;

/**
 * $1: parent, $2: "gone" when a list of paths to remove is in the scratch folder, $3: "written" when our own files are,
 * $4: "none" without anything on standard input: paths to take from the work tree, through the user's filters. Builds
 * the index of a commit.
 *
 * update-index, not add: it takes each path literally. A pathspec "x" would also take everything below a directory "x",
 * even ignored files.
 */
export const BUILD_INDEX = sh`
GIT_INDEX_FILE=$W/commit.index
export GIT_INDEX_FILE
[ ! -e "$GIT_INDEX_FILE.lock" ] || rm -f "$GIT_INDEX_FILE.lock"
# The index of the last commit made here is the one to begin with, if that commit is the parent now.
holds=
[ ! -s "$W/commit.holds" ] || read -r holds <"$W/commit.holds"
: >"$W/commit.holds"
# The whole commit, whatever part of it the user has checked out.
[ "$holds" = "$1" ] || git read-tree --no-sparse-checkout "$1"
[ "$4" = none ] || git update-index -z --add --remove --replace --stdin || exit 66
[ "$2" != gone ] || git update-index -z --force-remove --stdin <"$W/gone"
# Attributes are looked up in the index, because this work tree has no .gitattributes.
[ "$3" != written ] || (cd "$W/files" && GIT_WORK_TREE=$W/files git update-index -z --add --replace --stdin <"$W/written")
`;

/** $1: parent (as above), $5: message file, $6: -S or empty. Prints the raw difference, an empty NUL record, the commit. */
export const MAKE_COMMIT = sh`
GIT_INDEX_FILE=$W/commit.index
export GIT_INDEX_FILE
tree=$(git write-tree)
git commit-tree $6 -p "$1" -F "$5" "$tree" >"$W/commit.holds" &
making=$!
# Meanwhile. Or .gitmodules, which an agent may have written, says whether submodules count.
git diff-tree -r --raw -z --no-renames --ignore-submodules=none "$1" "$tree"
wait "$making"
read -r commit <"$W/commit.holds"
printf '\0%s' "$commit"
`;

/** What `FIND_BRANCH` prints for a branch that does not exist. */
export const UNBORN = 'unborn';

/**
 * $1: branch or HEAD, $2: its commit at the checkpoint, $3: where the agent may have moved it, $4: the new commit.
 * Prints already or moved; else its current commit, a space, and "yes" when HEAD is on another branch.
 */
export const FIND_BRANCH = sh`
if [ "$1" = HEAD ]; then
  now=$(git rev-parse -q --verify HEAD || :)
  switch=no
else
  # "*" when HEAD is on it.
  now=$(git for-each-ref --format='%(HEAD)%(objectname)' "$1")
  case $now in \**) switch=no ;; *) switch=yes ;; esac
  now=\${now#?}
fi
case $now in
"$4") echo already ;;
"$2" | "$3" | '') echo "\${now:-unborn} $switch" ;;
*) echo moved ;;
esac
`;

/** $1: copy of the user's index, $2: commit that holds the staged content when the copy is gone. */
export const TAKE_INDEX = sh`
take_saved_index "$1" "$2"
`;

/**
 * $1: branch or HEAD, $2: its commit now, $3: "yes" when HEAD is to go back to it, $4: the new commit, $5: "index" when
 * one is ready in the scratch folder. The ref comes last: a loop killed before that finds the old value and does it all
 * again; once it has moved, nothing is left to do.
 */
export const APPLY = sh`
clear_operations
rm -f "$W/before.index"
if [ -n "$5" ]; then
  [ ! -f "$GIT_DIR/index" ] || cp -p "$GIT_DIR/index" "$W/before.index"
  mv -f "$W/user.index" "$GIT_DIR/index"
fi
[ "$3" != yes ] || git symbolic-ref -m 'ralph: back to the branch of the run' HEAD "$1"
deref=
[ "$1" != HEAD ] || deref=--no-deref
git update-ref $deref -m 'ralph: commit' "$1" "$4" "$2" || {
  # Somebody was quicker: what they staged goes with what they committed.
  [ ! -f "$W/before.index" ] || mv -f "$W/before.index" "$GIT_DIR/index"
  exit 1
}
rm -f "$W/before.index"
# The snapshots know all that this index holds: see CHECKPOINT.
[ ! -s "$S/ralph-rules" ] || {
  read -r rules known <"$S/ralph-rules" || :
  echo "$rules $known" >"$S/ralph-rules"
}
`;
