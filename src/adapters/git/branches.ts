import { GitRefusal } from '../../contracts/index.ts';
import { childExit, runCommand, startChild } from '../../platform/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import { type Env, neutralEnv, withSettings } from './environment.ts';
import { countCommits, mergeBase, resolveCommit } from './history.ts';
import type { Ahead, Git, Publication } from './port.ts';
import { sh } from './prelude.ts';
import { askGit, gitError, line, type Room, runGit, runScript, tryGit } from './room.ts';

export async function currentBranch(room: Room): Promise<string | null> {
  return askGit(room, ['symbolic-ref', '-q', '--short', 'HEAD']);
}

/** The remote's default branch, else `init.defaultBranch`, `main` or `master`, the first that exists here. */
export async function defaultBranch(room: Room): Promise<string | null> {
  const remote = await defaultBranchOf(room, 'origin');
  if (remote !== null) return remote;
  const configured = (await askGit(room, ['config', 'init.defaultBranch'])) ?? '';
  const local = line(
    await runGit(room, 'list branches', ['for-each-ref', '--format=%(refname:short)', 'refs/heads']),
  ).split('\n');
  return [configured, 'main', 'master'].find((name) => name !== '' && local.includes(name)) ?? null;
}

/** More are not looked at. */
const MOST_BRANCHES = 100;

export async function branchesWith(room: Room, paths: readonly string[]): ReturnType<Git['branchesWith']> {
  const newest = ['--sort=-committerdate', `--count=${MOST_BRANCHES}`, '--format=%(refname:lstrip=2)', 'refs/heads'];
  const names = line(await runGit(room, 'list branches', ['for-each-ref', ...newest])).split('\n');
  const asked = names.flatMap((branch) => paths.map((path) => ({ branch, path })));
  const lines = asked.map(({ branch, path }) => `refs/heads/${branch}:${path}\n`).join('');
  const types = ['cat-file', '--batch-check=%(objecttype)'];
  const found = line(await runGit(room, 'look for files on branches', types, Buffer.from(lines))).split('\n');
  return asked.filter((_, i) => found[i] === 'blob');
}

export async function switchTo(room: Room, name: string): ReturnType<Git['switchTo']> {
  await refuseBadName(room, name);
  const from = await currentBranch(room);
  if (from === name) return { created: false, from };
  const exists = await hasRef(room, `refs/heads/${name}`);
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
      fix: [
        'commit or stash them: `git stash push --include-untracked`',
        'or run on the branch you are on: --no-branch',
      ],
    });
  }
  if (/already (checked out|used by worktree)|cannot lock ref|cannot create/.test(result.stderr)) {
    throw new GitRefusal({
      what: `cannot switch to the branch ${name}`,
      where: result.stderr.trim(),
      fix: ['choose another branchName in the backlog', 'or run on the branch you are on: --no-branch'],
    });
  }
  throw gitError(room, `switch to the branch ${name}`, result);
}

async function hasRef(room: Room, ref: string): Promise<boolean> {
  return (await tryGit(room, ['show-ref', '--verify', '--quiet', ref])).exitCode === 0;
}

async function refuseBadName(room: Room, name: string): Promise<void> {
  if (!name.startsWith('-') && (await tryGit(room, ['check-ref-format', `refs/heads/${name}`])).exitCode === 0) return;
  throw new GitRefusal({
    what: `"${name}" cannot be the name of a branch`,
    fix: ['letters, digits, "-", "_", "." and "/"; see git help check-ref-format'],
  });
}

