import { GitRefusal } from '../../contracts/index.ts';
import { childExit, runCommand, startChild } from '../../platform/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import { type Env, neutralEnv, withSettings } from './environment.ts';
import type { Ahead, Publication } from './port.ts';
import { line, type Room, runGit, tryGit } from './room.ts';

/** See `Git.ahead`. The base is the remote's branch if it is known here, else the local branch of that name. */
export async function ahead(room: Room, branch: string, base: string, remote: string): Promise<Ahead | null> {
  const head = await commitOf(room, `refs/heads/${branch}`);
  const other =
    (await commitOf(room, `refs/remotes/${remote}/${base}`)) ?? (await commitOf(room, `refs/heads/${base}`));
  if (head === null || other === null) return null;
  const common = await tryGit(room, ['merge-base', other, head]);
  if (common.exitCode !== 0) return null;
  const count = await runGit(room, 'count commits', ['rev-list', '--count', `${other}..${head}`]);
  return { mergeBase: line(common.stdout), head, commits: Number(line(count)) };
}

export async function remotes(room: Room): Promise<readonly string[]> {
  const names = line(await runGit(room, 'list remotes', ['remote']));
  return names === '' ? [] : names.split('\n');
}

export async function defaultBranchOf(room: Room, remote: string): Promise<string | null> {
  const result = await tryGit(room, ['symbolic-ref', '-q', '--short', `refs/remotes/${remote}/HEAD`]);
  return result.exitCode === 0 ? line(result.stdout).slice(remote.length + 1) : null;
}

export async function push(room: Room, { remote, branch, env, terminal }: Publication): Promise<void> {
  // The full name on both sides: settings cannot map it to another, and without the plus sign it never forces.
  const args = ['push', '--', remote, `refs/heads/${branch}:refs/heads/${branch}`];
  // No hook either: those of many projects are in the work tree, where an agent wrote.
  const settings = [...room.drivers.instead, ['core.hooksPath', '/dev/null'] as const];
  const { GIT_TERMINAL_PROMPT: _, ...asking } = withSettings(neutralEnv(env), settings);
  const said = terminal
    ? await pushAsking(room.repo.root, args, asking)
    : await pushQuietly(room.repo.root, args, { ...asking, GIT_TERMINAL_PROMPT: '0' });
  if (said === null) return;
  throw new GitRefusal({
    what: `git could not push ${branch} to ${remote}`,
    where: room.repo.root,
    why: said || 'git says why above',
    mend: [
      `try it yourself: git push ${shellWord(remote)} ${shellWord(branch)}`,
      'where the remote has commits that are not here: git fetch, look at them, and merge or rebase yourself',
    ],
  });
}

/** On the user's terminal, so that git can ask; its output goes to standard error, which carries no results. */
async function pushAsking(cwd: string, args: readonly string[], env: Env): Promise<string | null> {
  const child = await startChild('git', args, { cwd, env, stdio: ['inherit', 2, 2] });
  return (await childExit(child)).exitCode === 0 ? null : '';
}

async function pushQuietly(cwd: string, args: readonly string[], env: Env): Promise<string | null> {
  const { exitCode, stderr } = await runCommand('git', args, { cwd, env });
  return exitCode === 0 ? null : stderr.toString('utf8').trim().split('\n').slice(-8).join('\n');
}

async function commitOf(room: Room, ref: string): Promise<string | null> {
  const result = await tryGit(room, ['rev-parse', '-q', '--verify', `${ref}^{commit}`]);
  return result.exitCode === 0 ? line(result.stdout) : null;
}
