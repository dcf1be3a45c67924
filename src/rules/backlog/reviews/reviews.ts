import type { Problem, ReviewFinding, ReviewStatus, Story, StoryFields } from '../../../contracts/index.ts';
import type { Receipt, RejectedReceipt } from '../api.ts';
import { type FieldRule, judgeField, STORY_RULES } from '../formats/fields.ts';
import { locate, parseJson } from '../formats/json.ts';
import { type Fields, isFields } from '../formats/prd-names.ts';
import { error, lineAt } from '../formats/text.ts';

/** `reviews.json`: what the loop knows about stories beyond their own file. Fields unknown to this version are kept. */
const REVIEWS_VERSION = 1;

interface Reviews {
  /** The whole file, to keep fields that are unknown here. */
  readonly top: Fields;
  /** A map, because an id such as `__proto__` must be a key like any other. */
  readonly stories: ReadonlyMap<string, Fields>;
}

const EMPTY: Reviews = { top: {}, stories: new Map() };

/** Fields of an entry that override the story's own file. */
const OVERLAY_FIELDS = [
  'title',
  'description',
  'acceptanceCriteria',
  'priority',
  'reviewStatus',
  'reviewCount',
  'reviewFeedback',
  'notes',
  'dependsOn',
  'blocked',
] as const;

/** All problems in the text of `reviews.json`; empty when it can be used. */
export function checkReviews(reviewsText: string, file: string): Problem[] {
  if (reviewsText === last.text && last.isSound) {
    // Two equal texts need not be held.
    last = { ...last, text: reviewsText };
    return [];
  }
  const parsed = parseReviews(reviewsText, file);
  if ('problem' in parsed) {
    const fix = 'Restore the file from git, or delete it: review state then starts over.';
    return [{ ...parsed.problem, fix }];
  }
  const problems: Problem[] = [];
  const add = (rule: string, path: readonly string[], message: string, fix: string): void => {
    problems.push(error(rule, file, lineAt(reviewsText, locate(reviewsText, path) ?? 0), message, fix));
  };
  const top = parsed.value;
  if (!isFields(top)) {
    add('schema/type', [], 'the file must contain an object', 'Restore the file from git, or delete it.');
    return problems;
  }
  const version = top['version'];
  if (typeof version === 'number' && version > REVIEWS_VERSION) {
    const message = `the file has version ${version}; this ralph reads version ${REVIEWS_VERSION}`;
    add('schema/version', ['version'], message, 'Use the newer ralph that wrote it.');
  }
  const stories = top['stories'];
  if (stories !== undefined && !isFields(stories)) {
    const message = '"stories" must be an object with one entry per story';
    add('schema/type', ['stories'], message, 'Restore the file from git.');
    return problems;
  }
  for (const [id, entry] of Object.entries(stories ?? {})) {
    if (!isFields(entry)) {
      add('schema/type', ['stories', id], `the entry of ${id} must be an object`, 'Restore the file from git.');
      continue;
    }
    for (const rule of OVERLAY_RULES) {
      const found = judgeField(rule, entry[rule.field]);
      if (found) add('schema/type', ['stories', id, rule.field], `${id}: ${found.message}`, found.fix);
    }
  }
  last = { ...last, isSound: problems.length === 0 };
  return problems;
}

const OVERLAY_RULES: readonly FieldRule[] = STORY_RULES.filter((rule) =>
  (OVERLAY_FIELDS as readonly string[]).includes(rule.field),
).map((rule) => ({ ...rule, required: false }));

/**
 * Stories of a foreign format with their review state. If the done mark of an approved story is gone from the file, a
 * person withdrew the approval: the story starts again.
 */
export function overlayReviews(stories: readonly Story[], reviewsText: string | null): readonly Story[] {
  const { stories: entries } = readReviews(reviewsText);
  if (entries.size === 0) return stories;
  return stories.map((story) => {
    const entry = entries.get(story.id);
    if (!entry) return story;
    const { blocked, ...state } = pick(entry, OVERLAY_FIELDS);
    const merged: Story = { ...story, ...state };
    const shown = merged.reviewStatus === 'approved' && !merged.passes ? { ...merged, reviewStatus: null } : merged;
    return typeof blocked === 'string' && blocked !== '' ? { ...shown, blocked } : shown;
  });
}

/** The text of `reviews.json` after setting fields of one story (`blocked: null` removes it); unchanged if nothing changes. */
export function mergeFields(
  reviewsText: string | null,
  id: string,
  fields: Omit<StoryFields, 'passes'>,
): string | null {
  const before = entryOf(reviewsText, id) ?? {};
  const after: Record<string, unknown> = { ...before, ...fields };
  if (fields.blocked === null) delete after['blocked'];
  if (JSON.stringify(after) === JSON.stringify(before)) return reviewsText;
  return writeEntry(reviewsText, id, after);
}

