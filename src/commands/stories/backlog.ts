import type { Git } from '../../adapters/git/port.ts';
import { loadOrThrow } from '../../adapters/workspace/backlog/document.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { UsageError } from '../../contracts/errors.ts';
import type { Story } from '../../contracts/model.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { nearest } from '../../rules/nearest.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import type { RawFlags } from '../shared/flags.ts';
import { openWorkspace } from '../shared/open.ts';

export interface OpenBacklog {
  readonly git: Git;
  readonly workspace: Workspace;
  readonly document: BacklogDocument;
}

/** The backlog that the flags name. @throws FileProblemsError with every problem when it cannot be worked with */
export async function openBacklog(flags: RawFlags, io: Io): Promise<OpenBacklog> {
  const { git, workspace } = await openWorkspace(flags, io);
  const { document } = await loadOrThrow(workspace);
  return { git, workspace, document };
}

/** The story of that id. @throws UsageError with the nearest id */
export function storyById(document: BacklogDocument, id: string): Story {
  const { stories } = document.backlog;
  const found = stories.find((story) => story.id === id) ?? stories.find((story) => story.safeId === id);
  if (found) return found;
  const near = nearest(
    id,
    stories.map((story) => story.id),
  );
  throw new UsageError({
    what: `there is no story '${id}'${near ? `; did you mean ${near}?` : ''}`,
    where: document.file,
    mend: ['`ralph stories` lists them'],
  });
}
