import { GitRefusal } from '../../../contracts/index.ts';
import { makeDir, remove, writeAtomic } from '../../../platform/index.ts';
import { waysOutOf } from '../broken.ts';
import { removeIfKilled } from '../head.ts';
import { descends } from '../history.ts';
import { indexInfo, joinNul } from '../lists.ts';
import { sh } from '../prelude.ts';
import { askGit, gitError, ONLINE, type Room, roomAt, tryGit, tryScript } from '../room.ts';
import { type Findings, findInTheWay, INDEX_HELD, indexHeld, OWN_LOCK } from './in-the-way.ts';
import type { WorktreeEntry, WorktreeGit } from './port.ts';
import { alone, worktrees } from './worktrees.ts';

type Input = Parameters<WorktreeGit['advanceBranch']>[0];
type Outcome = Awaited<ReturnType<WorktreeGit['advanceBranch']>>;

/** Another git may be working in that work tree: then the findings are checked again. */
const LOOKS = 5;

/** See `Git.advanceBranch`. Repeated after a crash, it continues from what is there. */
export async function advanceBranch(room: Room, input: Input): Promise<Outcome> {
  const [later, earlier] = input.back ? [input.expected, input.to] : [input.to, input.expected];
  if (!(await descends(room, later, earlier))) throw new Error(`${later} does not build on ${earlier}`);
  return alone(room, 'move a branch', async () => {
    const trees = (await worktrees(room)).filter(({ branch, missing }) => branch === input.branch && !missing);
    if (trees.length > 1) throw severalTrees(input.branch, trees);
    const [tree] = trees;
    for (let look = 1; ; look++) {
      const outcome = tree === undefined ? await moveRef(room, input) : await moveWithFiles(room, tree, input);
      if (typeof outcome !== 'string') return outcome;
      if (look === LOOKS) throw stillMoving(room, input.branch, tree?.root ?? room.repo.commonDir, outcome);
    }
  });
}

