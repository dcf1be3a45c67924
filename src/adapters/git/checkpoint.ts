import { basename } from 'node:path';
import {
  copyWithTime,
  foldersIn,
  makePrivateDir,
  pathFromBytes,
  type RawMode,
  rawModes,
  remove,
} from '../../platform/index.ts';
import { headLogSize, type RefList, readRefs, refsByGit } from './head.ts';
import { changedBetween, healIndex, readIndex } from './index-file.ts';
import { GITLINK, joinNul, sections, splitNul, withoutDot } from './lists.ts';
import { diffTrees } from './objects.ts';
import type { AfterState, Checkpoint, Ignored } from './port.ts';
import { sh } from './prelude.ts';
import { line, type OddPath, type Room, runScript } from './room.ts';
import { acknowledgeNested, excludeNested, readLeftOut, readNested, runSnapshot } from './shadow.ts';

export async function takeCheckpoint(room: Room, label: string): Promise<Checkpoint & Ignored> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(label)) throw new Error(`not a label for a checkpoint: ${label}`);
  const copy = `${room.repo.stateDir}/index-${label}`;
  const name = `${worktreeName(room.repo)}/${label}`;
  // Before HEAD is read: entries logged in between count as later, and are read again.
  const headLog = await headLogSize(room.repo);
  const [refs, hasIndex] = await Promise.all([readRefs(room), copyIndex(room, copy)]);
  const output = await runSnapshot(room, 'take a checkpoint', 'user', CHECKPOINT, [name, refs.head]);
  await acknowledgeNested(room);
  const [ignored = [], [treeName = Buffer.of()] = []] = sections(splitNul(output));
  const tree = treeName.toString('latin1');
  room.memory.last = { tree, ignored: ignored.map((path) => path.toString('latin1')) };
  const { empty, odd } = await unusualModes(room, room.memory.last.ignored);
  return {
    ...refs,
    tree,
    index: hasIndex ? copy : null,
    modes: odd.map(({ path, mode }) => [path, mode] as const),
    emptyDirs: empty,
    headLog,
    ignored: await withoutOwn(room, ignored.map(pathFromBytes)),
  };
}

/** Git also lists nested repositories and the files left out of snapshots as ignored. */
async function withoutOwn(room: Room, ignored: readonly string[]): Promise<readonly string[]> {
  const { known } = await readNested(room);
  const own = new Set([...known.map((folder) => `${folder}/`), ...(await readLeftOut(room))]);
  return ignored.filter((path) => !own.has(path));
}

export async function saveIgnored(room: Room, paths: readonly string[]): Promise<string> {
  const ref = `refs/ralph/checkpoint/${worktreeName(room.repo)}/precious`;
  return line(await runScript(room, 'save ignored files', SAVE_IGNORED, [ref], joinNul(paths)));
}

/** @returns whether there is an index */
async function copyIndex({ repo }: Room, copy: string): Promise<boolean> {
  await makePrivateDir(repo.stateDir);
  const isThere = await copyWithTime(`${repo.gitDir}/index`, copy);
  if (!isThere) await remove(copy);
  return isThere;
}

/** Different for all work trees of a repository, and stable: git itself names the git dir of every linked one. */
function worktreeName({ gitDir, commonDir }: Room['repo']): string {
  return gitDir === commonDir ? 'main' : `worktrees/${basename(gitDir)}`;
}

export async function readAfter(room: Room, checkpoint: Checkpoint): Promise<AfterState> {
  await healIndex(room, checkpoint);
  let state = await look(room, checkpoint);
  if (state.raw.some(({ path }) => isIgnoreFile(path))) state = await look(room, checkpoint, AFTER_NEW_RULES);
  // A repository in the place of a tracked file appears without an error, as a link to its commit.
  if (state.raw.some((change) => change.newMode === GITLINK)) {
    await excludeNested(room);
    state = await look(room, checkpoint, AFTER_NEW_RULES);
  }
  const { tree, raw } = state;
  const { head, branch, movedRefs } = await refsAfter(room, checkpoint);
  return {
    // On a branch without a commit (checkout --orphan) the agent has no commits to keep.
    head: head || checkpoint.head,
    branch,
    tree,
    movedRefs,
    changed: raw.map(({ path, status }) => ({ path, status })),
  };
}

