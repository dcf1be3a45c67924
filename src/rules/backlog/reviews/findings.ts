import type { ReviewFinding, SaidFinding } from '../../../contracts/index.ts';

/** If a review has more points than this, they become one: a longer list is not readable. */
const MOST_FINDINGS = 50;
/** Share of a criterion's words that a claim must contain to be about it. */
const ABOUT_CRITERION = 0.6;

/** The points of a review written as one text: items of lists, else paragraphs. */
export function findingsIn(feedback: string, criteria: readonly string[]): readonly SaidFinding[] {
  const points = pointsOf(feedback);
  const kept =
    points.length <= MOST_FINDINGS
      ? points
      : [...points.slice(0, MOST_FINDINGS - 1), points.slice(MOST_FINDINGS - 1).join('\n')];
  return kept.map((claim) => ({ file: fileIn(claim), criterion: criterionOf(claim, criteria), claim }));
}

/** Removes list marks, ticked boxes and table frames, whose text was a finding or is not one. */
function withoutMarks(text: string): string {
  const lines = text.split('\n');
  const isFrame = (line = '') => /^\s*\|?[\s|:-]*-{3}[\s|:-]*$/.test(line);
  const left = lines.filter(
    (line, index) =>
      line === '' ||
      !(
        /^\s*(?:[-*+•]|\(?(?:\d+|[a-z])[.)])?(?:\s*\[ ?\])?\s*$/iu.test(line) ||
        /^\s*[-*+]\s+\[[xX✓]\]/.test(line) ||
        isFrame(line) ||
        isFrame(lines[index + 1]) ||
        /^\s*\|(?:[\s|]|\d+(?=\s*\|))*$/.test(line)
      ),
  );
  return left.join('\n').trim();
}

/** The feedback text without these findings, e.g. the output of failing checks; empty when nothing is left. */
export function restOf(feedback: string, findings: readonly Pick<ReviewFinding, 'claim'>[]): string {
  // Longest first: one claim may be the start of another.
  const claims = findings.map(({ claim }) => claim).sort((a, b) => b.length - a.length);
  const rest = claims.reduce((text, claim) => text.replace(claim, ''), feedback).replace(FOUND_BY, '');
  const left = withoutMarks(rest);
  return isLeadIn(left) || isPointless(left) ? '' : left;
}

/** What a panel's feedback adds to a claim. */
const FOUND_BY = / \(found by [\w, -]+\)$/gm;

/** Names have at most 100 characters: otherwise a row of brackets would be scanned from each of them to its end. */
const FILE =
  /(?<![\w:/.@-])((?:[\w@.()[\]-]{1,100}\/){0,30}[\w@.()[\]-]{0,100}[\w)\]]\.[A-Za-z][A-Za-z0-9]{0,9})(?::(\d+))?(?![\w/])/g;

