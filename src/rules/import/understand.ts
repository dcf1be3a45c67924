import type { BacklogFormat, Problem, Story } from '../../contracts/index.ts';
import {
  type BacklogDocument,
  decodeText,
  type Fields,
  findStoryLists,
  isFields,
  isNative,
  type Loaded,
  loadSource,
  type Path,
  parseJson,
  readBlocks,
  repairJson,
  type StoryList,
} from '../backlog/index.ts';
import { shellWord } from '../text/index.ts';
import { readExport } from './exports.ts';
import { readUserStories } from './user-stories.ts';

export interface Understood {
  readonly document: BacklogDocument;
  readonly format: BacklogFormat;
  /** The location of the stories, in a short notation. */
  readonly shape: string;
  readonly stories: readonly { readonly story: Story; readonly fields: Fields | null }[];
  /** The whole JSON document; null for Markdown. */
  readonly value: unknown;
  readonly lists: readonly StoryList[];
  readonly warnings: readonly string[];
}

interface UnderstandInput {
  /** The name used in messages. */
  readonly file: string;
  readonly bytes: Uint8Array;
  /** Review state that was stored next to it. */
  readonly reviews: { readonly file: string; readonly bytes: Uint8Array } | null;
  /** The state that Task Master keeps beside its tasks: it names the current tag. */
  readonly state?: Uint8Array | null;
  readonly repair: boolean;
}

/** Reads a backlog of any form, or reports why it is not one. */
export function understand(input: UnderstandInput): Understood | { readonly problems: readonly Problem[] } {
  const decoded = decodeText(input.bytes, input.file);
  if ('problem' in decoded) return { problems: [decoded.problem] };
  const guess = guessForm(input.file, decoded.text);
  if (guess === 'markdown') return readPlan(input, decoded.text);
  const exported = guess === 'jsonl' ? null : readExport(guess === 'table' ? guess : 'json', decoded.text);
  if (exported !== null) return readAs(input, exported, 'issues of a tracker');
  if (guess === 'table') return { problems: [noTable(input.file)] };
  const { text, warnings } = fixed(guess === 'jsonl' ? joinLines(decoded.text) : decoded.text, input.repair);
  const tagged = withCurrentTag(text, input.state ?? null);
  const parsed = parseJson(tagged, input.file);
  if ('problem' in parsed) return { problems: [withRepair(parsed.problem, text, input)] };
  return readJson(input, tagged, parsed.value, guess === 'tasks-json', warnings);
}

