/** Longest text that is looked at, and longest that comes out of it: enough to tell errors apart. In characters. */
const LONGEST_INPUT = 20_000;
const LONGEST = 600;

const to = (text: string) => () => text;

/** What makes two reports of one failure differ, and what it becomes. In this order; each only shortens. */
const RULES: readonly (readonly [pattern: RegExp, replacement: (found: string) => string])[] = [
  // Colours and other orders to a terminal, then what is left of control characters; in JSON they are spelt out.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are driven by control characters.
  [/\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b]{0,500}(?:\u0007|\u001b\\)|[@-_])/g, to('')],
  [/\\(?:u001b|x1b|e|033)\[[0-9;:?]*[a-z]/g, to('')],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
  [/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, to('')],
  [/['"`´‘’‚“”„«»‹›]/g, to('')],
  // Rules and frames are as wide as the text beside them.
  [/[\u2500-\u257f\u23af]+|([^\w\s#])\1{3,}/g, to(' ')],
  // Dates: 2026-11-22, 2026-11-22t06:27:00.123+01:00, then with the month's name on either side.
  [/\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?: ?z\b| ?[+-]\d\d:?\d\d\b)?/g, to('#')],
  [
    /\b(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? \d{1,2}\b(?:,? \d{4}\b)?/g,
    to('#'),
  ],
  [
    /\b(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? )?\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b(?: \d{4}\b)?/g,
    to('#'),
  ],
  [/\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[ap]m\b)?(?: ?(?:utc|gmt|z)\b)?/g, to('#')],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, to('#')],
  // Paths and addresses: folders differ from work tree to work tree, the name at the end says what it is about.
  [/[^\s,;=|()[\]{}<>]+/g, lastName],
  [/\b0x[0-9a-f]+\b/g, to('#')],
  // Words of letters and digits: ids have neither meaning nor the same text twice, `sha256` and `utf8` do.
  [/[a-z0-9]+/g, withoutIds],
  // Numbers with their sign, groups, fraction and unit of time or size.
  [
    /(?<![\w)\]])-?\d+(?:[.,_]\d+)*(?:e[+-]?\d+)?(?: ?(?:ns|[uµ]s|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|[kmgt]i?b|bytes?|b)\b)?/g,
    to('#'),
  ],
  [/\d+/g, to('#')],
  // However many stand there: `12:5` and `12`, `1m 2s` and `2s`.
  [/#(?:[\s.,:;/_+-]*#)+/g, to('#')],
  [/\s+/g, to(' ')],
];

/**
 * An error without what differs from one report of it to the next: numbers, times, ids, folders, colours, quotes,
 * case and white space. Doing it twice changes nothing.
 */
export function normaliseError(text: string): string {
  return settled(settled(text.slice(0, LONGEST_INPUT).toLowerCase()).slice(0, LONGEST));
}

/** A replacement may bring together what an earlier rule looks for. Since every rule only shortens, this ends. */
function settled(text: string): string {
  let before: string;
  let after = text;
  do {
    before = after;
    for (const [pattern, replacement] of RULES) after = after.replace(pattern, replacement);
    after = after.trim();
  } while (after !== before);
  return after;
}

/** The last name of a path; a word that is no path stays. Entries of folders for temporary files have invented names. */
function lastName(word: string): string {
  if (!/[/\\]/.test(word)) return word;
  const names = word.split(/[/\\]+/).filter((name) => name !== '');
  return /^(?:tmp|temp|t)$/.test(names.at(-2) ?? '') ? '#' : (names.at(-1) ?? '');
}

/** Commit ids and other hexadecimal words, and what mixes letters and digits more than once: `a1b2c3`, `x7kq9z`. */
function withoutIds(word: string): string {
  const isHex = /^[0-9a-f]+$/.test(word) && /[a-f]/.test(word);
  const isHexId = isHex && (word.length >= 12 || (word.length >= 7 && /\d/.test(word)));
  return isHexId || (word.length >= 6 && /[a-z]\d+[a-z]+\d|\d[a-z]+\d+[a-z]/.test(word)) ? '#' : word;
}
