import {
  type Backlog,
  FileProblemsError,
  type NewStory,
  type Problem,
  type Story,
  type StoryEdit,
  type StoryFields,
} from '../../contracts/index.ts';
import { shellWord } from '../text/index.ts';
import {
  type BacklogDocument,
  blankBacklog,
  blankStory,
  type Loaded,
  type LoadInput,
  type Parsed,
  unreadable,
} from './api.ts';
import { parseJson } from './formats/json.ts';
import { repairJson } from './formats/json-repair.ts';
import { editMarkdown, readMarkdown } from './formats/markdown.ts';
import { readPrd } from './formats/prd.ts';
import { editPrd, removeFromPrd } from './formats/prd-edit.ts';
import { changeBacklog, editTasks, isNative, readTasks, removeFromTasks } from './formats/tasks.ts';
import { decodeText, error } from './formats/text.ts';
import { checkReviews, forgetFindings, mergeFields, overlayReviews } from './reviews/reviews.ts';
import { checkDependencies, resolveDependencies } from './validate.ts';

export type BacklogSource = Omit<BacklogDocument, 'backlog'>;

/**
 * Reads a backlog and finds every problem that makes it unusable, each with file, line and fix. A `tasks.json` that
 * does not have the native shape is read like a `prd.json`, and the document says so in `format`.
 */
export function loadBacklog(input: LoadInput): Loaded {
  const { format, file, reviewsFile } = input;
  const decoded = textOf(input.bytes, file);
  if ('problem' in decoded) return { document: null, problems: [decoded.problem] };
  const reviews = input.reviewsBytes === null ? { text: null } : textOf(input.reviewsBytes, reviewsFile);
  if ('problem' in reviews) return { document: null, problems: [reviews.problem] };
  return loadSource({ format, file, text: decoded.text, reviewsFile, reviewsText: reviews.text });
}

function textOf(bytes: Uint8Array | string, file: string): ReturnType<typeof decodeText> {
  return typeof bytes === 'string' ? { text: bytes } : decodeText(bytes, file);
}

export function loadSource(source: BacklogSource): Loaded {
  const { file, reviewsFile, reviewsText } = source;
  const problems: Problem[] = reviewsText === null ? [] : checkReviews(reviewsText, reviewsFile);
  const parsed = resolved(parse(source), file);
  problems.push(...parsed.problems);
  const isForeign = parsed.format !== 'tasks-json' && !problems.some(isError);
  const stories = isForeign ? overlayReviews(parsed.backlog.stories, reviewsText) : parsed.backlog.stories;
  const byId = new Map<string, Story>();
  problems.push(...checkUniqueIds(stories, byId, file), ...checkDependencies(byId, file));
  problems.sort((a, b) => (a.file === b.file ? a.line - b.line : 0));
  if (problems.some(isError)) return { document: null, problems };
  const backlog = { ...parsed.backlog, stories };
  return { document: { ...source, format: parsed.format, backlog }, problems };
}

function parse(source: BacklogSource): Parsed {
  const { format, file, text } = source;
  if (format === 'tasks-json' && file === made?.file && text === made.text) return made.parsed;
  if (format === 'markdown') return readMarkdown(text, file);
  if (format === 'prompt') return readPrompt(text, file);
  const parsed = parseJson(text, file);
  if ('problem' in parsed) return unreadable(format, withRepair(parsed.problem, text));
  const { value } = parsed;
  if (format !== 'tasks-json' || !isNative(value)) return readPrd(value, text, file, format);
  const read = readTasks(value as Record<string, unknown>, text, file);
  if (read.problems.length === 0) sound.add(read.backlog.stories);
  return read;
}

/** Stories of native backlogs without a problem: what valid edits make of them is known without reading it. */
const sound = new WeakSet<Backlog['stories']>();
/** The native file that an edit made last: a loop reads what it has just written. */
let made: { readonly file: string; readonly text: string; readonly parsed: Parsed } | null = null;

