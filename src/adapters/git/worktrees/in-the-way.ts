import { GitRefusal } from '../../../contracts/index.ts';
import { orNull, readBytes, readText, stat } from '../../../platform/index.ts';
import { pastVersions } from '../history.ts';
import {
  ABSENT,
  GITLINK,
  indexInfo,
  joinNul,
  parseRaw,
  pathList,
  type RawChange,
  sections,
  splitNul,
} from '../lists.ts';
import { sh } from '../prelude.ts';
import { gitError, ONLINE, type Room, runScript, tryScript } from '../room.ts';

/** The state of a work tree compared with a merge that its branch is to be moved to. */
export interface Findings {
  /** What a person would lose: changes of files that the merge changes, files where it makes one. Sorted. */
  readonly inTheWay: readonly string[];
  /** Already have their new content. */
  readonly present: readonly RawChange[];
  /** Half written when an earlier try was killed. */
  readonly torn: readonly string[];
  /** In no commit of this branch, but in one of the other, which continued from it: replacing it loses nothing. */
  readonly known: readonly string[];
  /** As the branch has it now; will be replaced or removed. */
  readonly old: readonly string[];
  /** Not there now; will be made. */
  readonly new: readonly string[];
}

type Finding = 'in-the-way' | 'present' | 'torn' | 'known' | 'old' | 'new';

/** Compares index and files with the branch's current and future content. Changes neither. */
export async function findInTheWay(room: Room, from: string, to: string): Promise<Findings> {
  const looked = await tryScript(room, INSPECT, [from, to]);
  if (looked.exitCode === INDEX_HELD) throw indexHeld(room);
  if (looked.exitCode !== 0) throw gitError(room, 'look at the work tree', looked);
  const [changes = [], staged = [], dirty = []] = rawLists(looked.stdout);
  const stagedBy = new Map(staged.map((change) => [change.path, change]));
  const dirtyBy = new Map(dirty.map((change) => [change.path, change]));
  const deleted = new Set(changes.filter(({ newMode }) => newMode === ABSENT).map(({ path }) => path));

  const ways = new Map<string, Finding>();
  const others = new Set<string>();
  const doubtful: RawChange[] = [];
  for (const change of changes) {
    const { path } = change;
    const inIndex = stagedBy.get(path);
    const file = dirtyBy.get(path);
    if (inIndex !== undefined) {
      const isNew = inIndex.newMode === change.newMode && inIndex.newId === change.newId;
      ways.set(path, isNew && file === undefined ? 'present' : 'in-the-way');
    } else if (change.status !== 'added') {
      if (file === undefined) ways.set(path, 'old');
      else doubtful.push(change);
    } else {
      const obstacle = await obstacleAt(room, path, deleted);
      if (obstacle === null) ways.set(path, 'new');
      else if (obstacle === path) doubtful.push(change);
      else others.add(obstacle);
    }
  }

  const differing = await differingFrom(room, doubtful);
  const killed = doubtful.length > 0 ? await killedTry(room, from) : null;
  for (const change of doubtful) {
    ways.set(change.path, await judgeDoubtful(room, { change, differs: differing.has(change.path), killed }));
  }

  const strange = changes.filter(({ path, status }) => status === 'added' && ways.get(path) === 'in-the-way');
  for (const path of await knownAmong(room, from, to, strange, dirtyBy)) ways.set(path, 'known');

  const of = (finding: Finding) => changes.filter(({ path }) => ways.get(path) === finding);
  const names = (finding: Finding) => of(finding).map(({ path }) => path);
  return {
    inTheWay: [...new Set([...names('in-the-way'), ...others])].sort(),
    present: of('present'),
    torn: names('torn'),
    known: names('known'),
    old: names('old'),
    new: names('new'),
  };
}

/** For a file that differs from the branch's current version. */
async function judgeDoubtful(
  room: Room,
  at: { readonly change: RawChange; readonly differs: boolean; readonly killed: string | null },
): Promise<Finding> {
  const { change, differs, killed } = at;
  const { path, newMode } = change;
  const isGone = (await stat(`${room.repo.root}/${path}`)) === null;
  if (newMode === ABSENT) return isGone ? 'present' : 'in-the-way';
  if (!differs) return 'present';
  if (killed === null || newMode === GITLINK) return 'in-the-way';
  // Killed after the old file was removed, or while writing the new one: finishing it loses nothing.
  if (isGone) return change.status === 'added' ? 'new' : 'old';
  return (await isBeginning(room, killed, path)) ? 'torn' : 'in-the-way';
}

/**
 * The files that no commit of this branch has, but that match, byte for byte as git stores them, a commit on the way to
 * the new state. Files copied into the work tree of a stream at its start are such files.
 */
