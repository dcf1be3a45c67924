import { ID, WORD_ID } from './markdown-ids.ts';

/** The first line of a story in a plan, taken apart. */
export interface TitleLine {
  /** The id that the line gives; null when it has none. */
  readonly ownId: string | null;
  readonly title: string;
  /** What the line says after the title; often a whole sentence behind a bold name. */
  readonly rest: string;
  /** Marks between id and title: `P` (may run beside others), `US1` (belongs to that user story). */
  readonly labels: readonly string[];
}

/** How ids stand at the start of a line, each with the id and what follows. */
const FORMS: readonly RegExp[] = [
  // **US-001**: Title, `T1` Title, [US-001] Title, **[T1]** Title; but no [link](…)
  new RegExp(String.raw`^[*_\x60[]{1,4}(${ID}|${WORD_ID})[:.]?[*_\x60\]]{1,4}(?!\()[:.]?\s*(?:[—–|-]\s+)?(.*)$`),
  // **D2-fix — Title** more: the bold part stays bold, so that it is taken for the title
  new RegExp(String.raw`^(?=(?:\*\*|__))[*_]{2}(${ID}|${WORD_ID})(?:\s*[:—–|]\s*|\s+-\s+)(.*)$`),
  // US-001: Title, T1 - Title, Task 1.2: Title
  new RegExp(String.raw`^(${ID}|${WORD_ID})(?:\s*[:—–|]|\s+-(?=\s)|\.(?=\s))\s*(.*)$`),
  // T001 Title: without a delimiter only what can hardly be a word such as UTF-8
  /^((?:US|TASK|STORY|FEAT|BUG|FIX|REQ)-?\d+|[A-Z]{1,3}\d{3,})\s+(.*)$/,
  // 1.2 Title, 3. Title
  /^(\d+(?:\.\d+)+)[.:)]?\s+(.*)$/,
  /^(\d+)[.:)]\s+(.*)$/,
];

/** An id that nobody sees, for those that no visible form can carry. */
const PIN = / ?<!-- ?id: ?(.+?) ?-->/;

/** `[P] [US1]` of spec-kit. */
const LABELS = /^(?:\[(?:P|US-?\d+)\]\s*)+(?=[^\s(:])/;

/** Takes the first line of a story (what follows its check box) apart. */
export function parseTitleLine(line: string): TitleLine {
  // Runs of spaces are folded first: the patterns below would take quadratic time on them.
  const folded = line.replace(/\s+/g, ' ');
  const pin = PIN.exec(folded);
  const unpinned = folded.replace(PIN, '').trim();
  let ownId = pin?.[1] ?? null;
  let text = unpinned;
  for (const form of ownId === null ? FORMS : []) {
    const found = form.exec(unpinned);
    if (found?.[1] === undefined || plain(found[2] ?? '') === '') continue;
    ownId = found[1];
    text = unpinned.startsWith('**') && form === FORMS[1] ? `**${found[2]}` : (found[2] ?? '');
    break;
  }
  const labels = LABELS.exec(text)?.[0] ?? '';
  text = text.slice(labels.length);
  const bold = /^\*\*(.+?)\*\*(?:\s*[—–:|.]\s*|\s+-\s+|\s*$)(.*)$/.exec(text);
  const [title, rest] = bold ? [bold[1] ?? '', bold[2] ?? ''] : [text, ''];
  return { ownId, title: plain(withoutNeeds(title)), rest: rest.trim(), labels: labels.match(/[\w-]+/g) ?? [] };
}

/** The line of a new story; {@link parseTitleLine} finds the same id and title in it. */
export function formatTitleLine(id: string, title: string): string {
  const words = title.replace(/\s+/g, ' ').trim();
  const visible = `${id}: ${words}`;
  return parseTitleLine(visible).ownId === id ? visible : `${words} <!-- id: ${id} -->`;
}

/** What {@link plain} changes; most lines have none of it, and one look is cheaper than three passes. */
const MARKUP = /[*_~\u2705\u2714\u2611]|\ufe0f|[^\S ]| {2}/;

/** Text without emphasis, strike-through and trailing marks of completion; code keeps its backticks. */
export function plain(text: string): string {
  if (!MARKUP.test(text)) return text.trim();
  return text
    .replace(/\*\*|__|~~/g, '')
    .replace(/\s+/g, ' ')
    .replace(/(?: |\u2705|\u2714|\u2611|\ufe0f)+$/u, '')
    .trim();
}

function withoutNeeds(title: string): string {
  return title.replace(/\s*\(depends(?:\s+on)?:?\s+[^)]*\)/i, '');
}
