import { GitRefusal } from '../../contracts/index.ts';
import type { Git } from './port.ts';
import { gitError, line, type Room, runGit, runScript, tryGit } from './room.ts';
import { sh } from './scripts/prelude.ts';

export async function currentBranch(room: Room): Promise<string | null> {
  const result = await tryGit(room, ['symbolic-ref', '-q', '--short', 'HEAD']);
  return result.exitCode === 0 ? line(result.stdout) : null;
}

/** The remote's default branch, else `init.defaultBranch`, `main` or `master`, the first that exists here. */
export async function defaultBranch(room: Room): Promise<string | null> {
  const remote = await tryGit(room, ['symbolic-ref', '-q', '--short', 'refs/remotes/origin/HEAD']);
  if (remote.exitCode === 0) return line(remote.stdout).replace(/^origin\//, '');
  const configured = line((await tryGit(room, ['config', 'init.defaultBranch'])).stdout);
  const local = line(
    await runGit(room, 'list branches', ['for-each-ref', '--format=%(refname:short)', 'refs/heads']),
  ).split('\n');
  return [configured, 'main', 'master'].find((name) => name !== '' && local.includes(name)) ?? null;
}

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

  // git lists the files in the way, one per line, indented by a tab.
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

export async function createBranch(room: Room, branch: string, commit: string): Promise<boolean> {
  await refuseBadName(room, branch);
  const ref = `refs/heads/${branch}`;
  // The empty old value means: it must not exist yet.
  const made = await tryGit(room, ['update-ref', '-m', 'ralph: branch made', ref, commit, '']);
  if (made.exitCode === 0) return true;
  if ((await tryGit(room, ['show-ref', '--verify', '--quiet', ref])).exitCode === 0) return false;
  throw new GitRefusal({
    what: `the branch ${branch} cannot be made`,
    where: made.stderr.trim(),
    mend: ['choose another name: none may begin with the whole name of another one and a slash'],
  });
}

/** $1: ref, $2: from, $3: to. Prints subjects, oldest first. */
const KEEP_COMMITS = sh`
git rev-list --reverse --no-commit-header --format=%s "$2..$3" >"$W/subjects"
[ -s "$W/subjects" ] || exit 0
git update-ref -m "ralph: the agent's commits" "$1" "$3"
cat "$W/subjects"
: >"$W/subjects"
`;

export async function keepAgentCommits(
  room: Room,
  input: Parameters<Git['keepAgentCommits']>[0],
): ReturnType<Git['keepAgentCommits']> {
  if (input.agentHead === input.checkpoint.head) return null;
  const ref = `refs/ralph/iterations/${input.run}/${input.iteration}`;
  const output = await runScript(room, "keep the agent's commits", KEEP_COMMITS, [
    ref,
    input.checkpoint.head,
    input.agentHead,
  ]);
  return output.length === 0 ? null : { ref, messages: line(output).split('\n') };
}

/** See `Git.keepMovedRefs`. A new ref has no old value to keep. */
export async function keepMovedRefs(
  room: Room,
  { run, iteration, movedRefs }: Parameters<Git['keepMovedRefs']>[0],
): Promise<void> {
  const lines = Object.entries(movedRefs).flatMap(([name, [before]]) =>
    before === '' ? [] : [`update refs/ralph/moved/${run}/${iteration}/${name} ${before}`],
  );
  if (lines.length === 0) return;
  await runGit(room, 'keep what refs pointed to', ['update-ref', '--stdin'], Buffer.from(`${lines.join('\n')}\n`));
}

/** See `Git.restoreRefs`. One by one, so that a ref that exists again stays and the others are restored. */
export async function restoreRefs(room: Room, refs: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const restored: string[] = [];
  for (const [name, id] of Object.entries(refs)) {
    const { exitCode } = await tryGit(room, ['update-ref', '-m', 'ralph: restored', name, id, '0'.repeat(id.length)]);
    if (exitCode === 0) restored.push(name);
  }
  return restored;
}
