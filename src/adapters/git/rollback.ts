import { dirname } from 'node:path';
import { GitError } from '../../contracts/index.ts';
import { chmod, exists, readBytes, remove, stat } from '../../platform/index.ts';
import { stagedPaths } from './apply.ts';
import { isIgnoreFile, look, type OddMode, readAfter, readTree, restoreTree, unusualModes } from './checkpoint.ts';
import { headNow, looseHead } from './head.ts';
import { changeIndex } from './index-file.ts';
import { joinNul, type RawChange } from './lists.ts';
import { diffTrees } from './objects.ts';
import type { AfterState, Checkpoint } from './port.ts';
import { OPERATION_FILES, sh } from './prelude.ts';
import { isRescued, keepTree } from './rescue.ts';
import { line, OFFLINE, type Room, runGit, runScript } from './room.ts';
import { readNested, runSnapshot, writeNested } from './shadow.ts';

/** Where a rollback keeps changes that its caller had not rescued. */
const UNRESCUED = { run: 'before-rollback', iteration: 0 };

/** Anything it is about to remove and no rescue holds is kept under refs/ralph/rescue/before-rollback. */
export async function rollback(room: Room, checkpoint: Checkpoint): Promise<void> {
  const after = await readAfter(room, checkpoint);
  if (await isPlain(room, after)) await keepUnrescued(room, checkpoint, after.tree, after.tree);
  else await putRulesBack(room, checkpoint, after.tree);

  await runScript(room, 'put the files back', PUT_BACK, [checkpoint.tree]);
  if (!checkpoint.sealed && !(await isHeadUnchanged(room, checkpoint))) {
    const { branch, head, index } = checkpoint;
    await runScript(room, 'put HEAD and index back', PUT_HEAD, [branch ?? '', head, index ?? '']);
  }
  const { last } = room.memory;
  const { empty, odd } = await unusualModes(room, last?.tree === checkpoint.tree ? last.ignored : []);
  await restoreEmptyDirs(room, checkpoint, empty);
  const gone = new Set(empty.filter((dir) => !checkpoint.emptyDirs.includes(dir)));
  await restoreModes(
    room,
    checkpoint,
    odd.filter(({ path }) => !gone.has(path)),
  );
  const { raw } = await look(room, checkpoint);
  if (raw.length === 0) return;
  const differing = raw.map(({ path, status }) => `${path} (${status})`);
  throw new GitError({
    what: 'git could not roll back exactly',
    where: room.repo.root,
    why: `the work tree still differs: ${differing.slice(0, 10).join(', ')}`,
  });
}

/** Whether the ignore rules are the checkpoint's, and nothing but files took the place of its files. */
async function isPlain(room: Room, { changed }: AfterState): Promise<boolean> {
  if ((await readNested(room)).born.length > 0 || changed.some(({ path }) => isIgnoreFile(path))) return false;
  const gone = changed.filter(({ status }) => status === 'deleted' || status === 'type-changed');
  const inTheWay = await Promise.all(gone.map(({ path }) => stat(`${room.repo.root}/${path}`)));
  return inTheWay.every((found) => found === null);
}

/** Puts the .gitignore files back, and keeps what only the new rules or only the old ones show. */
async function putRulesBack(room: Room, checkpoint: Checkpoint, visible: string): Promise<void> {
  await moveNested(room);
  const all = line(await runSnapshot(room, 'put the ignore rules back', 'agent', RESTORE_RULES, [checkpoint.tree]));
  await keepUnrescued(room, checkpoint, visible, all);
  // The old rules can show repositories that the new ones hid.
  await moveNested(room);
}

/** Whether HEAD, its branch and the index are the checkpoint's, and no operation is under way. */
async function isHeadUnchanged({ repo }: Room, { branch, head, index }: Checkpoint): Promise<boolean> {
  const now = await looseHead(repo);
  if (now?.branch !== branch || now.commit !== head || index === null) return false;
  const files = [`${repo.gitDir}/index`, index].map((path) => readBytes(path).catch(() => null));
  const [mine, copy] = await Promise.all(files);
  if (!mine || !copy || Buffer.compare(mine, copy) !== 0) return false;
  const left = await Promise.all(OPERATION_FILES.map((name) => stat(`${repo.gitDir}/${name}`)));
  return left.every((found) => found === null);
}