/** The file a claim is about: the first path with a folder, a line, or in backticks. */
function fileIn(claim: string): string | null {
  const found = [...claim.matchAll(FILE)].find(
    ({ 0: whole, 1: path = '', 2: line, index }) =>
      path.includes('/') || line !== undefined || (claim[index - 1] === '`' && claim[index + whole.length] === '`'),
  );
  return found?.[1]?.replace(/^\.\//, '') ?? null;
}

/** The criterion that a claim names by number or quotes, or whose words it contains. */
function criterionOf(claim: string, criteria: readonly string[]): string | null {
  const number = /\b(?:criterion|criteria|AC)\s*#?(\d{1,2})\b/i.exec(claim)?.[1];
  if (number !== undefined) return criteria[Number(number) - 1] ?? null;
  const quoted = quotedIn(claim, criteria);
  if (quoted !== null) return quoted;
  const said = wordsOf(claim);
  const scored = criteria.map((criterion) => {
    const words = [...wordsOf(criterion)];
    const common = words.filter((word) => said.has(word)).length;
    return { criterion, share: common < 2 ? 0 : common / words.length };
  });
  const best = scored.reduce<(typeof scored)[number] | null>(
    (top, one) => (one.share > (top?.share ?? 0) ? one : top),
    null,
  );
  return best !== null && best.share >= ABOUT_CRITERION ? best.criterion : null;
}

/** The criterion that the claim contains word for word, else the only one that contains a quotation from the claim. */
function quotedIn(claim: string, criteria: readonly string[]): string | null {
  const holds = (text: string, part: string) => part !== '' && ` ${normal(text)} `.includes(` ${normal(part)} `);
  const whole = criteria.filter((criterion) => normal(criterion).includes(' ') && holds(claim, criterion));
  const longest = whole.sort((a, b) => b.length - a.length)[0];
  if (longest !== undefined) return longest;
  for (const [, text = ''] of claim.matchAll(/["“”«»]([^"“”«»]{4,})["“”«»]/gu)) {
    const [one, ...others] = criteria.filter((criterion) => holds(criterion, text));
    if (one !== undefined && others.length === 0) return one;
  }
  return null;
}

const ITEM = /^(?:[-*+•]|\(?\d{1,3}[.)]|\(?[a-z]\)|\[\d{1,3}\])[ \t]+(?=\S)/iu;
/** `Finding 2: …` begins a point, like a list mark, and is not part of its text. */
const NUMBERED =
  /^(?:\*\*)?(?:finding|issue|problem|point|criterion|AC|bug)\s*#?\d{1,2}\s*(?:\([^)\n]*\)\s*)?(?:\*\*)?[:.)–—-]/iu;
const BOX = /^\[( |x|X|✓)?\][ \t]+/u;
const ROW = /^\s*\|(.*)\|\s*$/u;
const RULE = /^\s*\|?[\s|:-]*-{3}[\s|:-]*$/u;
const INLINE_MARK = /(?:^|(?<=\s))\(?(?:(\d{1,2})[.)]|([a-z])\))(?=\s)/gu;

/**
 * Items of lists, rows of tables, else paragraphs. Headings, introductions and ticked boxes are no points; general words
 * ("looks bad") are points only when there is nothing else.
 */
function pointsOf(feedback: string): readonly string[] {
  const text = feedback.replaceAll('\r\n', '\n').trim();
  if (text === '') return [];
  const inLine = text.includes('\n') ? [] : inlineItems(text);
  if (inLine.length > 1) return inLine;
  const blocks = blocksOf(text).filter(({ isTicked }) => !isTicked);
  const hasItems = blocks.some(({ isItem }) => isItem);
  const firstItem = blocks.findIndex(({ isItem }) => isItem);
  const points = blocks.filter(
    ({ isItem, text: said }, index) =>
      isItem || !(isHeading(said) || (hasItems && index < firstItem && isLeadIn(said))),
  );
  const telling = points.filter((point) => !isGeneral(point.text));
  const kept = telling.length > 0 ? telling : points.length > 0 ? points : blocks;
  const said = kept.flatMap(({ isItem, text: point }) => (isItem ? [point] : inlineItems(point)));
  return said.filter((point) => point !== '');
}

/** List items, rows of tables and paragraphs in order. Fenced code belongs to the block before it. */
function blocksOf(
  text: string,
): readonly { readonly isItem: boolean; readonly isTicked: boolean; readonly text: string }[] {
  const blocks: { isItem: boolean; isTicked: boolean; lines: string[] }[] = [];
  let isFenced = false;
  let isAfterGap = false;
  const all = text.split('\n');
  for (const [index, line] of all.entries()) {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    const last = blocks.at(-1);
    if (!isFenced && RULE.test(line) && line.includes('|')) continue;
    const row = isFenced ? null : rowText(line);
    if (row !== null) {
      // The line above the rule names the columns.
      if (!RULE.test(all[index + 1] ?? '')) blocks.push({ isItem: true, isTicked: false, lines: [row] });
      isAfterGap = true;
      continue;
    }
    const mark = isFenced ? null : (ITEM.exec(line)?.[0] ?? (NUMBERED.test(line) ? '' : null));
    const isInside = isFenced || isFence || /^[ \t]/.test(line);
    if (mark !== null) blocks.push(itemOf(line.slice(mark.length)));
    else if (line.trim() === '' && !isFenced) isAfterGap = true;
    else if (last && (isInside || !isAfterGap)) last.lines.push(...(isAfterGap ? ['', line] : [line]));
    else blocks.push({ isItem: false, isTicked: false, lines: [line] });
    if (isFence) isFenced = !isFenced;
    if (line.trim() !== '') isAfterGap = false;
  }
  return blocks.map(({ lines, ...block }) => ({ ...block, text: lines.join('\n').trim() }));
}

function itemOf(text: string): { isItem: boolean; isTicked: boolean; lines: string[] } {
  const box = BOX.exec(text);
  const isTicked = box !== null && (box[1] ?? ' ') !== ' ';
  return { isItem: true, isTicked, lines: [text.slice(box?.[0].length ?? 0)] };
}

/** The cells of a row, without a leading cell that only counts; null when the line is not a row. */
function rowText(line: string): string | null {
  const cells = ROW.exec(line)?.[1];
  return cells === undefined ? null : cells.replace(/^\s*#?\d{0,3}\s*\|/u, '').trim();
}

function isHeading(text: string): boolean {
  return /^#{1,6}\s[^\n]*$/.test(text) || /^\*\*[^*\n]+\*\*:?$/.test(text);
}

/** `Two problems:` and `I found the following issues.` announce findings and are not findings themselves. */
function isLeadIn(text: string): boolean {
  return /:$/.test(text) || (!text.includes('\n') && /\b(?:following|below)\b/i.test(text)) || isHeading(text);
}

/** Whether a text has no words besides list marks, or only general ones. */
function isPointless(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(text.replace(INLINE_MARK, ' ')) || text.split(/\n+/).every(isGeneral);
}

const THINGS = '(?:problems?|issues?|findings?|points?|things?|concerns?|bugs?|items?|comments?|remarks?)';
const COUNT = '(?:\\d+|one|two|three|four|five|six|several|some|a few|a couple of|many|multiple)';
const IT =
  '(?:(?:this|it|that|the (?:code|work|story|implementation|change|diff|rest|solution)|everything else|overall) )';
const GENERAL: readonly RegExp[] = [
  /^(?:overall|in summary|summary|to sum up|in short|in conclusion|conclusion|verdict|all in all|tl;?dr)\b/iu,
  new RegExp(
    `^(?:please )?(?:fix|address|mend|correct|resolve|handle|change|rework|repair) (?:(?:both|all|these|those|them|this|it|everything|each|the above|the)\\b ?)+(?:(?:of )?(?:them|these|those|above|${THINGS}) ?)*(?:please|first|before (?:the next|another|i)\\b.*)?$`,
    'iu',
  ),
  new RegExp(
    `^${IT}?(?:still )?(?:looks?|is|seems?|are) (?:(?:really|very|quite|still|mostly|not|otherwise|yet|all) )*(?:bad|good|wrong|incomplete|fine|poor|ok|okay|great|nice|ready|done|finished|acceptable|good enough|unfinished)(?: yet| enough| so far| to me)*$`,
    'iu',
  ),
  new RegExp(`^${IT}?needs? (?:some |more |a lot of )*(?:work|rework|changes|improvement)$`, 'iu'),
  /^(?:not (?:ready|good|good enough|done|finished|acceptable)(?: yet)?|rework(?: needed)?|changes? (?:requested|needed|required)|(?:i )?request(?:ing)? changes|see above|thanks|thank you|(?:nice|good|great) (?:work|job|start)(?: so far)?)$/iu,
  new RegExp(
    `^(?:(?:i|we) (?:have )?(?:found|see|saw) |there (?:are|is) |found )?(?:still )?${COUNT} (?:\\w+ )?${THINGS}(?: (?:found|remain|left|to (?:fix|address|mend)))?$`,
    'iu',
  ),
];

/** Whether every sentence only gives the reviewer's general opinion, or says what to do with the other points. */
function isGeneral(text: string): boolean {
  if (text.includes('`') || text.includes('\n')) return false;
  const sentences = withoutLabel(text.replace(/[*_]{2}/g, ''))
    .split(/(?<=[.!])\s+/)
    .map((sentence) => sentence.replace(/(?<![.!:\s])[.!:\s]+$/u, '').trim())
    .filter((sentence) => sentence !== '');
  return sentences.length > 0 && sentences.every((sentence) => GENERAL.some((words) => words.test(sentence)));
}

/** `1) rename it; 2) test it` in one line: status blocks have no other way to write a list. */
function inlineItems(text: string): readonly string[] {
  const marks = [...text.matchAll(INLINE_MARK)];
  const isCounted = marks.length > 1 && marks.every((mark, index) => placeOf(mark) === index + 1);
  if (!isCounted || marks[0] === undefined) return [text];
  const before = text.slice(0, marks[0].index).trim();
  const items = marks.map((mark, index) => text.slice(mark.index + mark[0].length, marks[index + 1]?.index));
  return [
    ...(before === '' || isLeadIn(before) || isGeneral(before) ? [] : [before]),
    ...items.map((item) => item.trim().replace(/[;,]$/, '')),
  ];
}

/** `b)` is the second item, like `2.`. */
function placeOf([, number, letter]: RegExpMatchArray): number {
  return number === undefined ? (letter ?? '').charCodeAt(0) - 96 : Number(number);
}

/** Share of common words above which two claims about one file are the same finding. */
const SAME_WORDS = 0.75;
/** Shorter claims are the same only when they are equal: one word more or less changes their meaning. */
const FEWEST_WORDS = 4;

/** A fingerprint of file, criterion and claim. Case, punctuation, line numbers and the file's name do not matter. */
export function findingId({ file, criterion, claim }: SaidFinding): string {
  const parts = [file ?? '', normal(criterion ?? ''), normalClaim(claim, file)];
  return `F-${hash(parts.join('\n')).toString(16).padStart(8, '0')}`;
}

/**
 * Whether two findings have the same meaning in different words. Cautious rather than clever: the file must be the
 * same, and so must everything that can reverse a claim (numbers, names in the code, negations).
 */
export function isSameFinding(a: SaidFinding, b: SaidFinding): boolean {
  if (a.file !== b.file) return false;
  const [one, other] = [normalClaim(a.claim, a.file), normalClaim(b.claim, b.file)];
  if (one === other) return true;
  if (meaningOf(withoutLabel(a.claim), one) !== meaningOf(withoutLabel(b.claim), other)) return false;
  const [left, right] = [wordsOf(one), wordsOf(other)];
  if (left.size < FEWEST_WORDS || right.size < FEWEST_WORDS) return false;
  const common = [...left].filter((word) => right.has(word)).length;
  return common / (left.size + right.size - common) >= SAME_WORDS;
}

/** The meaningful words of a text: without articles and similar words, in the singular. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = normal(text)
    .split(' ')
    .filter((word) => word !== '' && !EMPTY_WORDS.has(word));
  return new Set(words.map((word) => (word.length > 3 ? word.replace(/s$/, '') : word)));
}

const EMPTY_WORDS: ReadonlySet<string> = new Set(
  'a an the is are was were be been to of in on at for and or it its this that these those there with as by so still again also'.split(
    ' ',
  ),
);

function normalClaim(claim: string, file: string | null): string {
  const bare = withoutLabel(claim);
  const without = file === null ? bare : bare.replaceAll(file, ' ');
  return normal(
    without
      .replace(/\b(?:lines?|ln)\s*\d+(?:\s*(?:-|–|to|and)\s*\d+)?/giu, ' ')
      .replace(/[:#]L?\d+(?:[-:]L?\d+)*/gu, ' '),
  );
}

