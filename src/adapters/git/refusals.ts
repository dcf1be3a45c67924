import { GitRefusal } from '../../contracts/errors.ts';
import { exists } from '../../platform/files/files.ts';
import type { Repo } from './port.ts';

/** What can be under way in a git dir, by the file that says so. */
export const OPERATIONS: readonly { readonly file: string; readonly name: string; readonly ways: readonly string[] }[] =
  [
    { file: 'MERGE_HEAD', name: 'merge', ways: ['git merge --continue', 'git merge --abort'] },
    { file: 'rebase-merge', name: 'rebase', ways: ['git rebase --continue', 'git rebase --abort'] },
    {
      file: 'rebase-apply',
      name: 'rebase (or git am)',
      ways: ['git rebase --continue', 'git rebase --abort', 'git am --abort'],
    },
    { file: 'CHERRY_PICK_HEAD', name: 'cherry-pick', ways: ['git cherry-pick --continue', 'git cherry-pick --abort'] },
    { file: 'REVERT_HEAD', name: 'revert', ways: ['git revert --continue', 'git revert --abort'] },
    { file: 'BISECT_LOG', name: 'bisect', ways: ['git bisect reset'] },
  ];

const ITERATIONS = 'an iteration becomes one commit, which would end it or be lost in it';

/** Throws {@link GitRefusal} while a merge, rebase, cherry-pick, revert or bisect is under way. */
export async function refuseOperationsUnderWay(repo: Repo, why = ITERATIONS): Promise<void> {
  for (const { file, name, ways } of OPERATIONS) {
    if (!(await exists(`${repo.gitDir}/${file}`))) continue;
    throw new GitRefusal({
      what: `a ${name} is under way in this work tree`,
      where: `${repo.gitDir}/${file}`,
      why,
      mend: ways,
    });
  }
}
