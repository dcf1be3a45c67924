/** Marks a template as the text of a POSIX sh script: backslashes stay unchanged, `\${` stands for the shell's `${`. */
export function sh(text: TemplateStringsArray): string {
  return (text.raw[0] ?? '').replaceAll('\\${', '${');
}

/** In a git dir: files of a merge, rebase … under way, and locks. */
export const OPERATION_FILES: readonly string[] = [
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'AUTO_MERGE',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
  'BISECT_LOG',
  'BISECT_START',
  'BISECT_TERMS',
  'BISECT_NAMES',
  'BISECT_EXPECTED_REV',
  'index.lock',
  'HEAD.lock',
];

/**
 * What every script starts with. Scripts are fixed text: variable data comes in as positional parameters, files or
 * standard input, never as script text. They exist because starting a process costs time in proportion to our own
 * memory: one `sh` and its children are cheaper than several starts from here.
 */
export const PRELUDE =
  sh`
set -eu
S=$1 O=$2 W=$3
shift 3

# git on the shadow git dir: the work tree and objects are the user's, everything else is ours, and no filter,
# hook or setting of the user applies.
shadow() {
  GIT_DIR=$S GIT_OBJECT_DIRECTORY=$O GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git "$@"
}

# From here on git is that git: so that a last command can be an exec, which saves a process.
as_shadow() {
  export GIT_DIR="$S" GIT_OBJECT_DIRECTORY="$O" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
}

# The same with another index, named first.
shadow_in() {
  scratch=$1
  shift
  GIT_INDEX_FILE=$scratch GIT_DIR=$S GIT_OBJECT_DIRECTORY=$O GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git "$@"
}

# Every .gitignore of the tree.
IGNORES=':(glob)**/.gitignore'

# Brings the shadow index up to the work tree. Exit 65: git met something that it cannot take or wants to warn about.
add_all() {
  if shadow add -A --pathspec-from-file="$S/ralph-pathspecs" --pathspec-file-nul 2>"$W/said"; then
    # Known from before they were left out, or shown by a "!pattern" in a .gitignore.
    [ ! -s "$S/ralph-left-out" ] || shadow update-index -z --force-remove --stdin <"$S/ralph-left-out"
    [ -s "$W/said" ] || return 0
    cat "$W/said" >&2
    [ "$1" = tolerant ] || exit 65
  else
    cat "$W/said" >&2
    exit 65
  fi
}

# Takes out of the shadow index what was ignored under tree $1 and is not any more: an agent that loosens .gitignore
# must not get the user's .env committed, or deleted by a rollback. The old rules are judged in a scratch folder that
# holds nothing but the old .gitignore files.
hide_once_ignored() {
  rm -rf "$W/rules"
  mkdir "$W/rules"
  shadow_in "$W/rules.index" read-tree "$1"
  shadow_in "$W/rules.index" ls-files -z -- "$IGNORES" >"$W/names"
  shadow diff-index --cached --no-renames --diff-filter=A -z --name-only "$1" >"$W/added"
  (
    cd "$W/rules"
    export GIT_WORK_TREE="$W/rules"
    shadow_in "$W/rules.index" checkout-index -q -z --stdin <"$W/names"
    shadow check-ignore -z --no-index --stdin <"$W/added" >"$W/hidden" || [ $? -eq 1 ]
  )
  shadow update-index -z --force-remove --stdin <"$W/hidden"
}

# Like add_all, under the ignore rules of the last checkpoint.
add_all_by_rules() {
  add_all "$1"
  [ -f "$S/ralph-rules" ] || return 0
  read -r rules _ <"$S/ralph-rules"
  shadow diff-index --cached --quiet "$rules" -- "$IGNORES" || hide_once_ignored "$rules"
}

# The ignore rules that count are those of tree $1. Where the file says so already, it keeps its time: see CHECKPOINT.
rules_of() {
  rules=
  [ ! -s "$S/ralph-rules" ] || read -r rules _ <"$S/ralph-rules" || :
  [ "$rules" = "$1" ] || echo "$1" >"$S/ralph-rules"
}

# Empty directories that are not ignored and not in a nested repository, NUL-terminated.
print_empty_dirs() {
  shadow ls-files -o -z --directory --exclude-standard >"$W/others"
  [ -s "$W/others" ] || return 0
  xargs -0 sh -c 'for d; do
    case $d in
    */) find "./\${d%/}" -type d -exec test -e {}/.git \; -prune -o -type d -empty -print0 ;;
    esac
  done' sh <"$W/others"
}

# Those of the NUL-terminated files in file $1 whose place a FIFO, socket, device or directory has taken. git add fails
# on the first three, and on a directory that is a repository without a commit.
print_displaced() {
  [ -s "$1" ] || return 0
  xargs -0 sh -c 'for f; do
    [ -L "./$f" ] || [ ! -e "./$f" ] || [ -f "./$f" ] || printf "%s\0" "$f"
  done' sh <"$1"
}

# Takes the copy of the user's index in file $1 to the scratch folder. Where an agent deleted the copy, what counts as
# staged is what commit $2 holds.
take_saved_index() {
  rm -f "$W/user.index"
  if [ -f "$1" ]; then
    cp -p "$1" "$W/user.index"
  else
    GIT_INDEX_FILE=$W/user.index git read-tree "$2"
  fi
}

# A merge, rebase … that the agent left half done would turn the user's next commit into its end. None was under way
# at the checkpoint: a run refuses to start on one. Lock files are those of a git that was killed.
clear_operations() {
  for name in ` +
  OPERATION_FILES.join(' ') +
  sh`; do
    [ ! -e "$GIT_DIR/$name" ] || rm -rf "$GIT_DIR/$name"
  done
}
`;
