/** Words that say nothing about what a sentence is about. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been by can do does each every for from had has have if in into is it its may must new no not ' +
    'of on or our own per should so such than that the their them then there these this to up use user users using via ' +
    'want was we when where which will with without would you your'
  ).split(' '),
);

/** Verbs that begin a task: "Add …", "Implement …". */
const VERBS = [
  ...['add', 'allow', 'build', 'change', 'configure', 'connect', 'convert', 'create', 'define', 'delete', 'deploy'],
  ...['design', 'develop', 'enable', 'extend', 'extract', 'fix', 'generate', 'handle', 'implement', 'improve'],
  ...['integrate', 'introduce', 'make', 'migrate', 'move', 'optimise', 'optimize', 'port', 'provide', 'refactor'],
  ...['remove', 'rename', 'replace', 'rewrite', 'set up', 'setup', 'show', 'split', 'support', 'update', 'upgrade'],
  ...['wire', 'wrap', 'write'],
];

/** Matches one of them, as the source of a regular expression. */
export const VERB = `(?:${VERBS.join('|').replaceAll(' ', '\\s+')})`;

const VERB_WORDS: ReadonlySet<string> = new Set(VERBS.flatMap((verb) => verb.split(' ')));

/** What a text is about: its words in lower case and singular, without those that say nothing. */
export function topicWords(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !STOP_WORDS.has(word)).map(singular));
}

/** The same without the verbs that tasks begin with: only what is worked on. */
export function nounWords(text: string): ReadonlySet<string> {
  return new Set([...topicWords(text)].filter((word) => word.length > 2 && !VERB_WORDS.has(word)));
}

/** How much of two sets is common to both: 0 to 1. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((word) => b.has(word)).length;
  const all = a.size + b.size - common;
  return all === 0 ? 0 : common / all;
}

/** Enough of a text to recognise it by. */
export function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return `"${line.length > 70 ? `${line.slice(0, 69).trimEnd()}…` : line}"`;
}

/** Number of words as people count them. */
export function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

function singular(word: string): string {
  if (word.length < 4 || /(ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(ches|shes|xes|sses)$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
}