export async function filesInTheWay(
  room: Room,
  { branch, expected, to }: Input,
): ReturnType<WorktreeGit['filesInTheWay']> {
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

/** A string: what git said; look again. */
async function moveRef(room: Room, { branch, expected, to }: Input): Promise<Outcome | string> {
  const standing = await standingOf(room, branch, expected, to);
  if (standing !== 'expected') return { kind: standing };
  const moved = await tryGit(room, ['update-ref', '-m', 'ralph: merge', `refs/heads/${branch}`, to, expected]);
  return moved.exitCode === 0 ? { kind: 'advanced' } : moved.stderr.trim();
}

/** A string: what git said; look again. */
async function moveWithFiles(room: Room, tree: WorktreeEntry, input: Input): Promise<Outcome | string> {
  const { branch, expected, to } = input;
  const there = roomAt(room, tree);
  const standing = await standingOf(there, branch, expected, to);
  // The branch moves last: once it has moved, index and files are there too, and a killed try left only this.
  if (standing === 'already') {
    await removeIfKilled(`${tree.gitDir}/index.lock`);
    await remove(`${there.repo.stateDir}/advance`);
  }
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
      return result.stderr.trim();
    case INDEX_HELD:
      throw indexHeld(there);
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
  const now = await askGit(room, ['rev-parse', '-q', '--verify', `refs/heads/${branch}`]);
  if (now === to) return 'already';
  return now === expected ? 'expected' : 'moved-by-someone';
}

async function writeLists(folder: string, found: Findings): Promise<void> {
  const write = (name: string, bytes: Buffer) => writeAtomic(`${folder}/${name}`, bytes, { fsync: false });
  await write('present', indexInfo(found.present));
  for (const name of ['torn', 'known', 'old', 'new'] as const) await write(name, joinNul(found[name]));
}

function severalTrees(branch: string, trees: readonly WorktreeEntry[]): GitRefusal {
  return new GitRefusal({
    what: `the branch ${branch} is checked out in ${trees.length} work trees`,
    where: trees.map(({ root }) => root).join(', '),
    why: 'only one of them could be updated together with the branch',
    fix: [`switch all but one of them to another branch: git switch --detach`],
  });
}

function stillMoving(room: Room, branch: string, where: string, said: string): GitRefusal {
  if (said !== '') {
    const what = `git could not move the branch ${branch}`;
    return new GitRefusal({ what, where, why: said, fix: waysOutOf(said, room.repo.gitDir) });
  }
  return new GitRefusal({
    what: `the branch ${branch}, or its work tree, keeps changing`,
    where,
    fix: ['stop the program that works there, then try again'],
  });
}

/** Exit code: the index or the branch has changed since we looked. */
const LOOK_AGAIN = 68;
/** Exit code: git found an obstacle that we had not seen. */
const IN_THE_WAY = 69;

/**
 * $1: ref, $2: from, $3: to; in the scratch folder: "present", index entries of files that already have their new
 * content, "torn", files left by a crash half written, "known", files in no commit here that a later version of them
 * replaces, "old" and "new", what to put back and to remove on failure.
 *
 * Order: index locked, files, index, branch. When killed in between, the branch has not moved, and parts of the new
 * state in files and index are recognised when this is done again. The branch is not locked meanwhile: a killed git
 * would leave that lock for ever. Where it moved, everything is put back.
 */
const ADVANCE =
  OWN_LOCK +
  sh`
P=$W/advance
tries=0
until (set -C; echo "ralph $$" >"$GIT_DIR/index.lock") 2>/dev/null; do
  # Ours, of a script that was killed.
  if ! is_held && [ "$who" = ralph ]; then
    rm -f "$GIT_DIR/index.lock"
    continue
  fi
  tries=$((tries + 1))
  [ "$tries" -lt 20 ] || exit 67
  sleep 0.1
done
unlock() {
  put_back
  rm -f "$GIT_DIR/index.lock"
}
put_back() {
  [ -d "$P/aside" ] || return 0
  (
    cd "$P/aside"
    find . ! -type d -exec sh -c 'to=$1; shift
      for f; do mkdir -p "$to/\${f%/*}" && mv -f "$f" "$to/$f"; done' sh "$top" {} +
  )
  rm -rf "$P/aside" "$GIT_DIR/ralph/advance"
}
restore() {
  cat "$P/said" >&2
  xargs -0 rm -f -- <"$P/new" 2>/dev/null || :
  xargs -0 sh -c 'for file; do rmdir -p -- "$(dirname -- "$file")"; done' sh <"$P/new" >/dev/null 2>&1 || :
  GIT_INDEX_FILE=$P/before git checkout-index -f -q -z --stdin <"$P/old" || :
}
top=$PWD
trap unlock EXIT
trap 'exit 1' HUP INT TERM
if [ -f "$GIT_DIR/index" ]; then cmp -s "$GIT_DIR/index" "$P/seen" || exit 68; fi

export GIT_INDEX_FILE="$P/index"
cp -p "$P/seen" "$P/before"
xargs -0 rm -f -- <"$P/torn"
if [ -s "$P/known" ]; then
  echo "$2 $3" >"$GIT_DIR/ralph/advance"
  mkdir "$P/aside"
  xargs -0 sh -c 'aside=$1; shift
    for f; do mkdir -p "$aside/$(dirname "./$f")" && mv "./$f" "$aside/$f"; done' sh "$P/aside" <"$P/known"
  git update-index -z --force-remove --stdin <"$P/known"
fi
git update-index -z --replace --index-info <"$P/present"
git update-index -q --refresh >/dev/null || :
# Looks at everything before it touches anything.
git read-tree -n -m -u --no-recurse-submodules "$2" "$3" 2>"$P/said" || { cat "$P/said" >&2; exit 69; }
echo "$2 $3" >"$GIT_DIR/ralph/advance"
# A disk that is full, a folder that may not be written to.
git read-tree -m -u --no-recurse-submodules "$2" "$3" 2>"$P/said" || { restore; exit 1; }
mv -f "$P/index" "$GIT_DIR/index"
git update-ref -m 'ralph: merge' "$1" "$3" "$2" 2>"$P/said" || {
  restore
  mv -f "$P/before" "$GIT_DIR/index"
  rm -f "$GIT_DIR/ralph/advance"
  exit 68
}
rm -rf "$GIT_DIR/ralph/advance" "$P"
`;