const LABEL = new RegExp(
  `^[\\s*_[(]*(?:${[
    '(?:finding|issue|problem|point|criterion|criteria|AC|bug)\\s*#?\\d{1,2}',
    '(?:still |again )?(?:not (?:yet )?|un)(?:fixed|resolved|addressed|mended|done)(?: yet)?',
    'still (?:open|there|present|broken|failing|wrong|missing|an issue)',
    'open|again|unchanged|remaining|remains|repeated|as before|from the last review|new',
    'critical|blocker|major|minor|severe|high|medium|low|nit|must[- ]fix|p[0-4]|error|warning|moderate|note|suggestion|bug',
  ].join('|')})[\\s*_\\])]*(?:\\([^)\\n]*\\)[\\s*_]*)?[:–—-][\\s*_]*`,
  'iu',
);

/** A claim without its label: `Finding 1:`, `Not fixed:`, `**Major**:`. The finding is the same under any label. */
export function withoutLabel(claim: string): string {
  let bare = claim;
  for (let label = LABEL.exec(bare); label !== null && label[0].length < bare.length; label = LABEL.exec(bare))
    bare = bare.slice(label[0].length);
  return bare;
}

/** Words in lower case with one space between them: no punctuation or layout. */
function normal(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The parts that can reverse a claim: its numbers in order, names as written in code, and negation. */
function meaningOf(claim: string, normalised: string): string {
  const numbers = normalised.match(/(?<!\p{L})\d+/gu) ?? [];
  const names = claim.match(/`[^`]+`|\b[a-z]+[A-Z]\w*|\b\w+_\w+/g) ?? [];
  const denies = /\b(?:not|no|never|none|nothing|without|cannot|missing)\b|n['’]t\b/i.test(claim);
  return JSON.stringify([numbers, names.map((name) => name.replaceAll('`', '')), denies]);
}

/** FNV-1a, 32 bits. Not for secrets: it only keeps the findings of one story apart. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
