import { basename, dirname, join, resolve } from 'node:path';
import { GitError, GitRefusal } from '../../../contracts/index.ts';
import {
  exists,
  hostName,
  list,
  makeDir,
  readText,
  realPath,
  stat,
  systemClock,
  tryLock,
} from '../../../platform/index.ts';
import { sh } from '../prelude.ts';
import { askGit, gitError, line, ONLINE, type Room, runGit, tryGit, tryScript } from '../room.ts';
import type { WorktreeEntry, WorktreeGit } from './port.ts';

const LOOKS = 20;
const LOOK_AGAIN_MS = 25;

interface Listed extends WorktreeEntry {
  /** A process began to make it and did not finish. */
  readonly halfMade: boolean;
}

export async function worktrees(room: Room): Promise<readonly WorktreeEntry[]> {
  return (await readList(room)).map(({ halfMade: _, ...entry }) => entry);
}

/** When killed, it leaves a work tree that the next call for that folder removes first. */
export async function addWorktree(
  room: Room,
  input: Parameters<WorktreeGit['addWorktree']>[0],
): ReturnType<WorktreeGit['addWorktree']> {
  const { branch, from } = input;
  await makeDir(dirname(input.path));
  const path = await spelled(input.path);
  return alone(room, 'make a work tree', async () => {
    const there = (await readList(room)).find(({ root }) => root === path);
    if (there?.missing || there?.halfMade) await drop(room, path);
    else if (there !== undefined || (await list(path)).length > 0 || (await isOtherThanFolder(path))) throw inUse(path);
    const result = await tryScript(room, ADD_WORKTREE, [path, branch ?? '', from], undefined, ONLINE);
    if (result.exitCode === 0) return { branchCreated: line(result.stdout) === 'created' };
    if (/already (checked out|used by worktree)/.test(result.stderr)) {
      throw new GitRefusal({
        what: `the branch ${branch} is checked out in another work tree`,
        where: result.stderr.trim(),
        why: 'a branch can be worked on in one work tree at a time',
        fix: ['switch that work tree to another branch: `git switch`', '`git worktree list` names all of them'],
      });
    }
    throw gitError(room, 'make a work tree', result);
  });
}

export async function removeWorktree(room: Room, given: string): Promise<void> {
  const path = await spelled(given);
  await alone(room, 'remove a work tree', async () => {
    const there = (await readList(room)).find(({ root }) => root === path);
    if (there === undefined) return;
    if (there.main) throw new Error(`the main work tree cannot be removed: ${path}`);
    await drop(room, path);
  });
}

async function drop(room: Room, path: string): Promise<void> {
  const result = await tryScript(room, REMOVE_WORKTREE, [path, room.repo.commonDir]);
  if (result.exitCode !== 0) throw gitError(room, 'remove a work tree', result);
}

