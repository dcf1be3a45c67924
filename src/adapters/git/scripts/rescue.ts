import { sh } from './sh.ts';

/** $1: ref up to "<run>/<iteration>", $2: tree, the rest: -p and parents; standard input: message. Prints ref and commit. */
export const KEEP_TREE = sh`
base=$1 tree=$2
shift 2
commit=$(git commit-tree "$@" "$tree")
# The old value of zeros says "must not exist": a second rescue of an iteration never replaces the first.
zero=$(printf %s "$commit" | tr 0-9a-f 0)
k=1
until git update-ref -m 'ralph: rescue' "$base-$k" "$commit" "$zero" 2>"$W/said"; do
  git rev-parse -q --verify "$base-$k" >/dev/null || { cat "$W/said" >&2; exit 1; }
  k=$((k + 1))
done
printf '%s\n%s\n' "$base-$k" "$commit"
`;

/** $1: commit; standard input: paths. Writes these files as they are, without the user's filters. */
export const WRITE_FILES = sh`
cat >"$W/names"
shadow_in "$W/old.index" read-tree "$1"
shadow_in "$W/old.index" checkout-index -f -q -z --stdin <"$W/names"
`;

/** Standard input: update-ref commands. */
export const DELETE_REFS = sh`
git update-ref --stdin
`;

/** $1: folder, $2: tree or commit. Prints the tree of that with the files of the folder laid over it, ignored or not. */
export const LAY_OVER = sh`
index=$(mktemp "$W/over.XXXXXX")
trap 'rm -f "$index"' EXIT
shadow_in "$index" read-tree "$2"
(
  cd "$1"
  export GIT_WORK_TREE="$1"
  shadow_in "$index" add -f --ignore-removal .
) >&2
shadow_in "$index" write-tree
`;
