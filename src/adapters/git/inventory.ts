import { GitError } from '../../contracts/errors.ts';
import { runCommand } from '../../platform/process/run-command.ts';
import { hostEnv } from './environment.ts';
import { sh } from './scripts/sh.ts';

/** What is in a repository, as somebody sees it who compares it with what was there before. */
export interface Inventory {
  /** Every ref with the object it names. */
  readonly refs: ReadonlyMap<string, string>;
  /** Every object that some ref leads to, the checkpoints apart: each iteration replaces them. */
  readonly kept: ReadonlySet<string>;
  /** Every object that the branch which is checked out leads to. */
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
