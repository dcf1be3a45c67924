import { GitError } from '../../contracts/errors.ts';
import { runCommand } from '../../platform/process/run-command.ts';
import { neutralEnv } from './environment.ts';
import { sh } from './scripts/sh.ts';

/** $1: where the remote is made, $2: name of the other branch. */
const SURROUND = sh`
git init -q --bare "$1"
git remote add origin "$1"
git push -q --no-verify -u origin HEAD
git branch "$2" "$(git commit-tree -p HEAD -m 'An idea for later' 'HEAD^{tree}')"
`;

/**
 * Gives a throw-away repository what a user's has around the work: a remote named `origin`, a bare repository at
 * `remote` that the checked-out branch is pushed to, and another branch with a commit that is nowhere else.
 */
export async function addSurroundings(root: string, remote: string, branch: string): Promise<void> {
  const env = { ...neutralEnv(process.env), LC_ALL: 'C' };
  const { exitCode, stderr } = await runCommand('sh', ['-ec', SURROUND, 'ralph', remote, branch], { cwd: root, env });
  if (exitCode !== 0)
    throw new GitError({ what: 'the remote could not be made', where: remote, why: stderr.toString('utf8').trim() });
}
