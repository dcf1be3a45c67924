import { UsageError } from '../contracts/errors.ts';
import type { BacklogDocument } from '../rules/backlog/api.ts';
import { nearest } from '../rules/nearest.ts';
import type { RunRequest } from './context.ts';

/** There is something to work on, and the stories that the command line names exist. */
export function refuseUnknownStories({ backlog, file }: BacklogDocument, { only, until }: RunRequest): void {
  const ids = backlog.stories.map(({ id }) => id);
  if (ids.length === 0) {
    throw new UsageError({
      what: 'the backlog has no stories',
      where: file,
      mend: ['`ralph stories add "Title" -c "criterion"`, or write them into the file'],
    });
  }
  const unknown = [only, until].find((id) => id !== null && !ids.includes(id));
  if (unknown === undefined || unknown === null) return;
  const near = nearest(unknown, ids);
  throw new UsageError({
    what: `there is no story '${unknown}'`,
    where: file,
    mend: [near ? `did you mean ${near}?` : '`ralph stories` lists them'],
  });
}
