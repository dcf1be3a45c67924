import {
  type Box,
  endOfLine,
  headingBox,
  isCalledOff,
  isTicked,
  itemBox,
  lineFrom,
  usualBox,
  withBulletsForBoxes,
  withUsualBullets,
} from './markdown-boxes.ts';
import { headingMarks, itemMarks, rowMarks } from './markdown-marks.ts';
import { fullOutline, type Outline, type OutlineHeading, quickOutline } from './markdown-outline.ts';
import { isState, standingOf } from './standing.ts';

/** A story in a plan, before ids are assigned. */
export interface PlanBlock {
  readonly start: number;
  /** End of the block: the next story, heading or the end of the text. */
  readonly end: number;
  readonly box: Box;
  readonly checked: boolean;
  /** Whether the mark in the box, `[-]`, says that the story was called off. */
  readonly calledOff: boolean;
  /** Its line without list marker and check box. */
  readonly titleLine: string;
  readonly lines: readonly BlockLine[];
}

export interface BlockLine {
  readonly text: string;
  /** The text of the list item that starts on this line, without its check box; null for other lines. */
  readonly item: string | null;
}

export interface PlanText {
  /** Whether stories are headings, `### [ ] US-001: Title` (lists then are criteria), list items, or rows of a table. */
  readonly form: 'headings' | 'items' | 'rows';
  /** Whether their marks are check boxes; else words and signs that say how far a story is. */
  readonly isBoxed: boolean;
  /** How many boxes only explain the marks. */
  readonly legend: number;
  readonly blocks: readonly PlanBlock[];
  readonly headings: readonly OutlineHeading[];
}

/**
 * The stories of a plan: headings with check boxes, else the outermost boxes of lists, else lines that begin with one,
 * else what tells by other marks how far it is.
 */
export function readBlocks(text: string): PlanText {
  // The parsers do not know byte order marks: it is cut off for them and added to every offset.
  const mark = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const body = mark ? text.slice(1) : text;
  const usual = withUsualBullets(body);
  const read = readOutline(body, usual, mark);
  if (read.blocks.length > 0) return read;
  const bare = withBulletsForBoxes(usual);
  return bare === usual ? readMarks(body, usual, mark) : readOutline(body, bare, mark);
}

function readMarks(body: string, parsed: string, mark: number): PlanText {
  const outline = quickOutline(parsed) ?? fullOutline(parsed);
  const headings = headingBlocks(body, outline, headingMarks(body, outline));
  if (headings.length > 0) return planOf(body, outline, 'headings', headings, mark, false);
  const rows = rowMarks(body).map((box) => ({
    start: lineStart(body, box.titleStart),
    end: endOfLine(body, box.titleEnd),
    box,
  }));
  if (rows.length > 0) return planOf(body, outline, 'rows', rows, mark, false);
  const marks = itemMarks(body, outline);
  return planOf(
    body,
    outline,
    'items',
    itemBlocks(body, outline, (_item, at) => marks[at] ?? null),
    mark,
    false,
  );
}

/** @param parsed the text for the parsers, with every character in its original place */
function readOutline(body: string, parsed: string, mark: number): PlanText {
  const outline = quickOutline(parsed) ?? fullOutline(parsed);
  const boxed = outline.headings.map(({ offset }) => headingBox(body, offset));
  const form = boxed.some((box) => box !== null) ? 'headings' : 'items';
  const found =
    form === 'headings'
      ? headingBlocks(body, outline, boxed)
      : itemBlocks(body, outline, ({ box, offset }) => (box === null ? unusualBox(body, offset) : usualBox(body, box)));
  return planOf(body, outline, form, found, mark, true);
}

