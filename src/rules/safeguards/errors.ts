import type { CheckResult, LedgerIteration } from '../../contracts/index.ts';
import { describeFailure } from '../text/index.ts';

/** The number of last output lines of a check that are compared, and their most characters: the rest is data. */
const LINES = 12;
const LONGEST_LINE = 200;

/** Words and marks by which most tools report a failure, including expected and actual values. */
const TELLING =
  /\b(?:fail\w*|err|errors?|\w+(?:error|exception)|exception|panic\w*|fatal|assert\w*|expected|received|actual|cannot|cant|could not|couldnt|unable|unexpected|undefined|unresolved|unknown|invalid|missing|denied|refused|not ok|not found|no such|timed? ?out|killed|aborted)\b|[✗✘×✖●❌]|^[+>-]|^e\s|^#\)/;

/** Words of the totals and times at the end of a run; a line with only these is the same for every failure. */
const SUM =
  /\b(?:tests?|files?|suites?|cases?|specs?|examples?|scenarios?|steps?|snapshots?|assertions?|expectations?|failed|failures?|failing|fail|passed|passing|pass|errors?|errored|skipped|ignored|pending|todo|cancelled|total|ok|succeeded|time|duration|start|ran|run|all|of|in|at|took|finished|estimated|and|exit|code|status|with|m?s)\b/g;

/** Cached: the breaker asks for the same lines twice a second while a run waits, and lines never change. */
const remembered = new WeakMap<LedgerIteration, string | null>();

/**
 * The error of a bad iteration, normalised: the agent's error if its process ended badly, else the first failed check
 * with the output lines that give the reason, else the verdict's reason. Null when simply nothing was done.
 */
export function errorOf(line: LedgerIteration): string | null {
  const before = remembered.get(line);
  if (before !== undefined) return before;
  const error = readError(line);
  remembered.set(line, error);
  return error;
}

function readError(line: LedgerIteration): string | null {
  if (line.error !== null) return known(line.error.message) ?? line.error.kind;
  const check = line.failure?.checks.find(({ ok }) => !ok);
  if (check !== undefined)
    return known([`${check.command} ${describeFailure(check)}`, ...meaningful(check)].join('\n'));
  return line.verdict === 'no-progress' ? null : known(line.reason);
}

function known(text: string): string | null {
  return normaliseError(text) || null;
}

/** Normalised first, so that the name of a folder or the length of a number never decides which lines are chosen. */
function meaningful({ tail }: CheckResult): readonly string[] {
  const lines = new Set(tail.split(/\r\n|\r|\n/).map((line) => normaliseError(line).slice(0, LONGEST_LINE)));
  const words = [...lines].filter((line) => /\p{L}/u.test(line));
  const telling = words.filter((line) => TELLING.test(line) && /\p{L}/u.test(line.replace(SUM, '')));
  return (telling.length > 0 ? telling : words).slice(-LINES);
}

/** Longest text that is examined, and longest result: enough to tell errors apart. In characters. */
const LONGEST_INPUT = 20_000;
const LONGEST = 600;

const to = (text: string) => () => text;

/** What differs between two reports of one failure, and its replacement. In this order; each rule only shortens. */
const RULES: readonly (readonly [pattern: RegExp, replacement: (found: string) => string])[] = [
  // Colours and other terminal sequences, then the remaining control characters; in JSON they are spelt out.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are driven by control characters.
  [/\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b]{0,500}(?:\u0007|\u001b\\)|[@-_])/g, to('')],
  [/\\(?:u001b|x1b|e|033)\[[0-9;:?]*[a-z]/g, to('')],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
  [/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, to('')],
  [/['"`´‘’‚“”„«»‹›]/g, to('')],
  // Rules and frames are as wide as the text next to them.
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
  // Paths and addresses: folders differ between work trees; the name at the end identifies the subject.
  [/[^\s,;=|()[\]{}<>]+/g, lastName],
  [/\b0x[0-9a-f]+\b/g, to('#')],
  // Words of letters and digits: ids have no meaning and never recur, unlike `sha256` and `utf8`.
  [/[a-z0-9]+/g, withoutIds],
  // Numbers with their sign, groups, fraction and unit of time or size.
  [
    /(?<![\w)\]])-?\d+(?:[.,_]\d+)*(?:e[+-]?\d+)?(?: ?(?:ns|[uµ]s|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|[kmgt]i?b|bytes?|b)\b)?/g,
    to('#'),
  ],
  [/\d+/g, to('#')],
  // Any number of them in a row: `12:5` and `12`, `1m 2s` and `2s`.
  [/#(?:[\s.,:;/_+-]*#)+/g, to('#')],
  [/\s+/g, to(' ')],
];

/**
 * An error without the parts that differ from report to report: numbers, times, ids, folders, colours, quotes, case and
 * white space. Idempotent.
 */
function normaliseError(text: string): string {
  return settled(settled(text.slice(0, LONGEST_INPUT).toLowerCase()).slice(0, LONGEST));
}

/** A replacement may create text that an earlier rule matches. Since every rule only shortens, this ends. */
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

/** The last name of a path; a word that is no path stays. Entries of temporary folders have invented names. */
function lastName(word: string): string {
  if (!/[/\\]/.test(word)) return word;
  const names = word.split(/[/\\]+/).filter((name) => name !== '');
  return /^(?:tmp|temp|t)$/.test(names.at(-2) ?? '') ? '#' : (names.at(-1) ?? '');
}

/** Commit ids and other hexadecimal words, and words that mix letters and digits more than once: `a1b2c3`, `x7kq9z`. */
function withoutIds(word: string): string {
  const isHex = /^[0-9a-f]+$/.test(word) && /[a-f]/.test(word);
  const isHexId = isHex && (word.length >= 12 || (word.length >= 7 && /\d/.test(word)));
  return isHexId || (word.length >= 6 && /[a-z]\d+[a-z]+\d|\d[a-z]+\d+[a-z]/.test(word)) ? '#' : word;
}
