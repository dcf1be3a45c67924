import { GitRefusal } from '../../../contracts/errors.ts';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { makeDir } from '../../../platform/files/files.ts';
import { joinNul, pathToBytes } from '../path-bytes.ts';
import { gitError, line, ONLINE, type Room, roomAt, tryGit, tryScript } from '../room.ts';
import { ADVANCE, IN_THE_WAY, INDEX_HELD, LOOK_AGAIN } from '../scripts/advance.ts';
import { type Findings, findInTheWay } from './advance-check.ts';
import { alone } from './lock.ts';
import type { WorktreeEntry, WorktreeGit } from './port.ts';
import { worktrees } from './worktrees.ts';

type Input = Parameters<WorktreeGit['advanceBranch']>[0];
type Outcome = Awaited<ReturnType<WorktreeGit['advanceBranch']>>;

/** Somebody else's git may be at work in that work tree: then what we saw is looked at again. */
const LOOKS = 5;

/** See `Git.advanceBranch`. Done again after a crash, it goes on from whatever of it is there. */
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

/** See `Git.filesInTheWay`. */
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
  // The branch moves last: where it is there, index and files are.
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
