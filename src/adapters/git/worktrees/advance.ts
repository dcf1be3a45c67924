import { GitRefusal } from '../../../contracts/index.ts';
import { makeDir, orNull, readBytes, readText, stat, writeAtomic } from '../../../platform/index.ts';
import { pastVersions } from '../history.ts';
import { joinNul, parseRaw, pathFromBytes, pathToBytes, type RawChange, sections, splitNul } from '../lists.ts';
import { gitError, line, ONLINE, type Room, roomAt, runScript, tryGit, tryScript } from '../room.ts';
import {
  ADVANCE,
  AS_WRITTEN,
  DIFFERING,
  IN_THE_WAY,
  INDEX_HELD,
  INSPECT,
  LOOK_AGAIN,
  STORED_AS,
  UNTRACKED_BELOW,
} from '../scripts/advance.ts';
import type { WorktreeEntry, WorktreeGit } from './port.ts';
import { alone, worktrees } from './worktrees.ts';

type Input = Parameters<WorktreeGit['advanceBranch']>[0];
type Outcome = Awaited<ReturnType<WorktreeGit['advanceBranch']>>;

/** Another git may be working in that work tree: then the findings are checked again. */
const LOOKS = 5;

/** See `Git.advanceBranch`. Repeated after a crash, it continues from what is there. */
export async function advanceBranch(room: Room, input: Input): Promise<Outcome> {
  const builds = await tryGit(room, ['merge-base', '--is-ancestor', input.expected, input.to]);
  if (builds.exitCode !== 0) throw new Error(`${input.to} does not build on ${input.expected}`);
  return alone(room, 'move a branch', async () => {
    const trees = (await worktrees(room)).filter(({ branch, missing }) => branch === input.branch && !missing);
    if (trees.length > 1) throw severalTrees(input.branch, trees);
    const [tree] = trees;
    for (let look = 1; ; look++) {
      const outcome = tree === undefined ? await moveRef(room, input) : await moveWithFiles(room, tree, input);
      if (outcome !== null) return outcome;
      if (look === LOOKS) throw stillMoving(input.branch, tree?.root ?? room.repo.commonDir);
    }
  });
}

export async function filesInTheWay(
  room: Room,
  { branch, expected, to }: Input,
): Promise<{ readonly root: string; readonly paths: readonly string[] } | null> {
  // The scratch files are those of a merge.
  return alone(room, 'look what is in the way of a merge', async () => {
    const tree = (await worktrees(room)).find((entry) => entry.branch === branch && !entry.missing);
    if (tree === undefined) return null;
    const there = roomAt(room, tree);
    await makeDir(there.work);
    const { inTheWay } = await findInTheWay(there, expected, to);
    return inTheWay.length === 0 ? null : { root: tree.root, paths: inTheWay };
  });
}

/** Null: look again. */
async function moveRef(room: Room, { branch, expected, to }: Input): Promise<Outcome | null> {
  const standing = await standingOf(room, branch, expected, to);
  if (standing !== 'expected') return { kind: standing };
  const moved = await tryGit(room, ['update-ref', '-m', 'ralph: merge', `refs/heads/${branch}`, to, expected]);
  return moved.exitCode === 0 ? { kind: 'advanced' } : null;
}

/** Null: look again. */
async function moveWithFiles(room: Room, tree: WorktreeEntry, input: Input): Promise<Outcome | null> {
  const { branch, expected, to } = input;
  const there = roomAt(room, tree);
  const standing = await standingOf(there, branch, expected, to);
  // The branch moves last: once it has moved, index and files are there too.
  if (standing !== 'expected') return { kind: standing };
  await makeDir(there.work);
  const found = await findInTheWay(there, expected, to);
  if (found.inTheWay.length > 0) return { kind: 'in-the-way', root: tree.root, paths: found.inTheWay };
  await writeLists(`${there.work}/advance`, found);
  const result = await tryScript(there, ADVANCE, [`refs/heads/${branch}`, expected, to], undefined, ONLINE);
  switch (result.exitCode) {
    case 0:
      return { kind: 'advanced' };
    case LOOK_AGAIN:
      return null;
    case INDEX_HELD:
      throw indexHeld(line(Buffer.from(result.stderr)));
    case IN_THE_WAY: {
      const paths = [...result.stderr.matchAll(/'([^']+)'/g)].map(([, path = '']) => path);
      if (paths.length > 0) return { kind: 'in-the-way', root: tree.root, paths };
    }
  }
  throw gitError(there, 'bring the work tree up to the merge', result);
}