/** The tasks with their current tag in the document itself, on its first line: line numbers stay. */
function withCurrentTag(text: string, state: Uint8Array | null): string {
  const tag =
    state === null ? undefined : /"currentTag"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(new TextDecoder().decode(state))?.[1];
  return tag === undefined ? text : text.replace(/^\uFEFF?\s*\{(?=\s*")/, (start) => `${start}"currentTag": ${tag},`);
}

function readPlan(input: UnderstandInput, text: string): ReturnType<typeof understand> {
  const loaded = load(input, 'markdown', text);
  if (loaded.document === null) {
    const stories = loaded.problems.some(({ rule }) => rule === 'schema/no-stories') ? readUserStories(text) : null;
    return stories === null ? { problems: loaded.problems } : readAs(input, stories, 'user stories');
  }
  const { document } = loaded;
  return {
    document,
    format: 'markdown',
    shape: readBlocks(text).form === 'headings' ? 'headings with boxes' : 'check boxes',
    stories: document.backlog.stories.map((story) => ({ story, fields: null })),
    value: null,
    lists: [],
    warnings: warningsOf(loaded),
  };
}

/** Stories of another form, written as JSON. */
function readAs(input: UnderstandInput, text: string, shape: string): ReturnType<typeof understand> {
  const read = readJson(input, text, JSON.parse(text), false, []);
  return 'problems' in read ? read : { ...read, shape };
}

function readJson(
  input: UnderstandInput,
  text: string,
  value: unknown,
  named: boolean,
  warnings: readonly string[],
): ReturnType<typeof understand> {
  const native = isNative(value) && (named || hasReviews(value)) ? load(input, 'tasks-json', text) : null;
  // An almost native file is not refused: the tolerant reader accepts it, and the result is checked again.
  const foreign = native?.document ? null : load(input, named && native === null ? 'tasks-json' : 'prd-json', text);
  const loaded = native?.document ? native : foreign;
  if (!loaded?.document) return { problems: loaded?.problems ?? [] };
  const { document } = loaded;
  const { stories } = document.backlog;
  const isOurs = document.format === 'tasks-json';
  const lists = isOurs ? [] : findStoryLists(value);
  const raw = isOurs ? nativeFields(value) : lists.flatMap((list) => list.items.map((item) => item.fields));
  const firstError = foreign === null ? undefined : native?.problems.find((problem) => problem.severity === 'error');
  return {
    document,
    format: document.format,
    shape: isOurs ? 'userStories' : shapeOf(lists.map((list) => list.path)),
    stories: stories.map((story, index) => ({ story, fields: raw[index] ?? null })),
    value,
    lists,
    warnings: [...warnings, ...(firstError ? [`not quite native: ${firstError.message}`] : []), ...warningsOf(loaded)],
  };
}

/** Many tools write `userStories`; only ralph writes a review state into each of them. */
function hasReviews(value: unknown): boolean {
  const stories = nativeFields(value);
  return stories.length > 0 && stories.every((story) => 'reviewStatus' in story);
}

function nativeFields(value: unknown): readonly Fields[] {
  const stories = isFields(value) ? value['userStories'] : null;
  return Array.isArray(stories) ? stories.filter(isFields) : [];
}

function load({ file, reviews }: UnderstandInput, format: BacklogFormat, text: string): Loaded {
  const kept = reviews === null ? null : decodeText(reviews.bytes, reviews.file);
  const reviewsText = kept !== null && 'text' in kept ? kept.text : null;
  const reviewsFile = reviews?.file ?? 'reviews.json';
  const loaded = loadSource({ format, file, text, reviewsFile, reviewsText });
  // The review file only adds information, and must not make the backlog unreadable.
  return loaded.document === null && reviewsText !== null
    ? loadSource({ format, file, text, reviewsFile, reviewsText: null })
    : loaded;
}

function fixed(text: string, repair: boolean): { readonly text: string; readonly warnings: readonly string[] } {
  if (!repair || 'value' in parseJson(text, '')) return { text, warnings: [] };
  const repaired = repairJson(text);
  if (repaired === null) return { text, warnings: [] };
  return { text: repaired.text, warnings: repaired.repairs.map((each) => `repaired: ${each}`) };
}

function withRepair(problem: Problem, text: string, { file, repair }: UnderstandInput): Problem {
  if (repair || problem.rule !== 'schema/syntax' || repairJson(text) === null) return problem;
  return { ...problem, fix: `correct it there, or have it repaired: ralph import ${shellWord(file)} --repair` };
}

function warningsOf(loaded: Loaded): readonly string[] {
  return loaded.problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

/** The form in which a file is read. `jsonl` is one JSON value per line, as trackers export them. */
type Guess = Extract<BacklogFormat, 'tasks-json' | 'prd-json' | 'markdown'> | 'jsonl' | 'table';

const JSON_START = /^\s*(?:\{|\[\s*(?:[{"\]]|$))/;

/** The form of a backlog: by its file name if that is clear, else by how the text begins. */
function guessForm(path: string, text: string): Guess {
  const name = (path.split(/[\\/]/).at(-1) ?? '').toLowerCase();
  if (name === 'tasks.json') return 'tasks-json';
  if (/\.(?:json|jsonc|json5|ya?ml)$/.test(name)) return 'prd-json';
  if (/\.(?:jsonl|ndjson)$/.test(name)) return 'jsonl';
  if (/\.[ct]sv$/.test(name)) return 'table';
  if (/\.(?:md|markdown|mdx|mdown)$/.test(name)) return 'markdown';
  return JSON_START.test(text.replace(/^\uFEFF/, '')) ? 'prd-json' : 'markdown';
}

function noTable(file: string): Problem {
  const message = 'the table has no column with titles ("Title", "Summary", "Name") and one with a state or an id';
  return { severity: 'error', rule: 'schema/no-stories', file, line: 1, message, fix: 'Give its columns such names.' };
}

/** JSON lines as one list. Every value stays on its line, so that messages name the right one. */
function joinLines(text: string): string {
  const lines = text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\n');
  const last = lines.length - 1;
  return `[${lines.map((line, at) => (line.trim() === '' || at === last ? line : `${line.trimEnd()},`)).join('\n')}]`;
}

/** The location of the stories in a short notation: `userStories`, `phases[].tasks`, `phases.*.features`, `a list`. */
function shapeOf(paths: readonly Path[]): string {
  const [first, ...others] = paths;
  if (first === undefined) return 'nothing';
  if (first.length === 0) return 'a list';
  return first
    .map((part, at) => {
      if (typeof part === 'number') return '[]';
      return others.some((other) => other[at] !== part) ? '.*' : `.${part}`;
    })
    .join('')
    .slice(1);
}
