import { orNull, readBytes, readText, stat } from '../../../platform/files/files.ts';
import { parseRaw, type RawChange, sections } from '../lists.ts';
import { joinNul, pathFromBytes, pathToBytes, splitNul } from '../path-bytes.ts';
import { ONLINE, type Room, runScript, tryScript } from '../room.ts';
import { AS_WRITTEN, DIFFERING, INSPECT, STORED_AS, UNTRACKED_BELOW } from '../scripts/advance.ts';
import { pastVersions } from './past-versions.ts';

const ABSENT = '000000';
const GITLINK = '160000';

/** How a work tree stands to a merge that its branch is to be moved to. */
export interface Findings {
  /** What a person would lose: changes of files that the merge changes, files where it makes one. Sorted. */
  readonly inTheWay: readonly string[];
  /** There already as it will be. */
  readonly present: readonly RawChange[];
  /** Half written when an earlier try was killed. */
  readonly torn: readonly string[];
  /** In no commit of this branch, but as the other one had it and went on from: nothing is lost when it gives way. */
  readonly known: readonly string[];
  /** As the branch has it now, and will be replaced or removed. */
  readonly replaced: readonly string[];
  /** Not there now, and will be made. */
  readonly added: readonly string[];
}

type Finding = 'in-the-way' | 'present' | 'torn' | 'known' | 'replaced' | 'added';

/** Compares index and files with what the branch has now, and with what it will have. Touches neither. */
export async function findInTheWay(room: Room, from: string, to: string): Promise<Findings> {
  const output = await runScript(room, 'look at the work tree', INSPECT, [from, to]);
  const [changes = [], staged = [], dirty = []] = rawLists(output);
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
      if (file === undefined) ways.set(path, 'replaced');
      else doubtful.push(change);
    } else {
      const obstacle = await obstacleAt(room, path, deleted);
      if (obstacle === null) ways.set(path, 'added');
      else if (obstacle === path) doubtful.push(change);
      else others.add(obstacle);
    }
  }

  const differing = await differingFrom(room, doubtful);
  const goesOn = doubtful.length > 0 && (await isUnderWay(room, from, to));
  for (const change of doubtful) {
    ways.set(change.path, await judgeDoubtful(room, { change, to, differs: differing.has(change.path), goesOn }));
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
    replaced: names('replaced'),
    added: names('added'),
  };
}

/** The file is not as the branch has it now. */
async function judgeDoubtful(
  room: Room,
  at: { readonly change: RawChange; readonly to: string; readonly differs: boolean; readonly goesOn: boolean },
): Promise<Finding> {
  const { change, to, differs, goesOn } = at;
  const { path, newMode } = change;
  const isGone = (await stat(`${room.repo.root}/${path}`)) === null;
  if (newMode === ABSENT) return isGone ? 'present' : 'in-the-way';
  if (!differs) return 'present';
  if (!goesOn || newMode === GITLINK) return 'in-the-way';
  // Killed after the old file was removed, or in the middle of writing the new one: finishing it loses nothing.
  if (isGone) return change.status === 'added' ? 'added' : 'replaced';
  return (await isBeginning(room, to, path)) ? 'torn' : 'in-the-way';
}

/**
 * Of files that no commit of this branch has: those that are, byte for byte as git stores them, what a commit on the way
 * to the new state had there. So is what was copied into the work tree of a stream when it began.
 */
async function knownAmong(
  room: Room,
  from: string,
  to: string,
  strange: readonly RawChange[],
  dirty: ReadonlyMap<string, unknown>,
): Promise<readonly string[]> {
  // One that is staged and then changed is two versions.
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
  const input = Buffer.concat([pathToBytes(path), Buffer.of(0)]);
  const whole = await tryScript(room, AS_WRITTEN, [to], input, ONLINE);
  return whole.exitCode === 0 && whole.stdout.subarray(0, bytes.length).equals(bytes);
}

/** Whether an earlier try for the same two commits got as far as writing files, and not to its end. */
async function isUnderWay(room: Room, from: string, to: string): Promise<boolean> {
  return (await readText(`${room.repo.stateDir}/advance`))?.trim() === `${from} ${to}`;
}

/** Paths whose files are not what the change makes of them. */
async function differingFrom(room: Room, changes: readonly RawChange[]): Promise<ReadonlySet<string>> {
  const wanted = changes.filter(({ newMode }) => newMode !== ABSENT);
  if (wanted.length === 0) return new Set();
  const entries = wanted.map(({ newMode, newId, path }) =>
    Buffer.concat([Buffer.from(`${newMode} ${newId}\t`), pathToBytes(path), Buffer.of(0)]),
  );
  const output = await runScript(room, 'compare files', DIFFERING, [], Buffer.concat(entries));
  return new Set(splitNul(output).map(pathFromBytes));
}

/** What is where a new file is to be: the path itself, a file or link that takes a folder's place, or null. */
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
  const [inside] = splitNul(await runScript(room, 'look into a folder', UNTRACKED_BELOW, [path]));
  return inside === undefined ? null : pathFromBytes(inside);
}

function rawLists(output: Buffer): RawChange[][] {
  return sections(splitNul(output)).map((records) =>
    parseRaw(Buffer.concat(records.flatMap((record) => [record, Buffer.of(0)]))),
  );
}
