import { exists } from '../../platform/index.ts';
import { diffTrees, readAfter } from './checkpoint.ts';
import { joinNul, pathFromBytes, sections, splitNul, withoutDot } from './lists.ts';
import { type OddMode, pairModes, usualModes } from './odd-modes.ts';
import type { Checkpoint } from './port.ts';
import { keepTree, rescuedTrees } from './rescue.ts';
import { line, type Room, runScript } from './room.ts';
import { sh } from './scripts/prelude.ts';
import { readNested, runSnapshot, writeNested } from './shadow.ts';

/** Where a rollback keeps changes that its caller had not rescued. */
const UNRESCUED = { run: 'before-rollback', iteration: 0 };
const FILE = 0o100000;
const TYPE = 0o170000;
const PERMISSIONS = 0o7777;

/** See `Git.rollback`. Anything it is about to remove and no rescue holds is kept under refs/ralph/rescue/before-rollback. */
export async function rollback(room: Room, checkpoint: Checkpoint): Promise<void> {
  const visible = (await readAfter(room, checkpoint)).tree;
  await moveNested(room);
  const all = line(await runSnapshot(room, 'put the ignore rules back', 'agent', RESTORE_RULES, [checkpoint.tree]));
  await keepUnrescued(room, checkpoint, visible, all);
  // The old rules can show repositories that the new ones hid.
  await moveNested(room);

  const branch = checkpoint.branch ?? '';
  const output = await runScript(room, 'roll back', PUT_BACK, [
    checkpoint.tree,
    branch,
    checkpoint.head,
    checkpoint.index ?? '',
    ...usualModes(),
    checkpoint.sealed ? 'sealed' : '',
  ]);
  const [empty = [], odd = [], modes = []] = sections(splitNul(output));
  const emptyNow = empty.map((record) => withoutDot(pathFromBytes(record)));
  await restoreEmptyDirs(room, checkpoint, emptyNow);
  const gone = new Set(emptyNow.filter((dir) => !checkpoint.emptyDirs.includes(dir)));
  await restoreModes(
    room,
    checkpoint,
    pairModes(odd, modes[0]).filter(({ path }) => !gone.has(path)),
  );
  await runSnapshot(room, 'roll back exactly', 'agent', VERIFY, [checkpoint.tree]);
}

/** `visible`: the tree under the agent's ignore rules; `all`: under the checkpoint's, which can show more. */
async function keepUnrescued(room: Room, checkpoint: Checkpoint, visible: string, all: string): Promise<void> {
  const rescued = await rescuedTrees(room);
  const lost = (tree: string) => tree !== checkpoint.tree && !rescued.has(tree);
  const keep = (tree: string) =>
    keepTree(room, {
      ...UNRESCUED,
      tree,
      parents: [checkpoint.head],
      subject: 'State before a rollback',
      date: room.clock.now(),
    });
  if (lost(visible)) await keep(visible);
  if (all === visible || !lost(all)) return;
  const uncommon = new Set(
    (await diffTrees(room, checkpoint.tree, all)).filter(({ status }) => status !== 'deleted').map(({ path }) => path),
  );
  const hidden = (await diffTrees(room, visible, all)).some(
    ({ path, status }) => status !== 'deleted' && uncommon.has(path),
  );
  if (hidden) await keep(all);
}

/** Repositories that appeared since the checkpoint are part of no tree: they are moved away as a whole. */
async function moveNested(room: Room): Promise<void> {
  const { known, born } = await readNested(room);
  if (born.length === 0) return;
  let folder = 1;
  const target = () => `${room.repo.commonDir}/ralph/rescued/${folder}`;
  while (await exists(target())) folder += 1;
  await runScript(room, 'move nested repositories away', MOVE_AWAY, [target()], joinNul(born));
  await writeNested(room, { known, born: [] });
}

