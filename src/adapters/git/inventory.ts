import { GitError } from '../../contracts/index.ts';
import { runCommand } from '../../platform/index.ts';
import { hostEnv, neutralEnv } from './environment.ts';
import { sh } from './prelude.ts';

/** The content of a repository, for comparison with its earlier content. */
export interface Inventory {
  /** Every ref with the object it names. */
  readonly refs: ReadonlyMap<string, string>;
  /** Every object reachable from some ref, except the checkpoints: each iteration replaces them. */
  readonly kept: ReadonlySet<string>;
  /** Every object reachable from the checked-out branch. */
  readonly checkedOut: ReadonlySet<string>;
  /** What `git fsck` complains about, one line each. */
  readonly faults: readonly string[];
}

/** Prints refs, kept objects, objects of the branch and faults, each list ended by a NUL. */
const TAKE_INVENTORY = sh`
git for-each-ref --format='%(refname) %(objectname)'
printf '\0'
git rev-list --objects --no-object-names --exclude='refs/ralph/checkpoint/*' --all
printf '\0'
git rev-list --objects --no-object-names HEAD
printf '\0'
git fsck --no-dangling --no-progress 2>&1 || :
printf '\0'
`;

/**
 * Reads a whole repository: for small ones. Nothing in it is run or changed.
 * @param gitDir absolute; of a work tree or bare
 * @throws GitError when it cannot be read at all
 */
export async function takeInventory(gitDir: string): Promise<Inventory> {
  const env = hostEnv(process.env, { gitDir, root: gitDir, excludesFile: null });
  const { exitCode, stdout, stderr } = await runCommand('sh', ['-ec', TAKE_INVENTORY], { cwd: gitDir, env });
  const [refs = [], kept = [], checkedOut = [], faults = []] = stdout
    .toString('utf8')
    .split('\0')
    .map((list) => list.split('\n').filter((line) => line !== ''));
  if (exitCode !== 0)
    throw new GitError({ what: 'the repository cannot be read', where: gitDir, why: stderr.toString('utf8').trim() });
  return {
    refs: new Map(refs.map((line) => line.split(' ') as [string, string])),
    kept: new Set(kept),
    checkedOut: new Set(checkedOut),
    faults,
  };
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
  await runIn(dir, INIT, [message], { what: 'the repository could not be made', where: dir });
}

/** $1: where the remote is made, $2: name of the other branch. */
const SURROUND = sh`
git init -q --bare "$1"
git remote add origin "$1"
git push -q --no-verify -u origin HEAD
git branch "$2" "$(git commit-tree -p HEAD -m 'An idea for later' 'HEAD^{tree}')"
`;

/**
 * Gives a throw-away repository what a user's has around the work: a remote named `origin`, a bare repository at
 * `remote` that the checked-out branch is pushed to, and another branch with a commit that exists nowhere else.
 */
export async function addSurroundings(root: string, remote: string, branch: string): Promise<void> {
  await runIn(root, SURROUND, [remote, branch], { what: 'the remote could not be made', where: remote });
}

async function runIn(
  dir: string,
  script: string,
  args: readonly string[],
  facts: { readonly what: string; readonly where: string },
): Promise<void> {
  const env = { ...neutralEnv(process.env), LC_ALL: 'C' };
  const { exitCode, stderr } = await runCommand('sh', ['-ec', script, 'ralph', ...args], { cwd: dir, env });
  if (exitCode !== 0) throw new GitError({ ...facts, why: stderr.toString('utf8').trim() });
}
