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
  const reviews = readReviews(reviewsText);
  const before = reviews.stories.get(id) ?? {};
  const after: Record<string, unknown> = { ...before, ...fields };
  if (fields.blocked === null) delete after['blocked'];
  if (JSON.stringify(after) === JSON.stringify(before)) return reviewsText;
  return writeEntry(reviews, id, after);
}

/** The text of `reviews.json` with the receipt of a story; it replaces an earlier one of the same story. */
export function mergeReceipt(reviewsText: string | null, receipt: Receipt): string {
  const reviews = readReviews(reviewsText);
  const { story, ...rest } = receipt;
  const before = reviews.stories.get(story) ?? {};
  const earlier = Object.entries(isFields(before['receipt']) ? before['receipt'] : {});
  const unknown = Object.fromEntries(earlier.filter(([name]) => !OF_ONE_APPROVAL.has(name)));
  return writeEntry(reviews, story, { ...before, receipt: { ...unknown, ...rest } });
}

/** The text of `reviews.json` where the approval of a story no longer counts: its receipt is kept as an earlier one. */
export function withoutApproval(reviewsText: string | null, id: string, rejectedAt: string): string | null {
  const reviews = readReviews(reviewsText);
  const { receipt, ...rest } = reviews.stories.get(id) ?? {};
  if (!isFields(receipt)) return reviewsText;
  return writeEntry(reviews, id, { ...rest, earlier: [...earlierIn(rest), { ...receipt, rejectedAt }] });
}

/** Receipts of a story that a person rejected later, oldest first. */
export function earlierReceipts(reviewsText: string | null, id: string): readonly RejectedReceipt[] {
  return earlierIn(readReviews(reviewsText).stories.get(id)).map((one) => ({ story: id, ...one }) as RejectedReceipt);
}

function earlierIn(entry: Fields | undefined): readonly Fields[] {
  const earlier = entry?.['earlier'];
  return Array.isArray(earlier) ? earlier.filter(isFields) : [];
}

/** Fields that a later receipt may lack: those of an earlier approval must not remain. */
const OF_ONE_APPROVAL: ReadonlySet<string> = new Set(['tests', 'findings', 'proof', 'concerns']);

/** The findings of a story's reviews, as the loop wrote them; entries of another shape are ignored. */
export function readFindings(reviewsText: string | null, id: string): readonly ReviewFinding[] {
  return entriesOf(readReviews(reviewsText).stories.get(id)).filter(isFinding);
}

/** The text of `reviews.json` with the findings of a story; unchanged if nothing changes. */
export function mergeFindings(
  reviewsText: string | null,
  id: string,
  findings: readonly ReviewFinding[],
): string | null {
  const reviews = readReviews(reviewsText);
  const before = reviews.stories.get(id) ?? {};
  const entries = entriesOf(before);
  const after = [...findings, ...entries.filter((entry) => !isFinding(entry))];
  if (JSON.stringify(after) === JSON.stringify(entries)) return reviewsText;
  const { findings: _, ...rest } = before;
  return writeEntry(reviews, id, after.length === 0 ? rest : { ...before, findings: after });
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

export function readReceipts(reviewsText: string | null): Receipt[] {
  const receipts: Receipt[] = [];
  for (const [story, entry] of readReviews(reviewsText).stories) {
    if (isFields(entry['receipt'])) receipts.push({ story, ...entry['receipt'] } as unknown as Receipt);
  }
  return receipts;
}

/** The text read last, and what it holds: the loop asks for the same one several times per iteration. */
let last: { readonly text: string; readonly value: unknown; reviews?: Reviews } = { text: 'null', value: null };

function parseReviews(text: string, file: string): ReturnType<typeof parseJson> {
  if (text === last.text) return last;
  const parsed = parseJson(text, file);
  if ('value' in parsed) last = { text, value: parsed.value };
  return parsed;
}

function readReviews(reviewsText: string | null): Reviews {
  if (reviewsText === null) return EMPTY;
  const parsed = parseReviews(reviewsText, 'reviews.json');
  if ('problem' in parsed) throw new Error(`reviews.json was not checked before use: ${parsed.problem.message}`);
  last.reviews ??= reviewsOf(parsed.value);
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

function writeEntry(reviews: Reviews, id: string, entry: Fields): string {
  // As it will be read: without what JSON cannot hold.
  const parsed = parseJson(JSON.stringify(entry), '');
  const held = 'value' in parsed ? parsed.value : entry;
  const stories = Object.fromEntries(new Map<string, unknown>(reviews.stories).set(id, held));
  const value = { version: REVIEWS_VERSION, ...reviews.top, stories };
  const text = `${JSON.stringify(value, null, 2)}\n`;
  last = { text, value };
  return text;
}

function pick(entry: Fields, names: readonly string[]): StoryFields & { reviewStatus?: ReviewStatus } {
  return Object.fromEntries(names.filter((name) => name in entry).map((name) => [name, entry[name]]));
}
