import { GitRefusal } from '../../contracts/errors.ts';
import { joinNul, pathFromBytes, splitNul } from './path-bytes.ts';
import type { DirtyReport } from './port.ts';
import { line, type Room, runGit, runScript } from './room.ts';
import { sh } from './scripts/sh.ts';
import { TREE } from './scripts/snapshot.ts';
import { readLeftOut, runSnapshot } from './shadow.ts';

/** Prints files over 100 MB (find counts blocks of 512 bytes) that are neither tracked nor ignored. */
const LIST_LARGE = sh`
mkdir -p "$W"
find . -path ./.git -prune -o -type f -size +204800 -print0 2>/dev/null >"$W/large" || :
[ -s "$W/large" ] || exit 0
GIT_LITERAL_PATHSPECS=1 xargs -0 git ls-files -o -z --exclude-standard -- <"$W/large"
`;

/** See `Git.dirty`. `exempt` names files and folders. */
export async function dirty(room: Room, exempt: readonly string[]): Promise<DirtyReport> {
  // Submodules are opaque: looking into them would run git in them, with settings of their own.
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

/** See `Git.stash`. */
export async function stash(room: Room, message: string, exempt: readonly string[]): Promise<string | null> {
  const { tracked } = await dirty(room, exempt);
  if (tracked.length === 0) return null;
  const all = (await dirty(room, [])).tracked.length === tracked.length;
  // The whole state, staged or not, when nothing is exempt; git cannot keep that apart for single paths.
  const args = ['stash', 'push', '-q', '-m', message];
  if (all) await runGit(room, 'stash your changes', args);
  else
    await runGit(
      room,
      'stash your changes',
      ['--literal-pathspecs', ...args, '--pathspec-from-file=-', '--pathspec-file-nul'],
      joinNul(tracked),
    );
  const commit = line(await runGit(room, 'find the stash', ['rev-parse', 'refs/stash']));
  return `git stash apply ${all ? '--index ' : ''}${commit.slice(0, 12)}`;
}

/** See `Git.refuseUncheckable`. Takes a first snapshot: nothing else finds out for certain, and the next one is quick. */
export async function refuseUncheckable(room: Room): Promise<void> {
  const leftOut = await readLeftOut(room);
  const large = splitNul(await runScript(room, 'look for large files', LIST_LARGE))
    .map(pathFromBytes)
    .filter((path) => !leftOut.includes(path));
  if (large.length > 0) {
    throw new GitRefusal({
      what: `${large.length === 1 ? 'a file' : `${large.length} files`} over 100 MB would be copied at every checkpoint: ${large.join(', ')}`,
      where: room.repo.root,
      why: 'files that are neither tracked nor ignored are part of what a failed iteration is rolled back to',
      mend: large.flatMap((path) => [`echo '/${path}' >> .gitignore`]),
    });
  }
  await runSnapshot(room, 'read the work tree', 'user', TREE);
}
