import { GitError } from '../../contracts/errors.ts';
import { runCommand } from '../../platform/process/run-command.ts';
import { neutralEnv } from './environment.ts';
import { sh } from './scripts/sh.ts';

/** $1: message. A first commit of everything there is, whatever the machine's configuration says. */
const INIT = sh`
git init -q -b main .
git config user.name "Ralph Demo"
git config user.email ralph@localhost
git add -A
git -c commit.gpgsign=false commit -q --no-verify -m "$1"
`;

/** Makes a folder a repository whose first commit, on `main`, holds everything in it. Used for throw-away repositories. */
export async function initRepository(dir: string, message: string): Promise<void> {
  const env = { ...neutralEnv(process.env), LC_ALL: 'C' };
  const { exitCode, stderr } = await runCommand('sh', ['-ec', INIT, 'ralph', message], { cwd: dir, env });
  if (exitCode !== 0)
    throw new GitError({ what: 'the repository could not be made', where: dir, why: stderr.toString('utf8').trim() });
}
