import { sh } from './sh.ts';

/**
 * $1: strict or tolerant, $2: tree of the checkpoint. Puts the .gitignore files back first: with those an agent
 * loosened, the rollback would delete the user's ignored files; with those it tightened, what it hid would stay.
 * Prints the tree of the work tree under the old rules.
 */
export const RESTORE_RULES = sh`
rules_of "$2"
shadow_in "$W/old.index" read-tree "$2"
shadow_in "$W/old.index" ls-files -z -- "$IGNORES" >"$W/names"
shadow_in "$W/old.index" checkout-index -f -q -z --stdin <"$W/names"
shadow_in "$W/old.index" ls-files -z >"$W/all"
print_displaced "$W/all" >"$W/displaced"
# Special files only: directories make rm fail, and their turn comes when all they hold is safe.
xargs -0 rm -f -- <"$W/displaced" 2>/dev/null || :
while :; do
  # Index only: entries that are the same keep their stat data, so nothing is hashed again.
  shadow read-tree --reset "$2"
  add_all "$1"
  shadow diff-index --cached --no-renames --diff-filter=A -z --name-only "$2" -- "$IGNORES" >"$W/names"
  [ -s "$W/names" ] || break
  xargs -0 rm -f -- <"$W/names"
done
shadow write-tree
`;

/**
 * $1: tree, $2: branch or empty, $3: HEAD's commit, $4: copy of the index or empty, $5, $6: modes as for CHECKPOINT,
 * $7: "sealed" where the git dir is a person's alone.
 * Puts all of it back.
 * Prints empty directories and odd modes as they are then, as CHECKPOINT does.
 */
export const PUT_BACK = sh`
shadow read-tree --reset -u "$1" || {
  # An agent took away the right to write to a directory. Modes are put right afterwards.
  shadow ls-files -z >"$W/all"
  xargs -0 sh -c 'for f; do d=./$f; while d=\${d%/*} && [ "$d" != . ]; do [ -w "$d" ] || chmod u+rwx "$d"; done; done' sh <"$W/all"
  shadow read-tree --reset -u "$1"
}
if [ "$7" != sealed ]; then
  clear_operations
  if [ -n "$4" ]; then
    take_saved_index "$4" "$3"
    mv -f "$W/user.index" "$GIT_DIR/index"
  else
    rm -f "$GIT_DIR/index"
  fi
  if [ -n "$2" ]; then
    git symbolic-ref -m 'ralph: rollback' HEAD "$2"
    git update-ref -m 'ralph: rollback' "$2" "$3"
  else
    git update-ref --no-deref -m 'ralph: rollback' HEAD "$3"
  fi
fi
print_odd_modes "$1" "$5" "$6" >"$W/odd"
print_empty_dirs >"$W/empty"
cat "$W/empty"
printf '\0'
[ ! -s "$W/empty" ] || find_odd_modes "$5" "$6" <"$W/empty" >>"$W/odd"
cat "$W/odd"
printf '\0'
print_modes "$W/odd"
`;

/** Standard input: directories, deepest first. Those that are not empty, or mount points, stay. */
export const REMOVE_DIRS = sh`
xargs -0 rmdir -- 2>/dev/null || :
`;

/** Standard input: directories to make. A special file makes way; an ignored file, in the place of an ignored directory, stays. */
export const MAKE_DIRS = sh`
xargs -0 sh -c 'for d; do
  [ -d "./$d" ] || [ -f "./$d" ] || [ -L "./$d" ] || { rm -f "./$d"; mkdir -p "./$d"; }
done' sh
`;

/** $1: octal mode; standard input: paths. */
export const SET_MODE = sh`
xargs -0 chmod "$1" --
`;

/** $1: tree; standard input: files to write afresh, with the modes a checkout gives. */
export const WRITE_AFRESH = sh`
cat >"$W/names"
xargs -0 rm -f -- <"$W/names"
shadow checkout-index -f -q -u -z --stdin <"$W/names"
`;

/** $1: strict or tolerant, $2: tree. Fails unless the work tree is exactly that, naming what is not. */
export const VERIFY = sh`
add_all "$1"
[ "$(shadow write-tree)" = "$2" ] || {
  echo 'the work tree still differs:' >&2
  shadow diff-index --cached --name-status --no-renames "$2" >&2
  exit 1
}
`;

/** $1: folder to move to; standard input: nested repositories. */
export const MOVE_AWAY = sh`
mkdir -p "$1"
xargs -0 sh -c 'to=$1; shift
  for f; do
    case $f in */*) mkdir -p "$to/\${f%/*}" ;; esac
    mv "./$f" "$to/$f"
  done' sh "$1"
`;
