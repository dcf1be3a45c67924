import { sh } from './prelude.ts';

/** Prints refs as "object name" or "object name target", then, after a NUL, settings with their scope, NUL-terminated. */
export const READ_FOR_GUEST = sh`
git for-each-ref --format='%(objectname) %(refname) %(symref)'
printf '\0'
git config --list --show-scope -z
`;

/** Prints what HEAD is: a ref's full name, else a commit. Only needed where HEAD is not plain text. */
export const READ_HEAD = sh`
git symbolic-ref -q HEAD || git rev-parse HEAD
`;

/** $@: paths to remove even when an agent has removed the permissions, or nested them deeper than paths can be long. */
export const REMOVE_FOR_CERTAIN = sh`
chmod -R u+rwX "$@" 2>/dev/null || :
rm -rf "$@"
`;

/**
 * $1: guest git dir, $2: `live` while an agent still works with it. Its objects were made inside: only plain object
 * files and packs stay, and it borrows only from the real store. No git has opened it before, and none reads its
 * settings.
 */
const DISTRUST_OBJECTS = sh`
G=$1
# Whoever works with it would miss what is taken away below: a copy is looked at then.
if [ "\${2:-}" = live ]; then
  G=$W/live
  rm -rf "$G"
  mkdir -p "$G"
  cp -RP "$1/objects" "$G/objects" 2>/dev/null || :
fi
[ -d "$G/objects" ] && [ ! -L "$G/objects" ] || { rm -rf "$G/objects"; mkdir -p "$G/objects"; }
chmod -R u+rwX "$G/objects" 2>/dev/null || :
(
  cd "$G/objects"
  find . ! -type d ! -type f -exec rm -f {} +
  find . -type f ! -path './[0-9a-f][0-9a-f]/*' ! -path './pack/pack-*.pack' ! -path './pack/pack-*.idx' -exec rm -f {} +
)
rm -rf "$G/objects/info"
mkdir "$G/objects/info"
printf '%s\n' "$O" >"$G/objects/info/alternates"

# git on the real repository that sees what was made in the guest git dir too.
borrow() {
  GIT_OBJECT_DIRECTORY=$G/objects git "$@"
}

# Objects named in file $1 → the real repository, checked one by one: ids are worked out anew from the contents.
take_over() {
  count=$(wc -l <"$1")
  [ "$count" -gt 0 ] || return 0
  borrow pack-objects -q --stdout <"$1" >"$W/guest.pack"
  # As git fetch has it: a pack for every few commits would slow everything down.
  if [ "$count" -lt 100 ]; then
    git unpack-objects -q --strict --max-input-size=2147483648 <"$W/guest.pack"
  else
    git index-pack --stdin --strict --max-input-size=2147483648 <"$W/guest.pack" >/dev/null
  fi
  rm -f "$W/guest.pack"
}
`;

/**
 * $1: guest git dir; standard input: tips, one per line. Adopts everything reachable from them, and fails unless all of
 * it is there. Prints the tips with their types.
 */
export const TAKE_TIPS =
  DISTRUST_OBJECTS +
  sh`
cat >"$W/tips"
# A ref of the person's may lead nowhere. A tip that does is told at the end.
borrow rev-list --objects --ignore-missing --stdin --not --all <"$W/tips" >"$W/new"
take_over "$W/new"
git rev-list --objects --ignore-missing --quiet --stdin --not --all <"$W/tips"
git cat-file --batch-check='%(objectname) %(objecttype)' <"$W/tips" >"$W/types"
if grep ' missing$' "$W/types" >&2; then exit 1; fi
cat "$W/types"
rm -rf "$W/live"
`;

/** $1: guest git dir; standard input: blobs, one per line. Adopts the missing ones; fails where one is not a blob. */
export const TAKE_OBJECTS =
  DISTRUST_OBJECTS +
  sh`
cat >"$W/wanted"
git cat-file --batch-check='%(objectname) %(objecttype)' <"$W/wanted" | sed -n 's/ missing$//p' >"$W/new"
take_over "$W/new"
if git cat-file --batch-check='%(objecttype) %(objectname)' <"$W/wanted" | grep -v '^blob ' >&2; then exit 1; fi
`;

/**
 * $1: guest git dir. Adopts files that git-lfs stored there and whose content matches their names. A failure here is no
 * reason to refuse the commits: they only name the files.
 */
export const TAKE_LARGE_FILES = sh`
store=$1/lfs/objects
[ -d "$store" ] && [ ! -L "$1/lfs" ] && [ ! -L "$store" ] || exit 0
sum() { sha256sum 2>/dev/null || shasum -a 256; }
cd "$store"
find . -type f -path './[0-9a-f][0-9a-f]/[0-9a-f][0-9a-f]/*' >"$W/large-files"
while IFS= read -r file; do
  target=\${O%/*}/lfs/objects/\${file#./}
  [ ! -e "$target" ] || continue
  found=$(sum <"$file" | cut -d ' ' -f 1)
  [ "$found" = "\${file##*/}" ] || continue
  mkdir -p "\${target%/*}"
  mv "$file" "$target"
done <"$W/large-files"
`;

/** Standard input: update-ref commands. */
export const KEEP_GUEST_REFS = sh`
git update-ref -m 'ralph: refs of a guest git dir' --stdin
`;

/** $1: index file. Prints its entries. */
export const LIST_INDEX = sh`
GIT_INDEX_FILE=$1 git ls-files -s -z
`;

/** Standard input: entries for update-index. Brings the index of the commit that is being built up to them. */
export const TAKE_INDEX = sh`
: >"$W/commit.holds"
GIT_INDEX_FILE=$W/commit.index git update-index -z --index-info
`;
