import { basename, dirname, join, resolve } from 'node:path';
import { GitRefusal } from '../../../contracts/errors.ts';
import { exists, list, makeDir, readText, realPath, stat } from '../../../platform/files/files.ts';
import { gitError, line, ONLINE, type Room, runGit, tryGit, tryScript } from '../room.ts';
import { ADD_WORKTREE, REMOVE_WORKTREE } from '../scripts/worktrees.ts';
import { alone } from './lock.ts';
import type { WorktreeEntry, WorktreeGit } from './port.ts';

const LOOKS = 20;
const LOOK_AGAIN_MS = 25;

interface Listed extends WorktreeEntry {
  /** Somebody began to make it and did not get to the end. */
  readonly halfMade: boolean;
}

/** See `Git.worktrees`. */
export async function worktrees(room: Room): Promise<readonly WorktreeEntry[]> {
  return (await readList(room)).map(({ halfMade: _, ...entry }) => entry);
}

/** See `Git.addWorktree`. Killed in the middle it leaves a work tree that the next call for that folder removes first. */
export async function addWorktree(
  room: Room,
  input: Parameters<WorktreeGit['addWorktree']>[0],
): Promise<{ readonly branchCreated: boolean }> {
  const { branch, from } = input;
  await makeDir(dirname(input.path));
  const path = await spelled(input.path);
  return alone(room, 'make a work tree', async () => {
    const there = (await readList(room)).find(({ root }) => root === path);
    if (there?.missing || there?.halfMade) await drop(room, path);
    else if (there !== undefined || (await list(path)).length > 0 || (await isNoFolder(path))) throw inUse(path);
    const result = await tryScript(room, ADD_WORKTREE, [path, branch ?? '', from], undefined, ONLINE);
    if (result.exitCode === 0) return { branchCreated: line(result.stdout) === 'created' };
    if (/already (checked out|used by worktree)/.test(result.stderr)) {
      throw new GitRefusal({
        what: `the branch ${branch} is checked out in another work tree`,
        where: result.stderr.trim(),
        why: 'a branch can be worked on in one work tree at a time',
        mend: ['switch that work tree to another branch: `git switch`', '`git worktree list` names all of them'],
      });
    }
    throw gitError(room, 'make a work tree', result);
  });
}

/** See `Git.removeWorktree`. */
export async function removeWorktree(room: Room, given: string): Promise<void> {
  const path = await spelled(given);
  await alone(room, 'remove a work tree', async () => {
    const there = (await readList(room)).find(({ root }) => root === path);
    if (there === undefined) return;
    if (there.main) throw new Error(`the main work tree is not to be removed: ${path}`);
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

/** Git fails where a work tree is just being made or removed, of which it has only some of the files. */
async function listing(room: Room): Promise<Buffer> {
  const args = ['worktree', 'list', '--porcelain', '-z'];
  for (let look = 1; look < LOOKS; look++) {
    const result = await tryGit(room, args);
    if (result.exitCode === 0) return result.stdout;
    await room.clock.sleep(LOOK_AGAIN_MS);
  }
  return runGit(room, 'list the work trees', args);
}

/** Git takes the folder above its own dir for the main work tree; where that lies elsewhere (submodules), a setting says so. */
async function rootOfMain({ repo, env }: Room, listed: string): Promise<string> {
  if (repo.gitDir === repo.commonDir) return repo.root;
  const room = { repo: { ...repo, root: repo.commonDir }, env, realRoot: null } as Room;
  const configured = await tryGit(room, ['config', '--file', `${repo.commonDir}/config`, 'core.worktree']);
  return configured.exitCode === 0 ? resolve(repo.commonDir, line(configured.stdout)) : listed;
}

/** Root → git dir of every linked work tree, by what git itself keeps: a `.git` file in a work tree may have been replaced. */
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

/** As git spells it: links on the way resolved, the last part as it is. */
async function spelled(path: string): Promise<string> {
  const folder = await realPath(dirname(path)).catch(() => dirname(path));
  return join(folder, basename(path));
}

async function isNoFolder(path: string): Promise<boolean> {
  const found = await stat(path);
  return found !== null && found.kind !== 'dir';
}

function inUse(path: string): GitRefusal {
  return new GitRefusal({
    what: 'a work tree cannot be made in a folder that is in use',
    where: path,
    mend: ['`git worktree list` shows whether it is one already', 'else move away what is there, then try again'],
  });
}

function splitAtSpace(text: string): [key: string, value: string] {
  const space = text.indexOf(' ');
  return space < 0 ? [text, ''] : [text.slice(0, space), text.slice(space + 1)];
}
