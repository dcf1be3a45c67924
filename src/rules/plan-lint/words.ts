/** Words that say nothing about the subject of a sentence. */
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

export const VERB = `(?:${VERBS.join('|').replaceAll(' ', '\\s+')})`;

const VERB_WORDS: ReadonlySet<string> = new Set(VERBS.flatMap((verb) => verb.split(' ')));

/** The topic of a text: its words in lower case and singular, without stop words. */
export function topicWords(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !STOP_WORDS.has(word)).map(singular));
}

/** The topic words without the verbs that tasks begin with: only the subject of the work. */
export function nounWords(text: string): ReadonlySet<string> {
  return new Set([...topicWords(text)].filter((word) => word.length > 2 && !VERB_WORDS.has(word)));
}

/** The share that two sets have in common: 0 to 1. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((word) => b.has(word)).length;
  const all = a.size + b.size - common;
  return all === 0 ? 0 : common / all;
}

/** A quotation long enough to identify the text. */
export function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return `"${line.length > 70 ? `${line.slice(0, 69).trimEnd()}…` : line}"`;
}

export function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

function singular(word: string): string {
  if (word.length < 4 || /(ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(ches|shes|xes|sses)$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

/** A layer of a program on which later layers depend. */
export interface Layer {
  readonly name: 'schema' | 'backend' | 'API' | 'front end' | 'integration';
  /** Lower is built first. */
  readonly rank: number;
}

/** Few and clear words, because a wrong guess costs more than a missed one. In a title, weaker words suffice. */
const LAYERS: readonly (Layer & { readonly told: RegExp; readonly toldInTitle: RegExp })[] = [
  {
    name: 'schema',
    rank: 0,
    toldInTitle: /\b(?:database|schema|migrations?|data model)\b/i,
    told: /\b(?:(?:database|db|sql|prisma|drizzle|data) (?:schema|model)|schema migration|migrations?|(?:database|db|sql) tables?|foreign key|(?:add|create)s? (?:a |the )?(?:\S+ ){0,2}(?:table|column)s?)\b/i,
  },
  {
    name: 'backend',
    rank: 1,
    toldInTitle: /\b(?:service|repository|server action|scheduler|worker)\b/i,
    told: /\b(?:back-?end|server-?side|service layer|repository layer|business logic|background job|worker queue|cron job)\b/i,
  },
  {
    name: 'API',
    rank: 2,
    toldInTitle: /\b(?:api|routes?)\b/i,
    told: /\b(?:(?:API|REST|HTTP|GraphQL|RPC|api|rest|http|graphql|rpc) (?:[Ee]ndpoints?|[Rr]outes?|[Hh]andlers?|API|api)|[Ee]ndpoints?|(?:GraphQL|graphql) (?:query|mutation)|(?:GET|POST|PUT|PATCH|DELETE) `?\/\S*)/,
  },
  {
    name: 'front end',
    rank: 3,
    toldInTitle: /\b(?:ui|page|screen|form|button|dialog|badge|card|menu|widget|chart|selector|tab|banner)s?\b/i,
    told: /\b(?:front-?end|react component|ui component|(?:settings|login|home|landing|detail|list|profile|admin|dashboard) (?:page|screen|view)|modal|dropdown|sidebar|navbar|(?:submit|save|delete|cancel|login) button|(?:page|screen|form|dialog|button|card|menu|view)s? (?:shows?|displays?|lists?|renders?|offers?|asks?|submits?|posts?|sends?|opens?|has an? \S+ (?:button|field|input|link))\b|tooltip|toast|verif(?:y|ied) in (?:the )?browser)\b/i,
  },
  {
    name: 'integration',
    rank: 4,
    toldInTitle: /\b(?:end-to-end|e2e)\b/i,
    told: /\b(?:end-to-end|e2e|integration) tests?\b|\bwire (?:everything|it all|all) (?:up|together)\b/i,
  },
];

/** The layers named by any of these sentences, the lowest first. */
export function layersOf(sentences: readonly string[]): readonly Layer[] {
  return LAYERS.filter(({ told }) => sentences.some((sentence) => told.test(sentence)));
}

/** The layer of a title, if it names exactly one. */
export function layerOf(title: string): Layer | null {
  const [layer, another] = LAYERS.filter(({ told, toldInTitle }) => told.test(title) || toldInTitle.test(title));
  return layer !== undefined && another === undefined ? layer : null;
}
