import { sh } from './sh.ts';

/** $1: object format. Makes the shadow git dir: no templates, no hooks, no conversion of any kind. */
export const INIT_SHADOW = sh`
(
  unset GIT_DIR GIT_WORK_TREE
  git init -q --bare --template= --object-format="$1" "$S"
)
mkdir -p "$S/info" "$W"
while read -r key value; do
  git config -f "$S/config" "$key" "$value"
done <<'SETTINGS'
core.bare false
core.hooksPath /dev/null
core.fsmonitor false
core.autocrlf false
core.safecrlf false
core.untrackedCache true
gc.auto 0
SETTINGS
# Bytes as they are, whatever .gitattributes says.
echo '* -text -eol -filter -ident -working-tree-encoding -merge -diff' >"$S/info/attributes"
`;

/**
 * $1: tree of the last checkpoint. What a new shadow git dir must know of it: which files are tracked although they are
 * ignored, and the ignore rules.
 */
export const FILL_SHADOW = sh`
shadow read-tree "$1"
echo "$1" >"$S/ralph-rules"
`;

/**
 * $1: strict or tolerant, $2: work tree and label, $3: file for the copy of the user's index, $4, $5: modes that a checkout gives to
 * files and to executables or directories. Prints whether there is an index, the tree, refs; then, each after an empty NUL
 * record, empty directories, paths with odd modes, their modes.
 */
export const CHECKPOINT = sh`
if [ -f "$GIT_DIR/index" ]; then
  cp -p "$GIT_DIR/index" "$3"
  echo yes
else
  echo no
fi
# Files that are tracked although an ignore rule covers them: the shadow index must know them as tracked too.
[ "$S/ralph-tracked" -nt "$GIT_DIR/index" ] || {
  git ls-files -z -i -c --exclude-standard >"$W/forced"
  [ ! -s "$W/forced" ] || shadow update-index -z --add --remove --stdin <"$W/forced" 2>/dev/null || :
  : >"$S/ralph-tracked"
}
add_all "$1"
tree=$(shadow write-tree)
# Meanwhile: a third of the whole otherwise.
print_odd_modes "$tree" "$4" "$5" >"$W/odd" &
modes=$!
echo "$tree" >"$S/ralph-rules"
echo "$tree"
print_refs
git update-ref --stdin <<REFS
update refs/ralph/checkpoint/$2/head $head
update refs/ralph/checkpoint/$2/tree $tree
REFS
# Versions of ralph before had one name for all work trees. Another may be deleting the same one.
shared=refs/ralph/checkpoint/\${2##*/}
case $refs in
*" $shared/head"*) printf 'delete %s\n' "$shared/head" "$shared/tree" | git update-ref --stdin 2>/dev/null || : ;;
esac
printf '\0'
print_empty_dirs >"$W/empty"
wait "$modes"
if [ -s "$W/empty" ]; then
  cat "$W/empty"
  find_odd_modes "$4" "$5" <"$W/empty" >>"$W/odd"
fi
printf '\0'
if [ -s "$W/odd" ]; then
  cat "$W/odd"
  printf '\0'
  print_modes "$W/odd"
fi
`;

const COMPARE = sh`
shadow write-tree
print_refs
printf '\0'
shadow diff-index --cached --raw -z --no-renames "$2"
`;

/** $1: strict or tolerant, $2: tree of the checkpoint. Prints tree and refs, then after a NUL the raw difference. */
export const AFTER =
  sh`
echo "$2" >"$S/ralph-rules"
add_all "$1"
` + COMPARE;

/** The same where a .gitignore has changed: what was ignored at the checkpoint stays out. */
export const AFTER_NEW_RULES =
  sh`
add_all "$1"
hide_once_ignored "$2"
` + COMPARE;

/** $1: strict or tolerant. Prints the tree of the work tree under the ignore rules of the last checkpoint. */
export const TREE = sh`
add_all "$1"
if [ -f "$S/ralph-rules" ]; then
  read -r rules <"$S/ralph-rules"
  shadow diff-index --cached --quiet "$rules" -- "$IGNORES" || hide_once_ignored "$rules"
fi
shadow write-tree
`;

/** $1: strict or tolerant, $2: tree that `AFTER` or `TREE` printed. Takes the work tree there; ignored files stay. */
export const RESTORE_TREE = sh`
add_all "$1"
if [ -f "$S/ralph-rules" ]; then
  read -r rules <"$S/ralph-rules"
  shadow diff-index --cached --quiet "$rules" -- "$IGNORES" || hide_once_ignored "$rules"
fi
shadow read-tree --reset -u "$2"
`;