export function isIgnoreFile(path: string): boolean {
  return path === '.gitignore' || path.endsWith('/.gitignore');
}

/** The work tree now, and how it differs from the checkpoint. */
export async function look(room: Room, checkpoint: Checkpoint, script = AFTER) {
  const tree = line(await runSnapshot(room, 'look at what the agent left', 'agent', script, [checkpoint.tree]));
  return { tree, raw: tree === checkpoint.tree ? [] : await diffTrees(room, checkpoint.tree, tree) };
}

/** Files tell whether a ref has moved; what it is now, git tells: a ref may name what does not exist. */
async function refsAfter(room: Room, checkpoint: Checkpoint) {
  const read = async (list: RefList) => ({ ...list, movedRefs: movedRefs(checkpoint, list.refs, list.branch) });
  const seen = await read(await readRefs(room));
  const names = Object.keys(seen.movedRefs);
  if (names.length === 0) return seen;
  const told = await read(await refsByGit(room));
  const moved = Object.entries(told.movedRefs).filter(([name]) => names.includes(name));
  return { ...told, movedRefs: Object.fromEntries(moved) };
}

/** HEAD's own branch, before or after, is in `head` and `branch`. */
function movedRefs(
  checkpoint: Checkpoint,
  now: Readonly<Record<string, string>>,
  branch: string | null,
): AfterState['movedRefs'] {
  const names = new Set([...Object.keys(checkpoint.refs), ...Object.keys(now)]);
  const moved: Record<string, readonly [string, string]> = {};
  for (const name of [...names].sort()) {
    if (name === checkpoint.branch && name === branch) continue;
    const [before, after] = [checkpoint.refs[name] ?? '', now[name] ?? ''];
    if (before !== after) moved[name] = [before, after];
  }
  return moved;
}

export async function readTree(room: Room): Promise<string> {
  return line(await runSnapshot(room, 'read the work tree', 'agent', TREE));
}

export async function restoreTree(room: Room, tree: string): Promise<void> {
  await runSnapshot(room, 'undo changes in the work tree', 'agent', RESTORE_TREE, [tree]);
}

/** A file or folder with permission bits that a checkout does not give it. */
export interface OddMode extends RawMode {
  readonly path: string;
}

/**
 * What git does not know of the work tree as it was at the last snapshot: folders without a file (`ignored`: as git
 * listed them), and files and folders whose mode is not what a checkout gives them; git itself knows only "executable
 * or not". Folders come before their content.
 */
export async function unusualModes(room: Room, ignored: readonly string[]) {
  const index = await readIndex(`${room.shadow}/index`, room.objectFormat);
  const files = index?.paths ?? (await snapshotPaths(room));
  const folders = foldersOf(files);
  const empty = await emptyDirs(room, folders, ignored);
  const known = index && room.memory.modes;
  const changed = known ? changedBetween(known.index, index) : files;
  const looked = await oddOf(room, [...folders, ...changed, ...empty.map((path) => path.toString('latin1'))]);
  const kept = known && known.odd.length > 0 ? unchangedOf(known.odd, files, changed) : [];
  const odd = [...looked, ...kept];
  room.memory.modes = index && { index, odd: odd.filter(([, { kind }]) => kind !== 'dir') };
  return {
    empty: empty.map((record) => withoutDot(pathFromBytes(record))),
    odd: odd.map(
      ([path, mode]): OddMode => ({ ...mode, path: withoutDot(pathFromBytes(Buffer.from(path, 'latin1'))) }),
    ),
  };
}

async function oddOf({ repo: { root } }: Room, paths: readonly string[]): Promise<readonly OddPath[]> {
  const allowed = ~process.umask();
  const [plain, executable] = [0o666 & allowed, 0o777 & allowed];
  const isOdd = ({ kind, mode }: RawMode) =>
    (kind === 'dir' && mode !== executable) || (kind === 'file' && mode !== executable && mode !== plain);
  const found = await rawModes(root, paths);
  return found.flatMap((entry, at) => (entry !== null && isOdd(entry) ? [[paths[at] ?? '', entry] as const] : []));
}