function planOf(
  body: string,
  outline: Outline,
  form: PlanText['form'],
  all: readonly Found[],
  mark: number,
  isBoxed: boolean,
): PlanText {
  const found = withoutLegend(body, all);
  const itemAt = new Map(outline.items.map((item) => [lineStart(body, item.offset), item.offset]));
  const blocks = found.map(({ start, end, box }) => {
    const sign = body.slice(box.start, box.end);
    const standing = isBoxed ? null : standingOf(sign);
    return {
      start: start + mark,
      end: end + mark,
      box: mark === 0 ? box : moved(box, mark),
      checked: standing === null ? isTicked(sign) : standing === 'done',
      calledOff: standing === null ? isCalledOff(sign) : standing === 'off',
      titleLine: (box.lead + body.slice(box.titleStart, box.titleEnd)).trim(),
      lines: blockLines(body, start, end, itemAt, box.start),
    };
  });
  const headings = outline.headings.map(({ offset, level }) => ({ offset: offset + mark, level }));
  return { form, isBoxed, legend: all.length - found.length, blocks, headings };
}

/** Without boxes that explain the marks: two or more in a row, each named after a state. */
function withoutLegend(text: string, all: readonly Found[]): readonly Found[] {
  const isName = all.map(({ box }) => {
    const [title = ''] = text.slice(box.titleStart, box.titleEnd).split(/[:=(\u2013\u2014]|\s-\s/);
    return isState(title, true);
  });
  return all.filter((_each, at) => !isName[at] || !(isName[at - 1] || isName[at + 1]));
}

function moved({ start, end, titleStart, titleEnd, lead }: Box, by: number): Box {
  return { start: start + by, end: end + by, titleStart: titleStart + by, titleEnd: titleEnd + by, lead };
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly box: Box;
}

function headingBlocks(text: string, { headings }: Outline, boxed: readonly (Box | null)[]): Found[] {
  return headings.flatMap((heading, index) => {
    const box = boxed[index];
    if (!box) return [];
    let next = index + 1;
    // Headings deeper than the story's own belong to it.
    while (next < headings.length && (headings[next]?.level ?? 0) > heading.level && !boxed[next]) next += 1;
    const end = headings[next]?.offset;
    return [
      { start: lineStart(text, heading.offset), end: end === undefined ? text.length : lineStart(text, end), box },
    ];
  });
}

function itemBlocks(
  text: string,
  outline: Outline,
  boxOf: (item: Outline['items'][number], at: number) => Box | null,
): Found[] {
  const { items, headings } = outline;
  /** Whether an item or one of its parents has a box. Parents come before their children. */
  const inStory: boolean[] = [];
  const stories: { offset: number; box: Box }[] = [];
  for (const [at, item] of items.entries()) {
    const nested = inStory[item.parent] ?? false;
    const own = nested ? null : boxOf(item, at);
    inStory.push(nested || own !== null);
    if (own) stories.push({ offset: item.offset, box: own });
  }
  let heading = 0;
  return stories.map((story, index) => {
    while ((headings[heading]?.offset ?? text.length) < story.offset) heading += 1;
    const next = stories[index + 1]?.offset ?? text.length;
    const end = Math.min(next, headings[heading]?.offset ?? text.length);
    return {
      start: lineStart(text, story.offset),
      end: end === text.length ? end : lineStart(text, end),
      box: story.box,
    };
  });
}

/** The box of an item in which the parsers saw none; quoted text is not part of the plan. */
function unusualBox(text: string, offset: number): Box | null {
  const box = itemBox(text, offset);
  return box === null || /^\s*>/.test(text.slice(lineStart(text, offset), offset)) ? null : box;
}

/** The lines below the first one, without the one that has the mark. */
function blockLines(
  text: string,
  start: number,
  end: number,
  itemAt: ReadonlyMap<number, number>,
  mark: number,
): BlockLine[] {
  const lines: BlockLine[] = [];
  const marked = lineStart(text, mark);
  let at = text.indexOf('\n', start) + 1;
  while (at > 0 && at < end) {
    const line = lineFrom(text, at);
    const item = itemAt.get(at);
    if (at !== marked)
      lines.push({ text: line, item: item === undefined || /^\s*>/.test(line) ? null : itemText(text, item) });
    const feed = text.indexOf('\n', at);
    at = feed === -1 ? 0 : feed + 1;
  }
  return lines;
}

function itemText(text: string, offset: number): string {
  const box = itemBox(text, offset);
  if (box) return (box.lead + text.slice(box.titleStart, box.titleEnd)).trim();
  return lineFrom(text, offset)
    .replace(/^(?:[-*+]|\d+[.)])[ \t]*/, '')
    .trim();
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}