/** The text of `reviews.json` with the receipt of a story; it replaces an earlier one of the same story. */
export function mergeReceipt(reviewsText: string | null, receipt: Receipt): string {
  const { story, ...rest } = receipt;
  const before = entryOf(reviewsText, story) ?? {};
  const earlier = Object.entries(isFields(before['receipt']) ? before['receipt'] : {});
  const unknown = Object.fromEntries(earlier.filter(([name]) => !OF_ONE_APPROVAL.has(name)));
  return writeEntry(reviewsText, story, { ...before, receipt: { ...unknown, ...rest } });
}

/** The text of `reviews.json` where the approval of a story no longer counts: its receipt is kept as an earlier one. */
export function withoutApproval(reviewsText: string | null, id: string, rejectedAt: string): string | null {
  const { receipt, ...rest } = entryOf(reviewsText, id) ?? {};
  if (!isFields(receipt)) return reviewsText;
  return writeEntry(reviewsText, id, { ...rest, earlier: [...earlierIn(rest), { ...receipt, rejectedAt }] });
}

/** Receipts of a story that a person rejected later, oldest first. */
export function earlierReceipts(reviewsText: string | null, id: string): readonly RejectedReceipt[] {
  return earlierIn(entryOf(reviewsText, id)).map((one) => ({ story: id, ...one }) as RejectedReceipt);
}

function earlierIn(entry: Fields | undefined): readonly Fields[] {
  const earlier = entry?.['earlier'];
  return Array.isArray(earlier) ? earlier.filter(isFields) : [];
}

/** Fields that a later receipt may lack: those of an earlier approval must not remain. */
const OF_ONE_APPROVAL: ReadonlySet<string> = new Set(['tests', 'findings', 'proof', 'concerns']);

/** The findings of a story's reviews, as the loop wrote them; entries of another shape are ignored. */
export function readFindings(reviewsText: string | null, id: string): readonly ReviewFinding[] {
  return entriesOf(entryOf(reviewsText, id)).filter(isFinding);
}

/** The text of `reviews.json` with the findings of a story; unchanged if nothing changes. */
export function mergeFindings(
  reviewsText: string | null,
  id: string,
  findings: readonly ReviewFinding[],
): string | null {
  const before = entryOf(reviewsText, id) ?? {};
  const entries = entriesOf(before);
  const after = [...findings, ...entries.filter((entry) => !isFinding(entry))];
  if (JSON.stringify(after) === JSON.stringify(entries)) return reviewsText;
  const { findings: _, ...rest } = before;
  return writeEntry(reviewsText, id, after.length === 0 ? rest : { ...before, findings: after });
}

/** The text of `reviews.json` without the findings of a story, except those that a person waived. */
export function forgetFindings(reviewsText: string | null, id: string): string | null {
  return mergeFindings(
    reviewsText,
    id,
    readFindings(reviewsText, id).filter(({ state }) => state === 'waived'),
  );
}

function entriesOf(entry: Fields | undefined): readonly unknown[] {
  const findings = entry?.['findings'];
  return Array.isArray(findings) ? findings : [];
}

function isFinding(value: unknown): value is ReviewFinding {
  if (!isFields(value)) return false;
  const { id, file, criterion, claim, state, foundIn, lastFoundIn } = value;
  const texts = [id, claim, file ?? '', criterion ?? '', value['reason'] ?? ''];
  if (!isFields(value['from'] ?? {})) return false;
  const isKnown = state === 'open' || state === 'resolved' || state === 'dismissed' || state === 'waived';
  return isKnown && [foundIn, lastFoundIn].every(Number.isInteger) && texts.every((text) => typeof text === 'string');
}

/** The receipt of a story; null when it has none. */
export function readReceipt(reviewsText: string | null, id: string): Receipt | null {
  const receipt = entryOf(reviewsText, id)?.['receipt'];
  return isFields(receipt) ? ({ story: id, ...receipt } as unknown as Receipt) : null;
}

export function readReceipts(reviewsText: string | null): Receipt[] {
  const receipts: Receipt[] = [];
  for (const [story, entry] of readReviews(reviewsText).stories) {
    if (isFields(entry['receipt'])) receipts.push({ story, ...entry['receipt'] } as unknown as Receipt);
  }
  return receipts;
}

/** The text that was read or written last: the loop asks for the same one several times per iteration. */
interface Last {
  readonly text: string;
  /** Nothing is wrong with it. */
  readonly isSound: boolean;
  /** Written here, with each entry on lines of its own, which are found without parsing the others. */
  readonly isOurs?: boolean;
  readonly value?: unknown;
  reviews?: Reviews;
}