function unchangedOf(odd: readonly OddPath[], files: readonly string[], changed: readonly string[]) {
  const [there, fresh] = [new Set(files), new Set(changed)];
  return odd.filter(([path]) => there.has(path) && !fresh.has(path));
}

/** All of them are below a folder without a tracked or an ignored file: git is asked only where there is one. */
async function emptyDirs(room: Room, folders: readonly string[], ignored: readonly string[]): Promise<Buffer[]> {
  const known = new Set(['.git', ...folders, ...ignored.map((path) => path.replace(/\/$/, ''))]);
  const found = await foldersIn(room.repo.root, ['', ...folders]);
  if (found.every((folder) => known.has(folder))) return [];
  return splitNul(await runScript(room, 'look for empty folders', EMPTY_DIRS));
}

/** Every parent folder of a file. */
function foldersOf(files: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
      const folder = file.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return [...folders].sort();
}

/** The files in the shadow index, one character per byte. */
async function snapshotPaths(room: Room): Promise<readonly string[]> {
  return splitNul(await runScript(room, 'list the snapshot', LIST)).map((path) => path.toString('latin1'));
}

const LIST = sh`
shadow ls-files -z
`;

/** Prints the directories without a file in them. */
const EMPTY_DIRS = sh`
print_empty_dirs
`;

/**
 * $1: strict or tolerant, $2: work tree and label, $3: HEAD's commit. Prints the ignored files, an empty record, the
 * tree. Refs keep that and the commit.
 */
const CHECKPOINT = sh`
# Files that are tracked although an ignore rule covers them: the shadow index must know them as tracked too. "known":
# it did when that file was written.
known=
[ ! -s "$S/ralph-rules" ] || read -r _ known <"$S/ralph-rules" || :
[ "$known" = known ] && [ "$S/ralph-rules" -nt "$GIT_DIR/index" ] || {
  git ls-files -z -i -c --exclude-standard >"$W/forced"
  [ ! -s "$W/forced" ] || shadow update-index -z --add --remove --stdin <"$W/forced" 2>/dev/null || :
}
add_all "$1"
{
  tree=$(as_shadow; exec git write-tree)
  echo "$tree known" >"$S/ralph-rules"
  exec git update-ref --stdin <<REFS
update refs/ralph/checkpoint/$2/head $3
update refs/ralph/checkpoint/$2/tree $tree
REFS
} &
writing=$!
(as_shadow; exec git ls-files -o -i -z --directory --exclude-standard)
wait "$writing"
read -r tree _ <"$S/ralph-rules"
printf '\0%s' "$tree"
`;

/** $1: ref; standard input: paths. Prints a tree of these files, which that ref keeps. */
const SAVE_IGNORED = sh`
index=$(mktemp "$W/ignored.XXXXXX")
trap 'rm -f "$index"' EXIT
shadow_in "$index" read-tree --empty
shadow_in "$index" update-index -z --add --remove --stdin
tree=$(shadow_in "$index" write-tree)
git update-ref "$1" "$tree"
echo "$tree"
`;

const PRINT_TREE = sh`
as_shadow
exec git write-tree
`;

/** $1: strict or tolerant, $2: tree of the checkpoint. Prints the tree of the work tree. */
const AFTER =
  sh`
rules_of "$2"
add_all "$1"
` + PRINT_TREE;

/** Like `AFTER`, for a changed .gitignore: files that were ignored at the checkpoint stay out. */
const AFTER_NEW_RULES =
  sh`
add_all "$1"
hide_once_ignored "$2"
` + PRINT_TREE;

/** $1: strict or tolerant. Prints the tree of the work tree under the ignore rules of the last checkpoint. */
export const TREE =
  sh`
add_all_by_rules "$1"
` + PRINT_TREE;

/** $1: strict or tolerant, $2: tree that `AFTER` or `TREE` printed. Takes the work tree there; ignored files stay. */
const RESTORE_TREE = sh`
add_all_by_rules "$1"
shadow read-tree --reset -u "$2"
`;
