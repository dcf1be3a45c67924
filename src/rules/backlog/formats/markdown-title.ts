/** US-001, P1.1, T1, D2-fix, UI-AUTH-2, US-FINAL. */
export const ID = String.raw`(?:[A-Za-z][A-Za-z0-9]*[-_])*[A-Za-z]{1,12}[-_]?\d+[A-Za-z]?(?:[.-][A-Za-z0-9]+)*|[A-Z]{2,10}(?:-[A-Z0-9]+)+`;
/** Task 1.2, Story #3. */
export const WORD_ID = String.raw`(?:Task|Story|Step|Issue|Feature|Item|Phase|Milestone|Epic) #?\d+(?:\.\d+)*`;

const WHOLE = new RegExp(`^(?:${ID})$`);

/** Whether a word looks like an id, so that it deserves a warning when no story has it. */
export function looksLikeId(word: string): boolean {
  return /\d/.test(word) && WHOLE.test(word);
}

export interface TitleLine {
  readonly ownId: string | null;
  readonly title: string;
  /** The text after the title; often a whole sentence after a bold name. */
  readonly rest: string;
  /** Marks between id and title: `P` (may run in parallel), `US1` (belongs to that user story). */
  readonly labels: readonly string[];
}

/** The forms of ids at the start of a line, each with the id and the text after it. */
const FORMS: readonly RegExp[] = [
  // **US-001**: Title, `T1` Title, [US-001] Title, **[T1]** Title; but no [link](…)
  new RegExp(String.raw`^[*_\x60[]{1,4}(${ID}|${WORD_ID})[:.]?[*_\x60\]]{1,4}(?!\()[:.]?\s*(?:[—–|-]\s+)?(.*)$`),
  // **D2-fix — Title** more: the bold part stays bold, so that it becomes the title
  new RegExp(String.raw`^(?=(?:\*\*|__))[*_]{2}(${ID}|${WORD_ID})(?:\s*[:：—–|]\s*|\s+-\s+)(.*)$`),
  // [US-001](https://example.org/US-001) Title
  new RegExp(String.raw`^\[(${ID})\]\(https?:[^)]*\)[:.]?\s*(?:[—–|-]\s+)?(.*)$`),
  // US-001: Title, T1 - Title, Task 1.2: Title
  new RegExp(String.raw`^(${ID}|${WORD_ID})(?:\s*[:：—–|]|\s+-(?=\s)|[.)](?=\s))\s*(.*)$`),
  // T001 Title: without a delimiter, only ids that can hardly be a word such as UTF-8
  /^((?:US|TASK|STORY|FEAT|BUG|FIX|REQ)-?\d+|[A-Z]{1,3}\d{3,})\s+(.*)$/,
  // 1.2 Title, 3. Title
  /^(\d+(?:\.\d+)+)[.:)]?\s+(.*)$/,
  /^(\d+)[.:)]\s+(.*)$/,
  /^[*_]{0,2}#(\d+)[.:]?\s+(.*)$/,
  // **#7** Title, **[1.2]** Title, **1.2** Title, **3.** Title
  /^(?:\*\*|__|`)(?=#|\[|\d+[.:)])[#[]?(\d+(?:\.\d+)*)[\].:)]*(?:\*\*|__|`)[:.]?\s*(?:[—–-]\s+)?(.*)$/,
  // [1.2] Title
  /^\[(\d+(?:\.\d+)*)\]\s+(.*)$/,
];

/** An id in a comment, for ids that no visible form can carry. */
const PIN = / ?<!-- ?id: ?(.+?) ?-->/;

/** `[P1]` before a title is a priority. */
const RANK = /^[*_`]{0,2}\[P[0-5]\][*_`]{0,2}:?\s+/;
/** Before an id; without one they are a part of the title. */
const EMOJI_BEFORE = /^(?:\p{Extended_Pictographic}\uFE0F?\s*)+/u;

