import { GitRefusal } from '../../contracts/errors.ts';
import { gitError, line, type Room, runGit, tryGit } from './room.ts';

/** See `Git.currentBranch`. */
export async function currentBranch(room: Room): Promise<string | null> {
  const result = await tryGit(room, ['symbolic-ref', '-q', '--short', 'HEAD']);
  return result.exitCode === 0 ? line(result.stdout) : null;
}

/** What the remote calls its default, else `init.defaultBranch`, `main` or `master`, whichever exists here. */
export async function defaultBranch(room: Room): Promise<string | null> {
  const remote = await tryGit(room, ['symbolic-ref', '-q', '--short', 'refs/remotes/origin/HEAD']);
  if (remote.exitCode === 0) return line(remote.stdout).replace(/^origin\//, '');
  const configured = line((await tryGit(room, ['config', 'init.defaultBranch'])).stdout);
  const local = line(
    await runGit(room, 'list branches', ['for-each-ref', '--format=%(refname:short)', 'refs/heads']),
  ).split('\n');
  return [configured, 'main', 'master'].find((name) => name !== '' && local.includes(name)) ?? null;
}

/** See `Git.switchTo`. */
export async function switchTo(
  room: Room,
  name: string,
): Promise<{ readonly created: boolean; readonly from: string | null }> {
  await refuseBadName(room, name);
  const from = await currentBranch(room);
  if (from === name) return { created: false, from };
  const exists = (await tryGit(room, ['show-ref', '--verify', '--quiet', `refs/heads/${name}`])).exitCode === 0;
  const args = exists
    ? ['switch', '-q', '--no-guess', '--no-recurse-submodules', name]
    : ['switch', '-q', '--no-track', '-c', name];
  const result = await tryGit(room, args);
  if (result.exitCode === 0) return { created: !exists, from };

  // git names the files in the way one a line, indented by a tab.
  const files = [...result.stderr.matchAll(/^\t(.+)$/gm)].map((match) => match[1] ?? '');
  if (files.length > 0) {
    throw new GitRefusal({
      what: `cannot switch to the branch ${name}: ${files.length === 1 ? 'a file' : `${files.length} files`} with changes would be overwritten`,
      where: files.join(', '),
      mend: [
        'commit them, or put them aside: `git stash push --include-untracked`',
        'or run on the branch you are on: --no-branch',
      ],
    });
  }
  if (/already (checked out|used by worktree)|cannot lock ref|cannot create/.test(result.stderr)) {
    throw new GitRefusal({
      what: `cannot switch to the branch ${name}`,
      where: result.stderr.trim(),
      mend: ['choose another branchName in the backlog', 'or run on the branch you are on: --no-branch'],
    });
  }
  throw gitError(room, `switch to the branch ${name}`, result);
}

async function refuseBadName(room: Room, name: string): Promise<void> {
  if (!name.startsWith('-') && (await tryGit(room, ['check-ref-format', `refs/heads/${name}`])).exitCode === 0) return;
  throw new GitRefusal({
    what: `"${name}" cannot be the name of a branch`,
    mend: ['letters, digits, "-", "_", "." and "/"; see git help check-ref-format'],
  });
}

/** See `Git.createBranch`. */
export async function createBranch(room: Room, branch: string, commit: string): Promise<boolean> {
  await refuseBadName(room, branch);
  const ref = `refs/heads/${branch}`;
  // An old value of nothing: it must not be there.
  const made = await tryGit(room, ['update-ref', '-m', 'ralph: branch made', ref, commit, '']);
  if (made.exitCode === 0) return true;
  if ((await tryGit(room, ['show-ref', '--verify', '--quiet', ref])).exitCode === 0) return false;
  throw new GitRefusal({
    what: `the branch ${branch} cannot be made`,
    where: made.stderr.trim(),
    mend: ['choose another name: none may begin with the whole name of another one and a slash'],
  });
}

/** See `Git.deleteBranch`. */
export async function deleteBranch(room: Room, branch: string, expected: string): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  const args = ['for-each-ref', '--format=%(objectname) %(refname) %(worktreepath)', ref];
  const found = (await runGit(room, 'look at a branch', args)).toString('utf8').split('\n');
  // The pattern also finds what is below a folder of that name. A path after the name: it is checked out there.
  if (!found.includes(`${expected} ${ref} `)) return false;
  return (await tryGit(room, ['update-ref', '-m', 'ralph: branch deleted', '-d', ref, expected])).exitCode === 0;
}