async function knownAmong(
  room: Room,
  from: string,
  to: string,
  strange: readonly RawChange[],
  dirty: ReadonlyMap<string, unknown>,
): Promise<readonly string[]> {
  // A file that is staged and then changed has two versions.
  const clean = strange.filter(({ path }) => !dirty.has(path)).map(({ path }) => path);
  const kinds = await Promise.all(clean.map((path) => orNull(stat(`${room.repo.root}/${path}`))));
  const files = clean.filter((_, at) => kinds[at]?.kind === 'file');
  if (files.length === 0) return [];
  const past = await pastVersions(room, from, to);
  const stored = await runScript(room, 'compare files', STORED_AS, [], joinNul(files));
  const ids = stored.toString().trimEnd().split('\n');
  return files.filter((path, at) => past.get(path)?.has(ids[at] ?? ''));
}

async function isBeginning(room: Room, to: string, path: string): Promise<boolean> {
  const bytes = await readBytes(`${room.repo.root}/${path}`);
  if (bytes === null) return false;
  const whole = await tryScript(room, AS_WRITTEN, [to], joinNul([path]), ONLINE);
  return whole.exitCode === 0 && whole.stdout.subarray(0, bytes.length).equals(bytes);
}

/** The commit whose files a try that was killed was writing; a merge that is made again has another id. */
async function killedTry(room: Room, from: string): Promise<string | null> {
  const [start, to = null] = (await readText(`${room.repo.stateDir}/advance`))?.trim().split(' ') ?? [];
  return start === from ? to : null;
}

/** Paths whose files differ from the result of the change. */
async function differingFrom(room: Room, changes: readonly RawChange[]): Promise<ReadonlySet<string>> {
  const wanted = changes.filter(({ newMode }) => newMode !== ABSENT);
  if (wanted.length === 0) return new Set();
  return new Set(pathList(await runScript(room, 'compare files', DIFFERING, [], indexInfo(wanted))));
}

/** What occupies the place of a new file: the path itself, a file or link in a folder's place, or null. */
async function obstacleAt(room: Room, path: string, deleted: ReadonlySet<string>): Promise<string | null> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth++) {
    const folder = parts.slice(0, depth).join('/');
    const found = await orNull(stat(`${room.repo.root}/${folder}`));
    if (found === null) return null;
    // A tracked file that the merge removes makes room.
    if (found.kind !== 'dir') return deleted.has(folder) ? null : folder;
  }
  const found = await stat(`${room.repo.root}/${path}`);
  if (found === null) return null;
  if (found.kind !== 'dir') return path;
  const [inside] = pathList(await runScript(room, 'look into a folder', UNTRACKED_BELOW, [path]));
  return inside ?? null;
}

function rawLists(output: Buffer): RawChange[][] {
  return sections(splitNul(output)).map((records) =>
    parseRaw(Buffer.concat(records.flatMap((record) => [record, Buffer.of(0)]))),
  );
}

/** Exit code: another git, or the script of a ralph that was killed, holds the index and does not release it. */
export const INDEX_HELD = 67;

export function indexHeld({ repo }: Room): GitRefusal {
  return new GitRefusal({
    what: 'another git process works in this work tree',
    where: `${repo.gitDir}/index.lock`,
    fix: ['wait for it to end, then try again', 'if there is none, one was killed: remove that file'],
  });
}

/** Whether a script like these holds the lock of the index. */
export const OWN_LOCK = sh`
is_held() {
  who='' pid=
  read -r who pid <"$GIT_DIR/index.lock" 2>/dev/null || :
  [ "$who" = ralph ] && kill -0 "$pid" 2>/dev/null
}
`;

/**
 * $1: from, $2: to. Reads without changing anything except a copy of the index. Prints three lists, an empty NUL record
 * between them: the changes of the branch, where the index is not `from`, where files differ from the index.
 */
const INSPECT =
  OWN_LOCK +
  sh`
P=$W/advance
tries=0
# A script whose ralph was killed comes to its end all the same, and needs its files.
while is_held; do
  tries=$((tries + 1))
  [ "$tries" -lt 20 ] || exit 67
  sleep 0.1
done
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
const DIFFERING = sh`
export GIT_INDEX_FILE="$W/advance/wanted"
git read-tree --empty
git update-index -z --index-info
git update-index -q --refresh >/dev/null || :
git diff-files -z --name-only --no-renames --ignore-submodules=all
`;

/** $1: folder. Prints its files that are not in the index, including ignored ones. */
const UNTRACKED_BELOW = sh`
GIT_LITERAL_PATHSPECS=1 git ls-files -o -z -- "$1"
`;

/** $1: commit; standard input: a path, NUL. Prints the file as a checkout writes it. */
const AS_WRITTEN = sh`
printf '%s:' "$1" >"$W/advance/name"
tr -d '\0' >>"$W/advance/name"
git cat-file --filters "$(cat "$W/advance/name")"
`;

/** Standard input: files. Prints their ids as git would store them, one a line. */
const STORED_AS = sh`
xargs -0 git hash-object --
`;
