import type { BacklogFormat, Problem, Story } from '../../contracts/model.ts';
import type { BacklogDocument, Loaded } from '../backlog/api.ts';
import { decodeText } from '../backlog/formats/decode.ts';
import { repairJson } from '../backlog/formats/json-repair.ts';
import { parseJson } from '../backlog/formats/json-syntax.ts';
import { type Fields, isFields } from '../backlog/formats/keys.ts';
import { readBlocks } from '../backlog/formats/markdown-blocks.ts';
import { nameItems } from '../backlog/formats/prd-json.ts';
import type { StoryList } from '../backlog/formats/prd-list.ts';
import { findStoryLists } from '../backlog/formats/prd-shape.ts';
import { isNative } from '../backlog/formats/tasks-json.ts';
import { loadSource } from '../backlog/load.ts';
import { shellWord } from '../shell-word.ts';
import { guessForm, joinLines } from './identify.ts';
import { shapeOf } from './shape.ts';

/** A story as it was read, and the fields that it has in its file; null in Markdown. */
export interface ReadStory {
  readonly story: Story;
  readonly fields: Fields | null;
}

/** What a file turned out to be. */
export interface Understood {
  readonly document: BacklogDocument;
  readonly format: BacklogFormat;
  /** Where the stories are, in a few signs. */
  readonly shape: string;
  readonly stories: readonly ReadStory[];
  /** Everything of a JSON document; null for Markdown. */
  readonly value: unknown;
  readonly lists: readonly StoryList[];
  readonly warnings: readonly string[];
}

export interface UnderstandInput {
  /** As messages name it. */
  readonly file: string;
  readonly bytes: Uint8Array;
  /** Review state that was kept beside it. */
  readonly reviews: { readonly file: string; readonly bytes: Uint8Array } | null;
  readonly repair: boolean;
}

/** Reads somebody's backlog, whatever its form; or says what keeps it from being one. */
export function understand(input: UnderstandInput): Understood | { readonly problems: readonly Problem[] } {
  const decoded = decodeText(input.bytes, input.file);
  if ('problem' in decoded) return { problems: [decoded.problem] };
  const guess = guessForm(input.file, decoded.text);
  if (guess === 'markdown') return readPlan(input, decoded.text);
  const { text, warnings } = mended(guess === 'jsonl' ? joinLines(decoded.text) : decoded.text, input.repair);
  const parsed = parseJson(text, input.file);
  if ('problem' in parsed) return { problems: [withRepair(parsed.problem, text, input)] };
  return readJson(input, text, parsed.value, guess === 'tasks-json', warnings);
}

function readPlan(input: UnderstandInput, text: string): ReturnType<typeof understand> {
  const loaded = load(input, 'markdown', text);
  if (loaded.document === null) return { problems: loaded.problems };
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

function readJson(
  input: UnderstandInput,
  text: string,
  value: unknown,
  named: boolean,
  warnings: readonly string[],
): ReturnType<typeof understand> {
  const native = isNative(value) && (named || hasReviews(value)) ? load(input, 'tasks-json', text) : null;
  // Almost native is no reason to refuse: the tolerant reader takes it, and what comes out is checked again.
  const foreign = native?.document ? null : load(input, named && native === null ? 'tasks-json' : 'prd-json', text);
  const loaded = native?.document ? native : foreign;
  if (!loaded?.document) return { problems: loaded?.problems ?? [] };
  const { document } = loaded;
  const { stories } = document.backlog;
  const isOurs = document.format === 'tasks-json';
  const lists = isOurs ? [] : findStoryLists(value);
  const raw = isOurs ? nativeFields(value) : nameItems(lists).flatMap((items) => items.map((item) => item.fields));
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

/** Many tools write `userStories`; only ours write the state of a review into every one of them. */
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
  // What is beside the file is a help, and must not keep it from being read.
  return loaded.document === null && reviewsText !== null
    ? loadSource({ format, file, text, reviewsFile, reviewsText: null })
    : loaded;
}

function mended(text: string, repair: boolean): { readonly text: string; readonly warnings: readonly string[] } {
  if (!repair || 'value' in parseJson(text, '')) return { text, warnings: [] };
  const repaired = repairJson(text);
  if (repaired === null) return { text, warnings: [] };
  return { text: repaired.text, warnings: repaired.repairs.map((each) => `repaired: ${each}`) };
}

function withRepair(problem: Problem, text: string, { file, repair }: UnderstandInput): Problem {
  if (repair || problem.rule !== 'schema/syntax' || repairJson(text) === null) return problem;
  return { ...problem, mend: `correct it there, or let it be repaired: ralph import ${shellWord(file)} --repair` };
}

function warningsOf(loaded: Loaded): readonly string[] {
  return loaded.problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}
