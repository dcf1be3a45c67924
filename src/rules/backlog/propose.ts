import { FileProblemsError } from '../../contracts/errors.ts';
import type { Problem, StoryEdit } from '../../contracts/model.ts';
import type { BacklogDocument } from './api.ts';
import { editBacklog } from './edit.ts';

/** A backlog with changes that only were announced so far, and those among them that cannot be made. */
export interface Proposal {
  readonly document: BacklogDocument;
  readonly refused: readonly { readonly edit: StoryEdit; readonly problems: readonly Problem[] }[];
}

/**
 * Applies announced changes one by one, so that one that clashes with the file (an id taken meanwhile, a story that is
 * gone) does not take the others with it.
 */
export function propose(document: BacklogDocument, edits: readonly StoryEdit[]): Proposal {
  let current = document;
  const refused: Proposal['refused'][number][] = [];
  for (const edit of edits) {
    try {
      if (edit.kind === 'set' && !current.backlog.stories.some(({ id }) => id === edit.id)) continue;
      current = editBacklog(current, [edit]);
    } catch (error) {
      if (!(error instanceof FileProblemsError)) throw error;
      refused.push({ edit, problems: error.problems });
    }
  }
  return { document: current, refused };
}