async function standingOf(
  room: Room,
  branch: string,
  expected: string,
  to: string,
): Promise<'expected' | 'already' | 'moved-by-someone'> {
  const now = line((await tryGit(room, ['rev-parse', '-q', '--verify', `refs/heads/${branch}`])).stdout);
  if (now === to) return 'already';
  return now === expected ? 'expected' : 'moved-by-someone';
}

async function writeLists(folder: string, found: Findings): Promise<void> {
  const entries = found.present.map(({ newMode, newId, path }) =>
    Buffer.concat([Buffer.from(`${newMode} ${newId}\t`), pathToBytes(path), Buffer.of(0)]),
  );
  const write = (name: string, bytes: Buffer) => writeAtomic(`${folder}/${name}`, bytes, { fsync: false });
  await write('present', Buffer.concat(entries));
  await write('torn', joinNul(found.torn));
  await write('known', joinNul(found.known));
  await write('old', joinNul(found.replaced));
  await write('new', joinNul(found.added));
}

function severalTrees(branch: string, trees: readonly WorktreeEntry[]): GitRefusal {
  return new GitRefusal({
    what: `the branch ${branch} is checked out in ${trees.length} work trees`,
    where: trees.map(({ root }) => root).join(', '),
    why: 'the files of only one of them could be brought up to a merge together with the branch',
    mend: [`switch all but one of them to another branch: git switch --detach`],
  });
}

function indexHeld(lock: string): GitRefusal {
  return new GitRefusal({
    what: 'another git is at work in this work tree',
    where: lock,
    mend: ['wait for it to end, then try again', 'if none is, one was killed: remove that file'],
  });
}

function stillMoving(branch: string, where: string): GitRefusal {
  return new GitRefusal({
    what: `the branch ${branch}, or its work tree, keeps changing`,
    where,
    mend: ['end what works there, then try again'],
  });
}

const ABSENT = '000000';
const GITLINK = '160000';

/** The state of a work tree compared with a merge that its branch is to be moved to. */
interface Findings {
  /** What a person would lose: changes of files that the merge changes, files where it makes one. Sorted. */
  readonly inTheWay: readonly string[];
  /** Already have their new content. */
  readonly present: readonly RawChange[];
  /** Half written when an earlier try was killed. */
  readonly torn: readonly string[];
  /** In no commit of this branch, but in one of the other, which continued from it: replacing it loses nothing. */
  readonly known: readonly string[];
  /** As the branch has it now; will be replaced or removed. */
  readonly replaced: readonly string[];
  /** Not there now; will be made. */
  readonly added: readonly string[];
}

type Finding = 'in-the-way' | 'present' | 'torn' | 'known' | 'replaced' | 'added';

/** Compares index and files with the branch's current and future content. Changes neither. */
async function findInTheWay(room: Room, from: string, to: string): Promise<Findings> {
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

/** For a file that differs from the branch's current version. */
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
  // Killed after the old file was removed, or while writing the new one: finishing it loses nothing.
  if (isGone) return change.status === 'added' ? 'added' : 'replaced';
  return (await isBeginning(room, to, path)) ? 'torn' : 'in-the-way';
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
  const input = Buffer.concat([pathToBytes(path), Buffer.of(0)]);
  const whole = await tryScript(room, AS_WRITTEN, [to], input, ONLINE);
  return whole.exitCode === 0 && whole.stdout.subarray(0, bytes.length).equals(bytes);
}

/** Whether an earlier try for the same two commits began to write files and did not finish. */
async function isUnderWay(room: Room, from: string, to: string): Promise<boolean> {
  return (await readText(`${room.repo.stateDir}/advance`))?.trim() === `${from} ${to}`;
}

/** Paths whose files differ from the result of the change. */
async function differingFrom(room: Room, changes: readonly RawChange[]): Promise<ReadonlySet<string>> {
  const wanted = changes.filter(({ newMode }) => newMode !== ABSENT);
  if (wanted.length === 0) return new Set();
  const entries = wanted.map(({ newMode, newId, path }) =>
    Buffer.concat([Buffer.from(`${newMode} ${newId}\t`), pathToBytes(path), Buffer.of(0)]),
  );
  const output = await runScript(room, 'compare files', DIFFERING, [], Buffer.concat(entries));
  return new Set(splitNul(output).map(pathFromBytes));
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
  const [inside] = splitNul(await runScript(room, 'look into a folder', UNTRACKED_BELOW, [path]));
  return inside === undefined ? null : pathFromBytes(inside);
}

function rawLists(output: Buffer): RawChange[][] {
  return sections(splitNul(output)).map((records) =>
    parseRaw(Buffer.concat(records.flatMap((record) => [record, Buffer.of(0)]))),
  );
}
