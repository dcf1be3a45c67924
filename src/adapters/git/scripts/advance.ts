import { sh } from './prelude.ts';

/** Exit code: another git holds the index and does not release it. */
export const INDEX_HELD = 67;
/** Exit code: the index or the branch has changed since we looked. */
export const LOOK_AGAIN = 68;
/** Exit code: git found an obstacle that we had not seen. */
export const IN_THE_WAY = 69;

/**
 * $1: from, $2: to. Reads without changing anything except a copy of the index. Prints three lists, an empty NUL record
 * between them: the changes of the branch, where the index is not `from`, where files differ from the index.
 */
export const INSPECT = sh`
P=$W/advance
rm -rf "$P"
mkdir -p "$P"
if [ -f "$GIT_DIR/index" ]; then
  cp -p "$GIT_DIR/index" "$P/seen"
else
  GIT_INDEX_FILE=$P/seen git read-tree --empty
fi
cp -p "$P/seen" "$P/index"
export GIT_INDEX_FILE="$P/index"
# Says by its exit code that files have changed, which is what we are about to see.
git update-index -q --refresh >/dev/null || :
git diff-tree -r --raw -z --no-renames --ignore-submodules=none "$1" "$2"
printf '\0'
git diff-index --cached --raw -z --no-renames --ignore-submodules=none "$1"
printf '\0'
git diff-files --raw -z --no-renames --ignore-submodules=all
`;

/** Standard input: index entries. Prints the paths of those from which the work tree differs. */
export const DIFFERING = sh`
export GIT_INDEX_FILE="$W/advance/wanted"
git read-tree --empty
git update-index -z --index-info
git update-index -q --refresh >/dev/null || :
git diff-files -z --name-only --no-renames --ignore-submodules=all
`;

/** $1: folder. Prints its files that are not in the index, including ignored ones. */
export const UNTRACKED_BELOW = sh`
GIT_LITERAL_PATHSPECS=1 git ls-files -o -z -- "$1"
`;

/** $1: commit; standard input: a path, NUL. Prints the file as a checkout writes it. */
export const AS_WRITTEN = sh`
printf '%s:' "$1" >"$W/advance/name"
tr -d '\0' >>"$W/advance/name"
git cat-file --filters "$(cat "$W/advance/name")"
`;

/** $1: from, $2: to. Prints the changes of every commit in between, raw; for a merge, against each parent. */
export const PAST = sh`
git rev-list "$1..$2" | git diff-tree --stdin -r -m --root --raw -z --no-renames --no-commit-id --ignore-submodules=none
`;

/** Standard input: files. Prints their ids as git would store them, one a line. */
export const STORED_AS = sh`
xargs -0 git hash-object --
`;

/**
 * $1: ref, $2: from, $3: to; in the scratch folder: "present", index entries of files that already have their new
 * content, "torn", files that a crash left half written, "known", files in no commit here that a later version of them
 * replaces, "old" and "new", what to put back and to remove on failure.
 *
 * Order: index locked, branch locked, files, index, branch. When killed in between, the branch has not moved, and parts
 * of the new state in files and index are recognised when this is done again.
 */
export const ADVANCE = sh`
P=$W/advance
tries=0
until (set -C; echo "ralph $$" >"$GIT_DIR/index.lock") 2>/dev/null; do
  who='' pid=
  read -r who pid <"$GIT_DIR/index.lock" 2>/dev/null || :
  # Ours, of a script that was killed; no other of us is at work here now.
  if [ "$who" = ralph ] && ! kill -0 "$pid" 2>/dev/null; then
    rm -f "$GIT_DIR/index.lock"
    continue
  fi
  tries=$((tries + 1))
  [ "$tries" -lt 20 ] || { echo "$GIT_DIR/index.lock" >&2; exit 67; }
  sleep 0.1
done
unlock() {
  put_back
  exec 8>&- 9<&-
  wait
  rm -f "$GIT_DIR/index.lock"
}
put_back() {
  [ -d "$P/aside" ] || return 0
  (
    cd "$P/aside"
    find . ! -type d -exec sh -c 'to=$1; shift
      for f; do mkdir -p "$to/\${f%/*}" && mv -f "$f" "$to/$f"; done' sh "$top" {} +
  )
  rm -rf "$P/aside" "$GIT_DIR/ralph/advance"
}
top=$PWD
trap unlock EXIT
trap 'exit 1' HUP INT TERM
if [ -f "$GIT_DIR/index" ]; then cmp -s "$GIT_DIR/index" "$P/seen" || exit 68; fi

mkfifo "$P/in" "$P/out"
git update-ref -m 'ralph: merge' --stdin <"$P/in" >"$P/out" 2>"$P/said" &
exec 8>"$P/in" 9<"$P/out"
trap '' PIPE
printf 'start\nupdate %s %s %s\nprepare\n' "$1" "$3" "$2" >&8 2>/dev/null || :
answer=
while read -r answer <&9 && [ "$answer" = 'start: ok' ]; do :; done
[ "$answer" = 'prepare: ok' ] || { cat "$P/said" >&2; exit 68; }

export GIT_INDEX_FILE="$P/index"
cp -p "$P/seen" "$P/before"
xargs -0 rm -f -- <"$P/torn"
if [ -s "$P/known" ]; then
  echo "$2 $3" >"$GIT_DIR/ralph/advance"
  mkdir "$P/aside"
  xargs -0 sh -c 'aside=$1; shift
    for f; do mkdir -p "$aside/$(dirname "./$f")" && mv "./$f" "$aside/$f"; done' sh "$P/aside" <"$P/known"
  git update-index -z --force-remove --stdin <"$P/known"
fi
git update-index -z --replace --index-info <"$P/present"
git update-index -q --refresh >/dev/null || :
# Looks at everything before it touches anything.
git read-tree -n -m -u --no-recurse-submodules "$2" "$3" 2>"$P/said" || { cat "$P/said" >&2; exit 69; }
echo "$2 $3" >"$GIT_DIR/ralph/advance"
git read-tree -m -u --no-recurse-submodules "$2" "$3" 2>"$P/said" || {
  cat "$P/said" >&2
  # A disk that is full, a folder that may not be written to.
  xargs -0 rm -f -- <"$P/new" 2>/dev/null || :
  xargs -0 sh -c 'for file; do rmdir -p -- "$(dirname -- "$file")"; done' sh <"$P/new" >/dev/null 2>&1 || :
  GIT_INDEX_FILE=$P/before git checkout-index -f -q -z --stdin <"$P/old" || :
  exit 1
}
rm -rf "$P/aside"
mv -f "$P/index" "$GIT_DIR/index"
printf 'commit\n' >&8
exec 8>&-
answer=
read -r answer <&9 || :
[ "$answer" = 'commit: ok' ] || { cat "$P/said" >&2; exit 1; }
rm -rf "$GIT_DIR/ralph/advance" "$P"
`;
