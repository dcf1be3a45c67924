import { GitError } from '../../contracts/index.ts';
import { runCommand } from '../../platform/index.ts';
import { type Env, neutralEnv } from './environment.ts';
import { findRoom, type OpenOptions } from './find-room.ts';
import type { Git } from './port.ts';
import { sh } from './scripts/prelude.ts';

/**
 * Opens the repository that `dir` is in.
 * @throws GitRefusal without git 2.39 or later, without a work tree, or (unless `unborn`) without a first commit
 */
export async function openGit(dir: string, options: OpenOptions = {}): Promise<Git> {
  // The code that is needed after git's answer is loaded while git looks around.
  const [room, { operationsIn }] = await Promise.all([findRoom(dir, options), import('./operations.ts')]);
  return { repo: room.repo, identity: identityOf(room.env), ...operationsIn(room) };
}

function identityOf(env: Env): Record<string, string> {
  const names = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'];
  return Object.fromEntries(names.map((name) => [name, env[name] ?? '']));
}

/** $1: message. A first commit of all files, independent of the machine's configuration. */
const INIT = sh`
git init -q -b main .
git config user.name "Ralph Demo"
git config user.email ralph@localhost
git add -A
git -c commit.gpgsign=false commit -q --no-verify -m "$1"
`;

/** Makes a folder a repository whose first commit, on `main`, contains all its files. For throw-away repositories. */
export async function initRepository(dir: string, message: string): Promise<void> {
  const env = { ...neutralEnv(process.env), LC_ALL: 'C' };
  const { exitCode, stderr } = await runCommand('sh', ['-ec', INIT, 'ralph', message], { cwd: dir, env });
  if (exitCode !== 0)
    throw new GitError({ what: 'the repository could not be made', where: dir, why: stderr.toString('utf8').trim() });
}