async function restoreEmptyDirs(room: Room, checkpoint: Checkpoint, now: readonly string[]): Promise<void> {
  const extra = now
    .flatMap(withParents)
    .filter((dir) => !checkpoint.emptyDirs.some((kept) => kept === dir || kept.startsWith(`${dir}/`)));
  // A parent sorts before its content, so in reverse order each directory is empty when its turn comes.
  const deepestFirst = [...new Set(extra)].sort().reverse();
  if (deepestFirst.length > 0)
    await runScript(room, 'remove empty directories', REMOVE_DIRS, [], joinNul(deepestFirst));
  const missing = checkpoint.emptyDirs.filter((dir) => !now.includes(dir)).flatMap(withParents);
  if (missing.length > 0)
    await runScript(room, 'make empty directories', MAKE_DIRS, [], joinNul([...new Set(missing)]));
}

function withParents(dir: string): string[] {
  const parts = dir.split('/');
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** Restores unusual modes of the checkpoint, and the usual ones where the agent made them odd. */
async function restoreModes(room: Room, checkpoint: Checkpoint, now: readonly OddMode[]): Promise<void> {
  const wanted = new Map(checkpoint.modes);
  const odd = now.filter(({ path }) => !wanted.has(path));
  const files = odd.filter(({ mode }) => (mode & TYPE) === FILE).map(({ path }) => path);
  if (files.length > 0) await runScript(room, 'write files afresh', WRITE_AFRESH, [checkpoint.tree], joinNul(files));

  const dirs = odd.filter(({ mode }) => (mode & TYPE) !== FILE).map(({ path }) => path);
  // Relative to the umask, like a fresh directory's: symbolic modes without "who" respect it.
  if (dirs.length > 0) await runScript(room, 'restore modes', SET_MODE, ['=rwx'], joinNul(dirs));

  const current = new Map(now.map(({ path, mode }) => [path, mode & PERMISSIONS]));
  const differs = checkpoint.modes.filter(([path, mode]) => current.get(path) !== mode);
  for (const mode of new Set(differs.map(([, mode]) => mode))) {
    const paths = differs.filter((entry) => entry[1] === mode).map(([path]) => path);
    await runScript(room, 'restore modes', SET_MODE, [mode.toString(8)], joinNul(paths));
  }
}

/**
 * $1: strict or tolerant, $2: tree of the checkpoint. Puts the .gitignore files back first: under rules that an agent
 * loosened, the rollback would delete the user's ignored files; under rules that it tightened, the files it hid would
 * stay. Prints the tree of the work tree under the old rules.
 */
const RESTORE_RULES = sh`
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
 * Prints the empty directories and odd modes after that, as CHECKPOINT does.
 */
const PUT_BACK = sh`
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
const REMOVE_DIRS = sh`
xargs -0 rmdir -- 2>/dev/null || :
`;

/** Standard input: directories to make. Replaces a special file; an ignored file in the place of an ignored directory stays. */
const MAKE_DIRS = sh`
xargs -0 sh -c 'for d; do
  [ -d "./$d" ] || [ -f "./$d" ] || [ -L "./$d" ] || { rm -f "./$d"; mkdir -p "./$d"; }
done' sh
`;

/** $1: octal mode; standard input: paths. */
const SET_MODE = sh`
xargs -0 chmod "$1" --
`;

/** $1: tree; standard input: files to write afresh, with the modes a checkout gives. */
const WRITE_AFRESH = sh`
cat >"$W/names"
xargs -0 rm -f -- <"$W/names"
shadow checkout-index -f -q -u -z --stdin <"$W/names"
`;

/** $1: strict or tolerant, $2: tree. Fails unless the work tree is exactly that tree, naming the differences. */
const VERIFY = sh`
add_all "$1"
[ "$(shadow write-tree)" = "$2" ] || {
  echo 'the work tree still differs:' >&2
  shadow diff-index --cached --name-status --no-renames "$2" >&2
  exit 1
}
`;

/** $1: folder to move to; standard input: nested repositories. */
const MOVE_AWAY = sh`
mkdir -p "$1"
xargs -0 sh -c 'to=$1; shift
  for f; do
    case $f in */*) mkdir -p "$to/\${f%/*}" ;; esac
    mv "./$f" "$to/$f"
  done' sh "$1"
`;