async function readList(room: Room): Promise<readonly Listed[]> {
  const records = (await listing(room))
    .toString('utf8')
    .split('\0\0')
    .filter((record) => record !== '')
    .map((record) => new Map(record.split('\0').map(splitAtSpace)));
  const [first, ...others] = records;
  if (first === undefined) return [];
  const gitDirs = await linkedGitDirs(room);
  const linked = others.map((record) => ({ record, root: record.get('worktree') ?? '', main: false }));
  const all = [{ record: first, root: await rootOfMain(room, first.get('worktree') ?? ''), main: true }, ...linked];
  return Promise.all(
    all.map(async ({ record, root, main }) => ({
      root,
      gitDir: main ? room.repo.commonDir : (gitDirs.get(root) ?? ''),
      head: /^0*$/.test(record.get('HEAD') ?? '') ? '' : (record.get('HEAD') ?? ''),
      branch: record.get('branch')?.replace(/^refs\/heads\//, '') ?? null,
      main,
      missing: !(await exists(root)),
      halfMade: record.get('locked') === 'initializing' || !(await exists(`${root}/.git`)),
    })),
  );
}

/** Git fails while a work tree is being made or removed, when only some of its files exist. */
async function listing(room: Room): Promise<Buffer> {
  const args = ['worktree', 'list', '--porcelain', '-z'];
  for (let look = 1; look < LOOKS; look++) {
    const result = await tryGit(room, args);
    if (result.exitCode === 0) return result.stdout;
    await room.clock.sleep(LOOK_AGAIN_MS);
  }
  return runGit(room, 'list the work trees', args);
}

/** Git takes the parent of its own dir for the main work tree; where that is wrong (submodules), a setting names it. */
async function rootOfMain({ repo, env }: Room, listed: string): Promise<string> {
  if (repo.gitDir === repo.commonDir) return repo.root;
  const room = { repo: { ...repo, root: repo.commonDir }, env, realRoot: null } as Room;
  const configured = await askGit(room, ['config', '--file', `${repo.commonDir}/config`, 'core.worktree']);
  return configured === null ? listed : resolve(repo.commonDir, configured);
}

/** Root → git dir of every linked work tree, by git's records: a `.git` file in a work tree may have been replaced. */
async function linkedGitDirs({ repo }: Room): Promise<ReadonlyMap<string, string>> {
  const folder = `${repo.commonDir}/worktrees`;
  const pairs = await Promise.all(
    (await list(folder)).map(async (name) => {
      const gitDir = `${folder}/${name}`;
      const file = (await readText(`${gitDir}/gitdir`))?.replace(/\n$/, '') ?? '';
      return [dirname(resolve(gitDir, file)), gitDir] as const;
    }),
  );
  return new Map(pairs);
}

/** As git writes it: links in parent folders resolved, the last part unchanged. */
async function spelled(path: string): Promise<string> {
  const folder = await realPath(dirname(path)).catch(() => dirname(path));
  return join(folder, basename(path));
}

async function isOtherThanFolder(path: string): Promise<boolean> {
  const found = await stat(path);
  return found !== null && found.kind !== 'dir';
}

function inUse(path: string): GitRefusal {
  return new GitRefusal({
    what: 'a work tree cannot be created in a folder that is in use',
    where: path,
    fix: ['`git worktree list` shows whether it is one already', 'otherwise move its contents away, then try again'],
  });
}

function splitAtSpace(text: string): [key: string, value: string] {
  const space = text.indexOf(' ');
  return space < 0 ? [text, ''] : [text.slice(0, space), text.slice(space + 1)];
}

/** A checkout of a large project takes time. */
const PATIENCE_MS = 10 * 60_000;
const LOOK_EVERY_MS = 20;

/**
 * Runs work that changes the list of work trees, or a branch together with its files, while no other ralph process does
 * so in this repository: git itself fails ("cannot lock ref") when two do it at once.
 */
export async function alone<T>(room: Room, doing: string, work: () => Promise<T>): Promise<T> {
  const holder = {
    pid: process.pid,
    host: hostName(),
    startedAt: new Date(systemClock.now()).toISOString(),
    run: `ralph (${doing})`,
  };
  // Its own folder two levels deep: see `tryLock`.
  const path = `${room.repo.commonDir}/ralph/worktrees/changes/lock`;
  const until = systemClock.now() + PATIENCE_MS;
  for (;;) {
    const lock = await tryLock(path, holder);
    if (!('heldBy' in lock)) {
      try {
        return await work();
      } finally {
        await lock.release();
      }
    }
    if (systemClock.now() > until) throw tooLong(room, doing, lock.heldBy);
    await systemClock.sleep(LOOK_EVERY_MS);
  }
}

function tooLong(room: Room, doing: string, by: { readonly pid: number; readonly host: string } | null): GitError {
  return new GitError({
    what: `git could not ${doing}`,
    where: room.repo.commonDir,
    why: `for ten minutes another ralph has been changing the work trees${by === null ? '' : ` (pid ${by.pid} on ${by.host})`}`,
    fix: ['see what it waits for: a git filter may hang', 'end it, then try again'],
  });
}

/**
 * $1: folder, $2: branch or empty, $3: commit. Prints "created" when the branch is new. The user's filters run, hooks
 * do not.
 */
const ADD_WORKTREE = sh`
if [ -z "$2" ]; then
  git worktree add -q --detach "$1" "$3" >&2
elif git show-ref --verify --quiet "refs/heads/$2"; then
  git worktree add -q "$1" "$2" >&2
else
  git worktree add -q --no-track -b "$2" "$1" "$3" >&2
  echo created
fi
`;

/**
 * $1: folder, $2: git dir of the repository. The files go first: git can forget a work tree without files. Also removes
 * the refs that kept its checkpoints, and those of work trees that git forgot by itself.
 */
const REMOVE_WORKTREE = sh`
rm -rf -- "$1" 2>/dev/null || {
  # The work there removed write permission.
  chmod -R u+rwX -- "$1" 2>/dev/null || :
  rm -rf -- "$1"
}
git worktree remove -f -f "$1" >&2
git for-each-ref --format='%(refname)' refs/ralph/checkpoint/worktrees/ | while IFS= read -r ref; do
  name=\${ref#refs/ralph/checkpoint/worktrees/}
  [ -e "$2/worktrees/\${name%%/*}" ] || printf 'delete %s\n' "$ref"
done | git update-ref --stdin
`;
