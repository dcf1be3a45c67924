import { loadOrThrow, writeFiles } from '../../adapters/workspace/backlog/document.ts';
import { acquireRunLock } from '../../adapters/workspace/records/run-lock.ts';
import { FileProblemsError } from '../../contracts/errors.ts';
import type { StoryEdit } from '../../contracts/model.ts';
import { hostName, processId } from '../../platform/process/process-facts.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { editBacklog } from '../../rules/backlog/edit.ts';
import { loadBacklog } from '../../rules/backlog/load.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import type { RawFlags } from '../shared/flags.ts';
import { openWorkspace } from '../shared/open.ts';
import { needStories } from './later.ts';

/** What a change to the backlog gets to see. */
export interface ChangeContext {
  readonly document: BacklogDocument;
  /** `<git dir>/ralph`. */
  readonly stateDir: string;
}

/**
 * A person's change of the backlog, under the lock of the run: read, edit, check, write. Nothing is written when the
 * result would not be a valid backlog.
 * @param command as it is named to whoever waits for the lock
 * @param decide the edits, from the backlog as it is under the lock; may do more while it is held
 * @returns the backlog as written
 * @throws LockedError (exit 4) naming the run that holds the lock
 */
export async function changeBacklog(
  command: string,
  flags: RawFlags,
  io: Io,
  decide: (context: ChangeContext) => readonly StoryEdit[] | Promise<readonly StoryEdit[]>,
): Promise<BacklogDocument> {
  const { git, workspace } = await openWorkspace(flags, io);
  const { root, stateDir } = git.repo;
  const lock = await acquireRunLock(stateDir, {
    pid: processId(),
    host: hostName(),
    startedAt: new Date().toISOString(),
    run: command,
  });
  try {
    const { document } = await loadOrThrow(workspace);
    needStories(document, command);
    const edited = checked(editBacklog(document, await decide({ document, stateDir })));
    await writeFiles(root, {
      [edited.file]: edited.text,
      ...(edited.reviewsText === null ? {} : { [edited.reviewsFile]: edited.reviewsText }),
    });
    return edited;
  } finally {
    await lock.release();
  }
}

/** An edit may be well formed and yet break the backlog: a duplicate id, a dependency that does not exist. */
function checked(edited: BacklogDocument): BacklogDocument {
  const encoder = new TextEncoder();
  const { document, problems } = loadBacklog({
    format: edited.format,
    file: edited.file,
    bytes: encoder.encode(edited.text),
    reviewsFile: edited.reviewsFile,
    reviewsBytes: edited.reviewsText === null ? null : encoder.encode(edited.reviewsText),
  });
  if (document !== null) return document;
  const errors = problems.filter((problem) => problem.severity === 'error');
  throw new FileProblemsError(
    { what: 'this would not be a valid backlog; nothing was written', where: edited.file },
    errors,
  );
}
