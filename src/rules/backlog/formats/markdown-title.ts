/** The first line of a story in a plan, taken apart. */
export interface TitleLine {
  /** The id that the line gives; null when it has none. */
  readonly ownId: string | null;
  readonly title: string;
  /** What the line says after the title; often a whole sentence behind a bold name. */
  readonly rest: string;
}

/** US-001, P1.1, T1, D2-fix, UI-AUTH-2, US-FINAL. */
const ID = String.raw`(?:[A-Za-z][A-Za-z0-9]*[-_])*[A-Za-z]{1,12}[-_]?\d+[A-Za-z]?(?:[.-][A-Za-z0-9]+)*|[A-Z]{2,10}(?:-[A-Z0-9]+)+`;
const WORD_ID = String.raw`(?:Task|Story|Step|Issue|Feature|Item|Phase|Milestone|Epic) #?\d+(?:\.\d+)*`;

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
  const bold = /^\*\*(.+?)\*\*(?:\s*[—–:|.]\s*|\s+-\s+|\s*$)(.*)$/.exec(text);
  const [title, rest] = bold ? [bold[1] ?? '', bold[2] ?? ''] : [text, ''];
  return { ownId, title: plain(withoutNeeds(title)), rest: rest.trim() };
}

/** The line of a new story; {@link parseTitleLine} finds the same id and title in it. */
export function formatTitleLine(id: string, title: string): string {
  const words = title.replace(/\s+/g, ' ').trim();
  const visible = `${id}: ${words}`;
  return parseTitleLine(visible).ownId === id ? visible : `${words} <!-- id: ${id} -->`;
}

/** Ids that a line says the story depends on: `depends on: US-001, US-002`, `(depends: T1)`; null when it says nothing. */
export function parseNeeds(line: string): string[] | null {
  const found =
    /(?:^|[(\s*_-])depend(?:s(?:\s+on)?|encies|s-on)?[*_]*\s*:[*_]*\s*([^)]*)/i.exec(line) ??
    /\(depends\s+on\s+([^)]*)\)/i.exec(line);
  if (!found) return null;
  return (found[1] ?? '')
    .split(/[\s,;]+|\band\b/)
    .map((word) => word.replace(/^[*_`[(]+|[*_`\]).]+$/g, ''))
    .filter((word) => word !== '');
}

/** Whether a word is written like an id, so that it is worth a complaint when no story has it. */
export function looksLikeId(word: string): boolean {
  return new RegExp(`^(?:${ID})$`).test(word) && /\d/.test(word);
}

/** Text without emphasis, strike-through and trailing marks of completion; code keeps its backticks. */
export function plain(text: string): string {
  return text
    .replace(/\*\*|__|~~/g, '')
    .replace(/\s+/g, ' ')
    .replace(/(?: |\u2705|\u2714|\u2611|\ufe0f)+$/u, '')
    .trim();
}

function withoutNeeds(title: string): string {
  return title.replace(/\s*\(depends(?:\s+on)?:?\s+[^)]*\)/i, '');
}
