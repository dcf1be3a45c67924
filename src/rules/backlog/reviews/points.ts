import { withoutLabel } from './fingerprint.ts';

const ITEM = /^(?:[-*+•]|\(?\d{1,3}[.)]|\(?[a-z]\)|\[\d{1,3}\])[ \t]+(?=\S)/iu;
/** `Finding 2: …` begins a point as the mark of a list does, and belongs to it. */
const NUMBERED =
  /^(?:\*\*)?(?:finding|issue|problem|point|criterion|AC|bug)\s*#?\d{1,2}\s*(?:\([^)\n]*\)\s*)?(?:\*\*)?[:.)–—-]/iu;
const BOX = /^\[( |x|X|✓)?\][ \t]+/u;
const ROW = /^\s*\|(.*)\|\s*$/u;
const RULE = /^\s*\|?[\s|:-]*-{3}[\s|:-]*$/u;
const INLINE_MARK = /(?:^|(?<=\s))\(?(?:(\d{1,2})[.)]|([a-z])\))(?=\s)/gu;

/**
 * The points of a review, in its own words: items of lists, rows of tables, else paragraphs. Headings, what leads to a
 * list, ticked boxes and general words ("looks bad") are none; general words are all there is where nothing else is said.
 */
export function pointsOf(feedback: string): readonly string[] {
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

interface Block {
  readonly isItem: boolean;
  /** A box that is ticked: said to be done. */
  readonly isTicked: boolean;
  readonly text: string;
}

/** List items, rows of tables and paragraphs in order. Code between fences stays with what it follows. */
function blocksOf(text: string): readonly Block[] {
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

/** The cells of a row as they stand there, without a first one that only counts; null when it is no row. */
function rowText(line: string): string | null {
  const cells = ROW.exec(line)?.[1];
  return cells === undefined ? null : cells.replace(/^\s*#?\d{0,3}\s*\|/u, '').trim();
}

function isHeading(text: string): boolean {
  return /^#{1,6}\s[^\n]*$/.test(text) || /^\*\*[^*\n]+\*\*:?$/.test(text);
}

/** `Two problems:` and `I found the following issues.` announce findings, they are none. */
export function isLeadIn(text: string): boolean {
  return /:$/.test(text) || (!text.includes('\n') && /\b(?:following|below)\b/i.test(text)) || isHeading(text);
}

/** Whether there is no word in a text but the marks of a list, or only general ones. */
export function isPointless(text: string): boolean {
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

/** Whether every sentence of a text says only how the reviewer likes it, or what is to be done with the rest. */
function isGeneral(text: string): boolean {
  if (text.includes('`') || text.includes('\n')) return false;
  const sentences = withoutLabel(text.replace(/[*_]{2}/g, ''))
    .split(/(?<=[.!])\s+/)
    .map((sentence) => sentence.replace(/(?<![.!:\s])[.!:\s]+$/u, '').trim())
    .filter((sentence) => sentence !== '');
  return sentences.length > 0 && sentences.every((sentence) => GENERAL.some((words) => words.test(sentence)));
}

/** `1) rename it; 2) test it` in one line: status blocks have no other way to say a list. */
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

/** `b)` is the second, as `2.` is. */
function placeOf([, number, letter]: RegExpMatchArray): number {
  return number === undefined ? (letter ?? '').charCodeAt(0) - 96 : Number(number);
}
