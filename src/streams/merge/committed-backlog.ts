import type { Git } from '../../adapters/git/port.ts';
import { UsageError } from '../../contracts/errors.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { loadBacklog } from '../../rules/backlog/load.ts';

/**
 * A backlog as it is in a commit: what is only in a work tree would be neither pushed nor merged.
 * @throws UsageError when it is not there, or cannot be read
 */
export async function committedBacklog(
  git: Git,
  { format, file, reviewsFile }: BacklogDocument,
  commit: string,
): Promise<BacklogDocument> {
  const [bytes, reviewsBytes] = await Promise.all([git.show(commit, file), git.show(commit, reviewsFile)]);
  const loaded = bytes === null ? null : loadBacklog({ format, file, bytes, reviewsFile, reviewsBytes });
  if (loaded?.document) return loaded.document;
  throw new UsageError({
    what: bytes === null ? `${file} is not on the branch` : `${file} cannot be read as it is on the branch`,
    where: commit.slice(0, 12),
    why: loaded?.problems[0]?.message ?? 'what became of its stories is read there',
    mend: ['commit it there: `ralph run` does so at its start'],
  });
}