/** `[P] [US1]` of spec-kit. */
const LABELS = /^(?:\[(?:P|US-?\d+)\]\s*)+(?=[^\s(:])/;

/** Splits the first line of a story (the text after its check box) into its parts. */
export function parseTitleLine(line: string): TitleLine {
  // Runs of spaces are folded first: the patterns below would take quadratic time on them.
  const folded = line.replace(/\s+/g, ' ');
  const pin = PIN.exec(folded);
  const said = folded
    .replace(PIN, '')
    .replace(/<!--.*?-->/g, '')
    .trim()
    .replace(RANK, '');
  const bare = said.replace(EMOJI_BEFORE, '');
  const unpinned = FORMS.some((form) => form.test(bare)) ? bare : said;
  let ownId = pin?.[1] ?? null;
  let text = unpinned;
  for (const form of ownId === null ? FORMS : []) {
    const found = form.exec(unpinned);
    if (found?.[1] === undefined || plain(found[2] ?? '') === '') continue;
    ownId = found[1];
    // An emphasis that continues after the id stays one, so that it becomes the title.
    const isOpen = unpinned.startsWith('**') && (found[2] ?? '').split('**').length % 2 === 0;
    text = `${isOpen ? '**' : ''}${found[2] ?? ''}`;
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

/** The text that {@link plain} changes; most lines have none, and one test is cheaper than three passes. */
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

/** `(depends on T1)`, `[needs T1, T2]`, `— blocked by T1`: nothing but ids. */
const NEEDS_IDS =
  /\s*(?:[([]|\s[\u2013\u2014-]\s+)(?:depend(?:s(?:[ _-]?on)?|encies)|deps?|needs|after|requires|blocked(?: by)?)(?:\s*:\s*|\s+)([^)\]]*)(?:[)\]]|$)/i;

function withoutNeeds(title: string): string {
  return title.replace(/\s*\(depends(?:\s+on)?:?\s+[^)]*\)/i, '').replace(NEEDS_IDS, (whole, named: string) => {
    const names = named.split(/[\s,;&]+|\band\b/).filter((name) => name !== '');
    return names.length > 0 && names.every(looksLikeId) ? '' : whole;
  });
}

/** Postponed work (`deferred`, `paused`) is not included: its turn comes later. `skipped` describes tests. */
const OFF =
  "(?:blocked|on[ -]hold|cancell?ed|won['\u2019]?t (?:fix|do)|wontfix|obsolete|abandoned|out of scope|descoped|superseded|not needed|n/a)";
const UPPER = upper(OFF);
const DASH = '\\s*[:\u2013\u2014,-]\\s*';
const EMOJI = '\\p{Extended_Pictographic}\\uFE0F?';
/** Signs with the same meaning as those words. */
const SIGN = '[\u26D4\u{1F6AB}]\\uFE0F?';