let last: Last = { text: 'null', isSound: false, value: null };

function parseReviews(text: string, file: string): ReturnType<typeof parseJson> {
  if (text === last.text && 'value' in last) return { value: last.value };
  const parsed = parseJson(text, file);
  if ('value' in parsed && text !== last.text) last = { text, isSound: false, value: parsed.value };
  return parsed;
}

function readReviews(reviewsText: string | null): Reviews {
  if (reviewsText === null) return EMPTY;
  if (reviewsText === last.text && last.reviews) return last.reviews;
  const parsed = parseReviews(reviewsText, 'reviews.json');
  if ('problem' in parsed) throw new Error(`reviews.json was not checked before use: ${parsed.problem.message}`);
  last.reviews = reviewsOf(parsed.value);
  return last.reviews;
}

function reviewsOf(value: unknown): Reviews {
  if (!isFields(value)) return EMPTY;
  const stories = isFields(value['stories']) ? Object.entries(value['stories']) : [];
  return {
    top: value,
    stories: new Map(stories.filter((entry): entry is [string, Fields] => isFields(entry[1]))),
  };
}

/** What is known of one story, at a cost that does not depend on the others. */
function entryOf(reviewsText: string | null, id: string): Fields | undefined {
  if (reviewsText === null) return undefined;
  if (reviewsText !== last.text || !last.isOurs) return readReviews(reviewsText).stories.get(id);
  const place = placeOf(reviewsText, id);
  return place === null ? undefined : entryFrom(reviewsText.slice(...place));
}

/** The text with one entry changed; all others keep their bytes. */
function writeEntry(reviewsText: string | null, id: string, entry: Fields): string {
  // As it will be read: without what JSON cannot hold.
  const held = entryFrom(JSON.stringify(entry));
  const isSound = OVERLAY_RULES.every((rule) => judgeField(rule, held[rule.field]) === null);
  const { text: known, isOurs, reviews } = last;
  const text = reviewsText === known && isOurs ? withEntry(known, id, held) : null;
  if (text !== null) {
    const stories = reviews && new Map(reviews.stories).set(id, held);
    last = { text, isSound, isOurs: isSound, ...(stories ? { reviews: { top: reviews.top, stories } } : {}) };
    return text;
  }
  const wasSound = reviewsText === null || (reviewsText === known && last.isSound);
  const { top, stories } = readReviews(reviewsText);
  const value = { version: REVIEWS_VERSION, ...top, stories: Object.fromEntries(new Map(stories).set(id, held)) };
  const whole = `${JSON.stringify(value, null, 2)}\n`;
  last = { text: whole, isSound: wasSound && isSound, isOurs: wasSound && isSound };
  return whole;
}

function entryFrom(json: string): Fields {
  const parsed = parseJson(json, '');
  return ('value' in parsed ? parsed.value : JSON.parse(json)) as Fields;
}

/*
 * A text written here has two spaces before a field of the file and four before that of a story. A line break is always
 * layout: JSON writes those inside strings as an escape.
 */
const STORIES = '\n  "stories": {\n';
const END_OF_STORIES = '\n  }';
const END_OF_ENTRY = '\n    }';

/** Where the entry of a story starts and ends; null when there is none. */
function placeOf(text: string, id: string): readonly [from: number, to: number] | null {
  const key = `\n    ${JSON.stringify(id)}: `;
  const start = text.indexOf(STORIES);
  const at = text.indexOf(key, start);
  if (start < 0 || at < 0 || at > text.indexOf(END_OF_STORIES, start)) return null;
  const from = at + key.length;
  return [from, text.startsWith('{}', from) ? from + 2 : text.indexOf(END_OF_ENTRY, from) + END_OF_ENTRY.length];
}

/** null where only the whole can be written: without another entry, and for a key that objects sort to the front. */
function withEntry(text: string, id: string, entry: Fields): string | null {
  const lines = JSON.stringify(entry, null, 2).replaceAll('\n', '\n    ');
  const place = placeOf(text, id);
  if (place !== null) return text.slice(0, place[0]) + lines + text.slice(place[1]);
  const start = text.indexOf(STORIES);
  if (start < 0 || /^\d+$/.test(id)) return null;
  const end = text.indexOf(END_OF_STORIES, start);
  return `${text.slice(0, end)},\n    ${JSON.stringify(id)}: ${lines}${text.slice(end)}`;
}

function pick(entry: Fields, names: readonly string[]): StoryFields & { reviewStatus?: ReviewStatus } {
  return Object.fromEntries(names.filter((name) => name in entry).map((name) => [name, entry[name]]));
}