/** `visible`: the tree under the agent's ignore rules; `all`: under the checkpoint's, which can show more. */
async function keepUnrescued(room: Room, checkpoint: Checkpoint, visible: string, all: string): Promise<void> {
  const lost = async (tree: string) => tree !== checkpoint.tree && !(await isRescued(room, tree));
  const keep = (tree: string) =>
    keepTree(room, {
      ...UNRESCUED,
      tree,
      parents: [checkpoint.head],
      subject: 'State before a rollback',
      date: room.clock.now(),
    });
  if (await lost(visible)) await keep(visible);
  if (all === visible || !(await lost(all))) return;
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
  const files = odd.filter(({ kind }) => kind === 'file').map(({ path }) => path);
  if (files.length > 0) await runScript(room, 'write files afresh', WRITE_AFRESH, [checkpoint.tree], joinNul(files));

  const dirs = odd.filter(({ kind }) => kind === 'dir').map(({ path }) => path);
  // Relative to the umask, like a fresh directory's: symbolic modes without "who" respect it.
  if (dirs.length > 0) await runScript(room, 'restore modes', SET_MODE, ['=rwx'], joinNul(dirs));

  const current = new Map(now.map(({ path, mode }) => [path, mode]));
  const differs = checkpoint.modes.filter(([path, mode]) => current.get(path) !== mode);
  for (const mode of new Set(differs.map(([, mode]) => mode))) {
    const paths = differs.filter((entry) => entry[1] === mode).map(([path]) => path);
    await runScript(room, 'restore modes', SET_MODE, [mode.toString(8)], joinNul(paths));
  }
}

export async function takeOut(room: Room, checkpoint: Checkpoint, left: string): Promise<void> {
  const head = (await headNow(room)).commit || checkpoint.head;
  const now = await readTree(room);
  const undoing = await diffTrees(room, left, checkpoint.tree);
  const since = new Set((await diffTrees(room, left, now)).map(({ path }) => path));
  const theirs = new Map((await diffTrees(room, checkpoint.head, head)).map((change) => [change.path, change]));
  const staged = await stagedPaths(room, head);
  const wanted = undoing.filter(({ path }) => !since.has(path) && !staged.has(path));
  await changeTree(
    room,
    now,
    wanted.map((change) => theirs.get(change.path) ?? change),
  );
}

export async function putBack(
  room: Room,
  checkpoint: Checkpoint,
  paths: readonly string[],
): Promise<readonly string[]> {
  const chosen = new Set(paths);
  const now = await readTree(room);
  const missing = (await diffTrees(room, now, checkpoint.tree)).filter(({ path }) => chosen.has(path));
  const inTheWay = await Promise.all(missing.map(({ path }) => isTaken(room.repo.root, path)));
  const wanted = missing.filter((_, at) => !inTheWay[at]);
  await changeTree(room, now, wanted);
  const modes = new Map(checkpoint.modes);
  for (const { path } of wanted) {
    const mode = modes.get(path);
    if (mode !== undefined) await chmod(`${room.repo.root}/${path}`, mode);
  }
  const kept = new Set(missing.filter((_, at) => inTheWay[at]).map(({ path }) => path));
  return paths.filter((path) => !kept.has(path));
}

/** Whether the path exists, or a parent of it is not a folder. */
async function isTaken(root: string, path: string): Promise<boolean> {
  if ((await stat(`${root}/${path}`)) !== null) return true;
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const found = await stat(`${root}/${folder}`);
    if (found !== null) return found.kind !== 'dir';
  }
  return false;
}

/** Takes the work tree from one tree to that tree with these changes. */
async function changeTree(room: Room, now: string, changes: readonly RawChange[]): Promise<void> {
  if (changes.length === 0) return;
  const scratch = `${room.work}/beside.index`;
  await remove(scratch);
  const alone: Room = { ...room, env: { ...room.env, GIT_INDEX_FILE: scratch, ...OFFLINE } };
  await runGit(alone, 'read a tree', ['read-tree', now]);
  await changeIndex(room, scratch, changes);
  await restoreTree(room, line(await runGit(alone, 'write a tree', ['write-tree'])));
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

/** $1: tree. */
const PUT_BACK = sh`
shadow read-tree --reset -u "$1" || {
  # An agent took away the right to write to a directory. Modes are put right afterwards.
  shadow ls-files -z >"$W/all"
  xargs -0 sh -c 'for f; do d=./$f; while d=\${d%/*} && [ "$d" != . ]; do [ -w "$d" ] || chmod u+rwx "$d"; done; done' sh <"$W/all"
  shadow read-tree --reset -u "$1"
}
`;

/** $1: branch or empty, $2: HEAD's commit, $3: copy of the index or empty. */
const PUT_HEAD = sh`
clear_operations
if [ -n "$3" ]; then
  take_saved_index "$3" "$2"
  mv -f "$W/user.index" "$GIT_DIR/index"
else
  rm -f "$GIT_DIR/index"
fi
if [ -n "$1" ]; then
  git symbolic-ref -m 'ralph: rollback' HEAD "$1"
  git update-ref -m 'ralph: rollback' "$1" "$2"
else
  git update-ref --no-deref -m 'ralph: rollback' HEAD "$2"
fi
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

/** $1: folder to move to; standard input: nested repositories. */
const MOVE_AWAY = sh`
mkdir -p "$1"
xargs -0 sh -c 'to=$1; shift
  for f; do
    case $f in */*) mkdir -p "$to/\${f%/*}" ;; esac
    mv "./$f" "$to/$f"
  done' sh "$1"
`;
