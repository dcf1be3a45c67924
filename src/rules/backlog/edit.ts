import {
  FileProblemsError,
  type NewStory,
  type Problem,
  type Story,
  type StoryEdit,
  type StoryFields,
} from '../../contracts/index.ts';
import type { BacklogDocument } from './api.ts';
import { editMarkdown } from './formats/markdown-edit.ts';
import { editPrd } from './formats/prd-json-edit.ts';
import { changeBacklog, editTasks } from './formats/tasks-json-edit.ts';
import { loadSource } from './load.ts';
import { forgetFindings, mergeFields } from './reviews/reviews.ts';

/**
 * The document with edits applied, one after the other. Only the fields an edit names change in the file; values that a
 * foreign format has no field for go to `reviews.json`. An edit of a missing story is a bug and throws an `Error`.
 *
 * @throws FileProblemsError when the result would be an invalid backlog (an id twice, a dependency cycle …)
 */
export function editBacklog(document: BacklogDocument, edits: readonly StoryEdit[]): BacklogDocument {
  // A prompt cannot hold the state of stories; the ledger knows everything that the loop needs.
  if (document.format === 'prompt') return document;
  let current = document;
  for (const batch of batches(edits)) current = applyBatch(current, batch);
  return edits.reduce(startAgain, current);
}

/** A story whose review count is reset has not been reviewed: earlier findings no longer count either. */
function startAgain(document: BacklogDocument, edit: StoryEdit): BacklogDocument {
  if (edit.kind !== 'set' || edit.fields.reviewCount !== 0) return document;
  const reviewsText = forgetFindings(document.reviewsText, edit.id);
  return reviewsText === document.reviewsText ? document : { ...document, reviewsText };
}

interface Batch {
  readonly changes: Map<string, StoryFields>;
  readonly added: Map<string, NewStory>;
}

/** Edits that can be applied together: a change to a story added in this batch waits for the next batch. */
function batches(edits: readonly StoryEdit[]): Batch[] {
  const all: Batch[] = [];
  let batch: Batch = { changes: new Map(), added: new Map() };
  for (const edit of edits) {
    const full = edit.kind === 'set' ? batch.added.has(edit.id) : batch.added.has(edit.story.id);
    if (full) {
      all.push(batch);
      batch = { changes: new Map(), added: new Map() };
    }
    if (edit.kind === 'add') batch.added.set(edit.story.id, edit.story);
    else batch.changes.set(edit.id, { ...batch.changes.get(edit.id), ...edit.fields });
  }
  all.push(batch);
  return all.filter(({ changes, added }) => changes.size + added.size > 0);
}

function applyBatch(document: BacklogDocument, batch: Batch): BacklogDocument {
  const { backlog, format, text } = document;
  const byId = new Map(backlog.stories.map((story) => [story.id, story]));
  for (const id of batch.changes.keys()) {
    if (!byId.has(id)) throw new Error(`there is no story ${id} in ${document.file}`);
  }
  const added = [...batch.added.values()];
  if (format === 'tasks-json') {
    const edited = editTasks(text, backlog, batch.changes, added);
    const changed = added.length === 0 ? changeBacklog(edited, backlog, batch.changes) : null;
    return changed ? { ...document, text: edited, backlog: changed } : reload(document, edited, document.reviewsText);
  }
  const changes = changedOnly(byId, batch.changes);
  const edited = format === 'markdown' ? editMarkdown(text, changes, added) : editPrd(text, changes, added);
  let reviewsText = document.reviewsText;
  for (const [id, fields] of edited.elsewhere) {
    if (Object.keys(fields).length > 0) reviewsText = mergeFields(reviewsText, id, fields);
  }
  return reload(document, edited.text, reviewsText, added);
}

/** Leaves out fields that already have the new value, so that nothing is written for them. */
function changedOnly(
  stories: ReadonlyMap<string, Story>,
  changes: ReadonlyMap<string, StoryFields>,
): Map<string, StoryFields> {
  const changed = new Map<string, StoryFields>();
  for (const [id, fields] of changes) {
    const story: Partial<Record<string, unknown>> = { blocked: null, ...stories.get(id) };
    const entries = Object.entries(fields).filter(
      ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(story[name]),
    );
    if (entries.length > 0) changed.set(id, Object.fromEntries(entries));
  }
  return changed;
}

function reload(
  document: BacklogDocument,
  text: string,
  reviewsText: string | null,
  added: readonly NewStory[] = [],
): BacklogDocument {
  if (text === document.text && reviewsText === document.reviewsText) return document;
  const { format, file, reviewsFile } = document;
  const loaded = loadSource({ format, file, text, reviewsFile, reviewsText });
  if (!loaded.document) {
    const what = `this change would leave ${file} unusable, so it was not made`;
    throw new FileProblemsError({ what, where: file }, loaded.problems);
  }
  const ids = new Set(loaded.document.backlog.stories.map((story) => story.id));
  const lost = added.find((story) => !ids.has(story.id));
  if (lost) throw new Error(`the new story ${lost.id} cannot be read back from ${file}`);
  return loaded.document;
}

/** A backlog with announced changes applied, and the changes that cannot be made. */
interface Proposal {
  readonly document: BacklogDocument;
  readonly refused: readonly { readonly edit: StoryEdit; readonly problems: readonly Problem[] }[];
}

/**
 * Applies announced changes one by one, so that one that clashes with the file (an id taken meanwhile, a story that is
 * gone) does not stop the others.
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