function changedTo(text: string, before: BacklogDocument, backlog: Backlog, { changes }: Batch): BacklogDocument {
  // Without a field, the name of another one may look like a typing error.
  const isWhole = [...changes.values()].every((fields) => fields.blocked !== null);
  if (isWhole && sound.has(before.backlog.stories)) {
    sound.add(backlog.stories);
    made = { file: before.file, text, parsed: { format: 'tasks-json', backlog, problems: [] } };
  }
  return { ...before, text, backlog };
}

const PROMPT_STORY = 'PROMPT';
/** The most characters of a heading that a title takes. */
const TITLE_LENGTH = 80;

/**
 * A lone `PROMPT.md`, read as a backlog of one story that is never done: the prompt itself says what to do, and the
 * agent's signals decide when that is enough.
 */
function readPrompt(text: string, file: string): Parsed {
  if (text.trim() === '') {
    const fix = 'write into it what to do, or create a backlog: `ralph init`';
    const message = 'the prompt is empty, and there is no backlog either';
    return unreadable('prompt', error('prompt/empty', file, 1, message, fix));
  }
  const lines = text.split('\n').map((line) => line.trim());
  const first = lines.find((line) => /^#{1,6}\s+\S/.test(line)) ?? lines.find((line) => line !== '') ?? '';
  const story = blankStory(PROMPT_STORY, first.replace(/^#{1,6}\s+/, '').slice(0, TITLE_LENGTH), 1);
  return { format: 'prompt', backlog: { ...blankBacklog('prompt'), stories: [story] }, problems: [] };
}

/** A longer text was written by a program, and trying to repair it takes seconds at each read. */
const TRIED = 1_000_000;

function withRepair(problem: Problem, text: string): Problem {
  if (problem.rule !== 'schema/syntax' || text.length > TRIED || repairJson(text) === null) return problem;
  return { ...problem, fix: `${problem.fix} \`ralph import ${shellWord(problem.file)} --repair\` tries it for you.` };
}

/** Other tools name dependencies in many ways; in the native file only ids count, and anything else is an error. */
function resolved(parsed: Parsed, file: string): Parsed {
  if (parsed.format === 'tasks-json') return parsed;
  const { stories, problems } = resolveDependencies(parsed.backlog.stories, file);
  return { ...parsed, backlog: { ...parsed.backlog, stories }, problems: [...parsed.problems, ...problems] };
}

/** Stories with an id that another has. Fills `first` with the first story of each id. */
function checkUniqueIds(stories: readonly Story[], first: Map<string, Story>, file: string): Problem[] {
  const problems: Problem[] = [];
  for (const story of stories) {
    const earlier = first.get(story.id);
    if (!earlier) first.set(story.id, story);
    else if (story.id !== '') {
      const message = `${story.id}: the id is already that of the story at line ${earlier.line}`;
      problems.push(error('schema/unique-id', file, story.line, message, 'Give one of the two another id.', story.id));
    }
  }
  return problems;
}

function isError(problem: Problem): boolean {
  return problem.severity === 'error';
}

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

/**
 * The document without a story of a JSON backlog. What reviews said about it stays in `reviews.json`.
 * @throws FileProblemsError when a story of the native file depends on it
 */
export function removeStory(document: BacklogDocument, id: string): BacklogDocument {
  const { format, text, backlog } = document;
  const index = backlog.stories.findIndex((story) => story.id === id);
  const edited = format === 'tasks-json' ? removeFromTasks(text, index) : removeFromPrd(text, id);
  return reload(document, edited, document.reviewsText);
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
    return changed ? changedTo(edited, document, changed, batch) : reload(document, edited, document.reviewsText);
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

interface Proposal {
  readonly document: BacklogDocument;
  readonly refused: readonly { readonly edit: StoryEdit; readonly problems: readonly Problem[] }[];
}

/** Applies announced changes one by one, so that one that clashes with the file does not stop the others. */
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
