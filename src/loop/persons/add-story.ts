import { loadOrThrow, writeFiles } from '../../adapters/workspace/backlog/document.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { appendLedger } from '../../adapters/workspace/records/ledger.ts';
import { FileProblemsError } from '../../contracts/errors.ts';
import type { NewStory } from '../../contracts/model.ts';
import { LEDGER_VERSION, type LedgerAddition } from '../../contracts/state/ledger.ts';
import { editBacklog } from '../../rules/backlog/edit.ts';
import { nextId } from '../../rules/backlog/next-id.ts';
import type { PendingAddition } from '../../rules/steering/steering.ts';

/** What came of the wish to add a story. */
export type StoryAdded =
  | { readonly kind: 'added'; readonly line: LedgerAddition; readonly story: NewStory }
  | { readonly kind: 'refused'; readonly line: LedgerAddition; readonly why: string };

interface AddPlace {
  readonly root: string;
  readonly stateDir: string;
  readonly workspace: Workspace;
}

/**
 * Adds a story that a person asked for; the caller holds the run lock, and no iteration is under way. The line in the
 * ledger is written whatever came of it, so that a word that leads nowhere is not said to every run to come. Should the
 * process die between backlog and ledger, the word is heard again: a story that is there, word for word, is the one.
 * @param renamed ids that stories said at the same time got instead of theirs: dependencies follow
 * @param at epoch ms
 */
export async function addStory(
  { root, stateDir, workspace }: AddPlace,
  { id: word, folder, story: wanted, at: saidAt }: PendingAddition,
  renamed: ReadonlyMap<string, string>,
  at: number,
): Promise<StoryAdded> {
  const added = await tryToAdd();
  const story = added.kind === 'added' ? added.story.id : null;
  const line = { version: LEDGER_VERSION, kind: 'addition', word, story, at: Math.max(at, saidAt) } as const;
  await appendLedger(stateDir, line);
  return { ...added, line };

  async function tryToAdd(): Promise<WithoutLine<StoryAdded>> {
    if (folder !== workspace.specDir) return { kind: 'refused', why: `it was said about ${folder}` };
    const { document } = await loadOrThrow(workspace);
    if (document.format === 'prompt') return { kind: 'refused', why: `there are no stories in ${document.file}` };
    const { stories } = document.backlog;
    const there = stories.find(({ id }) => id === wanted.id);
    if (there?.title === wanted.title) return { kind: 'added', story: wanted };
    const dependsOn = wanted.dependsOn?.map((id) => renamed.get(id) ?? id);
    const isTaken = there !== undefined;
    const next = { ...wanted, ...(dependsOn && { dependsOn }), ...(isTaken && { id: nextId(stories) }) };
    try {
      const edited = editBacklog(document, [{ kind: 'add', story: next }]);
      await writeFiles(root, {
        [edited.file]: edited.text,
        ...(edited.reviewsText === null ? {} : { [edited.reviewsFile]: edited.reviewsText }),
      });
    } catch (error) {
      if (!(error instanceof FileProblemsError)) throw error;
      return {
        kind: 'refused',
        why: error.problems.flatMap(({ severity, message }) => (severity === 'error' ? message : [])).join('; '),
      };
    }
    return { kind: 'added', story: next };
  }
}

type WithoutLine<Outcome> = Outcome extends unknown ? Omit<Outcome, 'line'> : never;