/** A cheap first test: most lines hold no mark, and one test is cheaper than ten. */
const HINT = /block|hold|cancel|won['\u2019]?t|obsolete|abandon|scope|supersede|needed|n\/a|~~|\u26D4|\uD83D\uDEAB/i;

/** The start of a title, after the id: `T1: `, `**US-001** `, `1.2 `, `Task 3: `. */
const START =
  '(?<=^\\s*(?:(?:[A-Z][a-z]{1,10} )?[^\\s\\d]{0,12}\\d\\S{0,16}\\s+(?:[\u2013\u2014-]\\s+)?|[*_`[]{0,3}[A-Z][\\w-]{0,20}[\\]*_`]{0,3}:[*_]{0,2}\\s+)?)';
/** The end of a title: only text that is not part of it follows, or a bold name ends. */
const END = '(?=(?:[\\s*_.!]|<!--[^>]*-->|\\((?:depends|after|requires|needs|blocked by)\\b[^)]*\\))*$)';
const BOLD_BEFORE = '(?<=\\S(?:\\*\\*|__)\\s*)';

/** The forms in which a line says that its story is blocked or called off, each with the reason if any. */
const HOLD_FORMS: readonly RegExp[] = [
  // (BLOCKED: no key), (cancelled - too big), (BLOCKED): at the end, at the start, after a bold name
  ...around(`\\((${OFF})(?:${DASH}([^)]*))?\\)`, 'iu'),
  // (BLOCKED waiting for a key): capitals need no delimiter
  ...around(`\\((${UPPER})\\s+([^)]*)\\)`, 'u'),
  ...around(`(?:\\*\\*|__)?\\[(${OFF})(?:${DASH}([^\\]]*))?\\](?!\\()(?:\\*\\*|__)?`, 'iu'),
  // **BLOCKED: no key**, **BLOCKED**, **BLOCKED** — no key
  new RegExp(`(?:\\s+[\u2013\u2014-])?\\s+(?:\\*\\*|__)(${OFF})(?:${DASH}([^*_]+))?(?:\\*\\*|__)${END}`, 'iu'),
  new RegExp(`(?:\\s+[\u2013\u2014-])?\\s+(?:\\*\\*|__)(${OFF})(?:\\*\\*|__)${DASH}(.+)$`, 'iu'),
  new RegExp(`${START}(?:\\*\\*|__)(${UPPER})(?:${DASH}([^*_]+))?(?:\\*\\*|__)(?:${DASH}|\\s*)(?=\\S)`, 'u'),
  // — BLOCKED: no key; — cancelled
  new RegExp(`\\s+[\u2013\u2014-]\\s+(${UPPER})(?::\\s*(.*))?$`, 'u'),
  new RegExp(`\\s+[\u2013\u2014]\\s+(${OFF})${END}`, 'iu'),
  // BLOCKED: the title, BLOCKED - waiting for a key
  new RegExp(`${START}(${UPPER})(?::|\\s+[\u2013\u2014-])\\s+(?=\\S)`, 'u'),
  // ❌ cancelled: too big, ⛔ blocked
  new RegExp(`(?:^|\\s*)${EMOJI}\\s*(${OFF})(?:${DASH}(.*))?${END}`, 'iu'),
  // ⛔ first or last
  new RegExp(`^\\s*(${SIGN})\\s*`, 'u'),
  new RegExp(`${START}(${SIGN})\\s*`, 'u'),
  new RegExp(`\\s*(${SIGN})${END}`, 'u'),
];
/** ~~Title~~, ~~Title~~ — why, **US-1**: ~~Title~~ */
const STRUCK = /^([^~]{0,40}?)~~([^~]+)~~(?=(\s*$|\s*[:\u2013\u2014(-].*$))/;

/** Why a story is on hold, according to the line of its box; null when it is not. */
export function holdIn(line: string): string | null {
  if (!HINT.test(line)) return null;
  const found = markIn(line);
  if (found) {
    const reason = found[2]?.trim() ?? '';
    return reason === '' ? `the plan says: ${word(found[1] ?? '')}` : reason;
  }
  const struck = STRUCK.exec(line.trim());
  if (!struck) return null;
  const why = (struck[3] ?? '').replace(/^[\s:\u2013\u2014(-]+|[\s)]+$/g, '');
  return why === '' ? 'struck out' : `struck out: ${why}`;
}

export function withoutHold(line: string): string {
  const found = markIn(line);
  if (!found) return STRUCK.test(line.trim()) ? line.replace(/~~([^~]+)~~/, '$1') : line;
  const before = line.slice(0, found.index);
  const after = line.slice(found.index + found[0].length).trim();
  const joined = [before.trim(), after].filter((part) => part !== '').join(' ');
  return (/^\s*/.exec(line)?.[0] ?? '') + joined;
}

function markIn(line: string): RegExpExecArray | null {
  // On very long lines the patterns would take quadratic time, and a title that carries a mark is short.
  if (line.length > 2000) return null;
  for (const form of HOLD_FORMS) {
    const found = form.exec(line);
    if (found && !isDependency(found)) return found;
  }
  return null;
}

/** A mark at the end of a title, at its start, and between a bold title and the text after it. */
function around(mark: string, flags: string): RegExp[] {
  return [`\\s*${mark}${END}`, `${START}${mark}[\\s:\u2013\u2014-]*(?=\\S)`, `${BOLD_BEFORE}${mark}`].map(
    (form) => new RegExp(form, flags),
  );
}

/** `(blocked: US-002)` names a dependency: no reason to put the story on hold permanently. */
function isDependency(found: RegExpExecArray): boolean {
  const reason = found[2]?.trim() ?? '';
  return /^by\b|^(?:[A-Za-z]+-)?\d+$/i.test(reason) || /^blocked\s+by/i.test(reason);
}

function word(mark: string): string {
  return /^[\u26D4\u{1F6AB}]/u.test(mark) ? 'blocked' : mark.toLowerCase();
}

function upper(pattern: string): string {
  return pattern.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}