export async function createBranch(room: Room, branch: string, commit: string): Promise<boolean> {
  await refuseBadName(room, branch);
  const ref = `refs/heads/${branch}`;
  // The empty old value means: it must not exist yet.
  const made = await tryGit(room, ['update-ref', '-m', 'ralph: branch made', ref, commit, '']);
  if (made.exitCode === 0) return true;
  if (await hasRef(room, ref)) return false;
  throw new GitRefusal({
    what: `the branch ${branch} cannot be created`,
    where: made.stderr.trim(),
    fix: ['choose another name: it may not begin with the name of another branch and a slash'],
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
  if (input.agentHead === input.from) return null;
  const ref = `refs/ralph/iterations/${input.run}/${input.iteration}`;
  const args = [ref, input.from, input.agentHead];
  const output = await runScript(room, "keep the agent's commits", KEEP_COMMITS, args);
  return output.length === 0 ? null : { ref, messages: line(output).split('\n') };
}

/** A new ref has no old value to keep. */
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

/** One by one, so that a ref that exists again stays and the others are restored. */
export async function restoreRefs(room: Room, refs: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const restored: string[] = [];
  for (const [name, id] of Object.entries(refs)) {
    const { exitCode } = await tryGit(room, ['update-ref', '-m', 'ralph: restored', name, id, '0'.repeat(id.length)]);
    if (exitCode === 0) restored.push(name);
  }
  return restored;
}

/** The base is the remote's branch if it is known here, else the local branch of that name. */
export async function ahead(room: Room, tip: string, base: string, remote: string): Promise<Ahead | null> {
  const head = await resolveCommit(room, tip);
  const other =
    (await resolveCommit(room, `refs/remotes/${remote}/${base}`)) ?? (await resolveCommit(room, `refs/heads/${base}`));
  const common = head === null || other === null ? null : await mergeBase(room, other, head);
  if (head === null || other === null || common === null) return null;
  return { mergeBase: common, head, commits: await countCommits(room, other, head) };
}

export async function remotes(room: Room): Promise<readonly string[]> {
  const names = line(await runGit(room, 'list remotes', ['remote']));
  return names === '' ? [] : names.split('\n');
}

export async function defaultBranchOf(room: Room, remote: string): Promise<string | null> {
  const head = await askGit(room, ['symbolic-ref', '-q', '--short', `refs/remotes/${remote}/HEAD`]);
  return head?.slice(remote.length + 1) ?? null;
}

export async function push(room: Room, { branch, commit, ...at }: Publication): Promise<void> {
  const { remote } = at;
  // The full name on both sides: settings cannot map it to another, and without the plus sign it never forces.
  const refspec = `${commit ?? `refs/heads/${branch}`}:refs/heads/${branch}`;
  const said = await online(room, ['push', '--', remote, refspec], at);
  if (said === null) return;
  throw new GitRefusal({
    what: `git could not push ${branch} to ${remote}`,
    where: room.repo.root,
    why: said || 'git says why above',
    fix: [
      `try it yourself: git push ${shellWord(remote)} ${shellWord(commit === undefined ? branch : refspec)}`,
      'if the remote has commits that are not here: git fetch, look at them, and merge or rebase yourself',
    ],
  });
}

export async function fetchObjects(
  room: Room,
  { refs, ...at }: Parameters<Git['fetchObjects']>[0],
): ReturnType<Git['fetchObjects']> {
  const options = ['--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  const said = await online(room, ['fetch', '-q', ...options, '--', at.remote, ...refs], at);
  if (said === null) return;
  throw new GitRefusal({
    what: `git could not fetch ${refs.join(' and ')} from ${at.remote}`,
    where: room.repo.root,
    why: said || 'git says why above',
    fix: [`try it yourself: git fetch ${[at.remote, ...refs].map(shellWord).join(' ')}`],
  });
}

/** With the user's login. @returns what git said when it failed; empty where it said so on the terminal; null on success */
async function online(
  room: Room,
  args: readonly string[],
  { env, terminal }: Pick<Publication, 'env' | 'terminal'>,
): Promise<string | null> {
  // No hook either: those of many projects are in the work tree, where an agent wrote.
  const settings = [...room.drivers.instead, ['core.hooksPath', '/dev/null'] as const];
  const { GIT_TERMINAL_PROMPT: _, ...asking } = withSettings(neutralEnv(env), settings);
  return terminal
    ? askingThere(room.repo.root, args, asking)
    : quiet(room.repo.root, args, { ...asking, GIT_TERMINAL_PROMPT: '0' });
}

/** On the user's terminal, so that git can ask; its output goes to standard error, which carries no results. */
async function askingThere(cwd: string, args: readonly string[], env: Env): Promise<string | null> {
  const child = await startChild('git', args, { cwd, env, stdio: ['inherit', 2, 2] });
  return (await childExit(child)).exitCode === 0 ? null : '';
}

async function quiet(cwd: string, args: readonly string[], env: Env): Promise<string | null> {
  const { exitCode, stderr } = await runCommand('git', args, { cwd, env });
  return exitCode === 0 ? null : stderr.toString('utf8').trim().split('\n').slice(-8).join('\n');
}
