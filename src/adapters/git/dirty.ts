import { GitRefusal } from '../../contracts/index.ts';
import { isAt, type OutputFile, pathFromBytes } from '../../platform/index.ts';
import { TREE } from './checkpoint.ts';
import { joinNul, pathList, splitNul } from './lists.ts';
import type { DirtyReport, LeftOut } from './port.ts';
import { sh } from './prelude.ts';
import { line, type Room, runGit, runScript } from './room.ts';
import { readLeftOut, runSnapshot, writeLeftOut } from './shadow.ts';

/** Prints files over 100 MB (find counts blocks of 512 bytes) that are neither tracked nor ignored. */
const LIST_LARGE = sh`
mkdir -p "$W"
find . -path ./.git -prune -o -type f -size +204800 -print0 2>/dev/null >"$W/large" || :
[ -s "$W/large" ] || exit 0
GIT_LITERAL_PATHSPECS=1 xargs -0 git ls-files -o -z --exclude-standard -- <"$W/large"
`;

/** `exempt` names files and folders. */
export async function dirty(room: Room, exempt: readonly string[]): Promise<DirtyReport> {
  // Submodules are opaque: looking into them would run git there, with their own settings.
  const args = [
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=normal',
    '--ignore-submodules=all',
  ];
  const entries = splitNul(await runGit(room, 'look for uncommitted changes', args)).map((record) => ({
    code: record.subarray(0, 2).toString(),
    path: pathFromBytes(record.subarray(3)),
  }));
  const tracked = entries.filter(({ code, path }) => code !== '??' && !isBelow(path, exempt)).map(({ path }) => path);
  return { tracked, untracked: entries.filter(({ code }) => code === '??').length };
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`));
}

export async function stash(room: Room, message: string, exempt: readonly string[]): Promise<string | null> {
  const { tracked } = await dirty(room, exempt);
  if (tracked.length === 0) return null;
  const all = (await dirty(room, [])).tracked.length === tracked.length;
  // The whole state, staged or not, when nothing is exempt; git cannot separate the two for single paths.
  const args = ['stash', 'push', '-q', '-m', message];
  const some = ['--literal-pathspecs', ...args, '--pathspec-from-file=-', '--pathspec-file-nul'];
  await runGit(room, 'stash your changes', all ? args : some, all ? undefined : joinNul(tracked));
  const commit = line(await runGit(room, 'find the stash', ['rev-parse', 'refs/stash']));
  return `git stash apply ${all ? '--index ' : ''}${commit.slice(0, 12)}`;
}

/** Takes a first snapshot: only that finds them all, and the next one is quick. */
export async function refuseUncheckable(room: Room): Promise<void> {
  const leftOut = await readLeftOut(room);
  const found = pathList(await runScript(room, 'look for large files', LIST_LARGE));
  const large = found.filter((path) => !leftOut.includes(path));
  if (large.length > 0) {
    throw new GitRefusal({
      what: `${large.length === 1 ? 'a file' : `${large.length} files`} over 100 MB would be copied at every checkpoint: ${large.join(', ')}`,
      where: room.repo.root,
      why: 'files that are neither tracked nor ignored are saved, so that a failed iteration can be rolled back',
      fix: large.flatMap((path) => [`echo '/${path}' >> .gitignore`]),
    });
  }
  await runSnapshot(room, 'read the work tree', 'user', TREE);
}

export async function leaveOut(room: Room, files: readonly OutputFile[], keepLast: boolean): Promise<LeftOut> {
  const paths = await pathsOf(room, files);
  const last = keepLast ? await readLeftOut(room) : [];
  const tracked = new Set(await list(room, ['-c', '--', ...paths, ...last]));
  const untracked = [...new Set([...last, ...paths])].filter((path) => !tracked.has(path));
  await writeLeftOut(room, untracked);
  return { untracked, tracked: paths.filter((path) => tracked.has(path)) };
}

/** Their paths in the work tree. */
async function pathsOf(room: Room, files: readonly OutputFile[]): Promise<readonly string[]> {
  const { root } = room.repo;
  const found = files.flatMap(({ path }) => (path?.startsWith(`${root}/`) ? [path.slice(root.length + 1)] : []));
  const unnamed = files.filter(({ path }) => path === null);
  if (unnamed.length > 0) {
    const all = await list(room, ['-c', '-o', '--exclude-standard']);
    found.push(...all.filter((path) => unnamed.some((file) => isAt(`${root}/${path}`, file))));
  }
  // A file that was deleted since, or is in a git dir, is no file of the work tree.
  return found.filter(
    (path) => files.some((file) => isAt(`${root}/${path}`, file)) && !path.split('/').includes('.git'),
  );
}

async function list(room: Room, args: readonly string[]): Promise<readonly string[]> {
  if (args.at(-1) === '--') return [];
  return pathList(await runGit(room, 'list files', ['--literal-pathspecs', 'ls-files', '-z', ...args]));
}
