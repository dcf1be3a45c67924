import { sh } from './prelude.ts';

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
 * $1: tree of the last checkpoint. Gives a new shadow git dir what it must know: which files are tracked although they
 * are ignored, and the ignore rules.
 */
export const FILL_SHADOW = sh`
shadow read-tree "$1"
echo "$1" >"$S/ralph-rules"
`;

/**
 * $1: strict or tolerant, $2: work tree and label. Prints refs, then, each after a NUL, the tree and the empty
 * directories, and after an empty record the ignored files.
 */
export const CHECKPOINT = sh`
# Files that are tracked although an ignore rule covers them: the shadow index must know them as tracked too. "known":
# it did when that file was written.
known=
[ ! -s "$S/ralph-rules" ] || read -r _ known <"$S/ralph-rules" || :
[ "$known" = known ] && [ "$S/ralph-rules" -nt "$GIT_DIR/index" ] || {
  git ls-files -z -i -c --exclude-standard >"$W/forced"
  [ ! -s "$W/forced" ] || shadow update-index -z --add --remove --stdin <"$W/forced" 2>/dev/null || :
}
add_all "$1" &
adding=$!
print_refs
wait "$adding"
print_empty_dirs >"$W/empty" &
looking=$!
shadow ls-files -o -i -z --directory --exclude-standard >"$W/ignored" &
listing=$!
tree=$(shadow write-tree)
echo "$tree known" >"$S/ralph-rules"
git update-ref --stdin <<REFS
update refs/ralph/checkpoint/$2/head $head
update refs/ralph/checkpoint/$2/tree $tree
REFS
# Versions of ralph before had one name for all work trees. Another may be deleting the same one.
shared=refs/ralph/checkpoint/\${2##*/}
case $refs in
*" $shared/head"*) printf 'delete %s\n' "$shared/head" "$shared/tree" | git update-ref --stdin 2>/dev/null || : ;;
esac
printf '\0%s\0' "$tree"
wait "$looking"
[ ! -s "$W/empty" ] || cat "$W/empty"
wait "$listing"
printf '\0'
cat "$W/ignored"
`;

/** $1: ref; standard input: paths. Prints a tree of these files, which that ref keeps. */
export const SAVE_IGNORED = sh`
index=$(mktemp "$W/ignored.XXXXXX")
trap 'rm -f "$index"' EXIT
shadow_in "$index" read-tree --empty
shadow_in "$index" update-index -z --add --remove --stdin
tree=$(shadow_in "$index" write-tree)
git update-ref "$1" "$tree"
echo "$tree"
`;

/** While git reads the work tree. */
const ADD_AND_PRINT_REFS = sh`
add_all "$1" &
adding=$!
print_refs
wait "$adding"
`;

const COMPARE = sh`
shadow write-tree >"$W/tree" &
writing=$!
printf '\0'
shadow diff-index --cached --raw -z --no-renames "$2"
wait "$writing"
read -r tree <"$W/tree"
printf '\0%s' "$tree"
`;

/**
 * $1: strict or tolerant, $2: tree of the checkpoint. Prints refs; after a NUL the raw difference; after an empty NUL
 * record the tree.
 */
export const AFTER =
  sh`
rules_of "$2"
` +
  ADD_AND_PRINT_REFS +
  COMPARE;

/** Like `AFTER`, for a changed .gitignore: files that were ignored at the checkpoint stay out. */
export const AFTER_NEW_RULES =
  ADD_AND_PRINT_REFS +
  sh`
hide_once_ignored "$2"
` +
  COMPARE;

/** $1: strict or tolerant. Prints the tree of the work tree under the ignore rules of the last checkpoint. */
export const TREE = sh`
add_all "$1"
if [ -f "$S/ralph-rules" ]; then
  read -r rules _ <"$S/ralph-rules"
  shadow diff-index --cached --quiet "$rules" -- "$IGNORES" || hide_once_ignored "$rules"
fi
shadow write-tree
`;

/** $1: strict or tolerant, $2: tree that `AFTER` or `TREE` printed. Takes the work tree there; ignored files stay. */
export const RESTORE_TREE = sh`
add_all "$1"
if [ -f "$S/ralph-rules" ]; then
  read -r rules _ <"$S/ralph-rules"
  shadow diff-index --cached --quiet "$rules" -- "$IGNORES" || hide_once_ignored "$rules"
fi
shadow read-tree --reset -u "$2"
`;
