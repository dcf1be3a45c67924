import { joinNul, pathList } from './lists.ts';
import type { Git } from './port.ts';
import { sh } from './prelude.ts';
import { gitError, type Room, runGit, runScript, tryGit, tryScript } from './room.ts';
import { prepareShadow } from './shadow.ts';

/** Where the files of a spec folder are that git ignores: in no commit of a branch. Work trees share it. */
export const SPEC_REF = 'refs/ralph/spec';

/** Whether ignore rules name a path or not decides here, even where git tracks it. */
export async function namedByRules(room: Room, paths: readonly string[]): ReturnType<Git['namedByRules']> {
  if (paths.length === 0) return [];
  const args = ['check-ignore', '-z', '--no-index', '--stdin'];
  const result = await tryGit(room, args, joinNul(paths));
  if (result.exitCode !== 0 && result.exitCode !== 1) throw gitError(room, 'read the ignore rules', result);
  return pathList(result.stdout);
}

export async function leaveUntracked(room: Room, paths: readonly string[]): Promise<void> {
  await prepareShadow(room);
  await runScript(room, 'forget files', FORGET, [], joinNul(paths));
}

const FORGET = sh`
shadow update-index -z --force-remove --stdin
`;

/** Another work tree may save at the same time. */
const TRIES = 20;

export async function saveSpec(room: Room, paths: readonly string[]): Promise<void> {
  for (let look = 1; ; look += 1) {
    const result = await tryScript(room, SAVE_SPEC, [SPEC_REF], joinNul(paths));
    if (result.exitCode === 0) return;
    if (look === TRIES) throw gitError(room, 'save the spec folder', result);
  }
}

/** $1: ref; standard input: paths, from the work tree. Those that are gone there go; those of other folders stay. */
const SAVE_SPEC = sh`
old=$(git rev-parse -q --verify "$1^{commit}" || :)
GIT_INDEX_FILE=$(mktemp "$W/spec.XXXXXX")
export GIT_INDEX_FILE
trap 'rm -f "$GIT_INDEX_FILE"' EXIT
git read-tree \${old:---empty}
git update-index -z --add --remove --replace --stdin
tree=$(git write-tree)
[ -z "$old" ] || [ "$tree" != "$(git rev-parse "$old^{tree}")" ] || exit 0
commit=$(git commit-tree \${old:+-p "$old"} -m 'ralph: the spec folder' "$tree")
git update-ref -m 'ralph: the spec folder' "$1" "$commit" "$old"
`;

export async function updateSpec(room: Room, tree: string, paths: readonly string[]): Promise<readonly string[]> {
  return pathList(await runScript(room, 'update the spec folder', UPDATE_SPEC, [SPEC_REF, tree], joinNul(paths)));
}

/** $1: ref, $2: tree; standard input: paths. A file that the ref never had is a person's: it is printed. */
const UPDATE_SPEC = sh`
GIT_INDEX_FILE=$(mktemp "$W/spec.XXXXXX")
export GIT_INDEX_FILE
trap 'rm -f "$GIT_INDEX_FILE" "$W/known" "$W/old" "$W/changed"' EXIT
git rev-list --objects "$1" | cut -d ' ' -f 1 >"$W/known"
git read-tree "$2"
: >"$W/old"
xargs -0 sh -c '
for f; do
  new=$(git rev-parse -q --verify ":$f") || continue
  now=
  if [ -e "./$f" ] || [ -L "./$f" ]; then now=$(git hash-object -- "./$f"); fi
  [ "$now" != "$new" ] || continue
  if [ -z "$now" ] || grep -qxF "$now" "$0/known"; then printf "%s\0" "$f" >>"$0/old"; else printf "%s\0" "$f"; fi
done' "$W" >"$W/changed"
[ -s "$W/changed" ] || git checkout-index -f -q -z --stdin <"$W/old"
cat "$W/changed"
`;

export async function restoreSpec(room: Room, folder: string | null): ReturnType<Git['restoreSpec']> {
  const found = await tryGit(room, ['rev-parse', '-q', '--verify', `${SPEC_REF}^{commit}`]);
  if (found.exitCode !== 0) return [];
  const under = folder === null || folder === '.' ? [] : ['--', folder];
  const list = ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--name-only', '--full-tree', SPEC_REF, ...under];
  const paths = pathList(await runGit(room, 'list the spec folder', list));
  const written = await runScript(room, 'restore the spec folder', RESTORE_SPEC, [SPEC_REF], joinNul(paths));
  return pathList(written);
}

/** $1: ref; standard input: paths. Writes those that are not there, and prints them. */
const RESTORE_SPEC = sh`
GIT_INDEX_FILE=$(mktemp "$W/spec.XXXXXX")
export GIT_INDEX_FILE
trap 'rm -f "$GIT_INDEX_FILE" "$W/missing"' EXIT
git read-tree "$1"
xargs -0 sh -c 'for f; do [ -e "./$f" ] || [ -L "./$f" ] || printf "%s\0" "$f"; done' sh >"$W/missing"
git checkout-index -q -z --stdin <"$W/missing"
cat "$W/missing"
`;
