import {
  type Box,
  headingBox,
  isCalledOff,
  isTicked,
  itemBox,
  usualBox,
  withBulletsForBoxes,
  withUsualBullets,
} from './markdown-boxes.ts';
import { fullOutline } from './markdown-micromark.ts';
import { type Outline, type OutlineHeading, quickOutline } from './markdown-outline.ts';

/** A story as it stands in a plan, before ids are given out. */
export interface PlanBlock {
  /** Start of the line with the check box. */
  readonly start: number;
  /** End of the block: the next story, heading or the end of the text. */
  readonly end: number;
  readonly box: Box;
  readonly checked: boolean;
  /** Whether the mark in the box, `[-]`, says that nobody is to do it. */
  readonly calledOff: boolean;
  /** Its line without list marker and check box. */
  readonly titleLine: string;
  /** Lines of the block after the first. */
  readonly lines: readonly BlockLine[];
}

export interface BlockLine {
  readonly text: string;
  /** The text of the list item that starts on this line, without its check box; null for other lines. */
  readonly item: string | null;
}

/** A plan taken apart; all offsets count from the start of the file, a byte order mark included. */
export interface PlanText {
  /** Whether stories are headings with a check box, `### [ ] US-001: Title`; lists then are criteria. */
  readonly form: 'headings' | 'items';
  readonly blocks: readonly PlanBlock[];
  /** All headings outside lists. */
  readonly headings: readonly OutlineHeading[];
}

/**
 * Finds the stories of a plan: headings with check boxes if there are any, else the outermost check boxes of lists,
 * else lines that begin with one.
 */
export function readBlocks(text: string): PlanText {
  // The parsers know no byte order mark: it is cut off for them and added to every offset.
  const mark = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const body = mark ? text.slice(1) : text;
  const usual = withUsualBullets(body);
  const read = readOutline(body, usual, mark);
  if (read.blocks.length > 0) return read;
  const bare = withBulletsForBoxes(usual);
  return bare === usual ? read : readOutline(body, bare, mark);
}

/** @param parsed the text as the parsers are to see it, each character in its place */
function readOutline(body: string, parsed: string, mark: number): PlanText {
  const outline = quickOutline(parsed) ?? fullOutline(parsed);
  const boxed = outline.headings.map(({ offset }) => headingBox(body, offset));
  const form = boxed.some((box) => box !== null) ? 'headings' : 'items';
  const found = form === 'headings' ? headingBlocks(body, outline, boxed) : itemBlocks(body, outline);
  const itemAt = new Map(outline.items.map((item) => [lineStart(body, item.offset), item.offset]));
  const blocks = found.map(({ start, end, box }) => {
    const sign = body.slice(box.start, box.end);
    return {
      start: start + mark,
      end: end + mark,
      box: mark === 0 ? box : moved(box, mark),
      checked: isTicked(sign),
      calledOff: isCalledOff(sign),
      titleLine: (box.lead + body.slice(box.titleStart, box.titleEnd)).trim(),
      lines: blockLines(body, start, end, itemAt),
    };
  });
  const headings = outline.headings.map(({ offset, level }) => ({ offset: offset + mark, level }));
  return { form, blocks, headings };
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
    // Headings deeper than the story's own are parts of it.
    while (next < headings.length && (headings[next]?.level ?? 0) > heading.level && !boxed[next]) next += 1;
    const end = headings[next]?.offset;
    return [
      { start: lineStart(text, heading.offset), end: end === undefined ? text.length : lineStart(text, end), box },
    ];
  });
}

function itemBlocks(text: string, outline: Outline): Found[] {
  const { items, headings } = outline;
  /** Whether an item or one that holds it has a box. Parents come before their children. */
  const inStory: boolean[] = [];
  const stories: { offset: number; box: Box }[] = [];
  for (const { parent, offset, box } of items) {
    const nested = inStory[parent] ?? false;
    const own = nested ? null : box === null ? unusualBox(text, offset) : usualBox(text, box);
    inStory.push(nested || own !== null);
    if (own) stories.push({ offset, box: own });
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

/** The box of an item in which the parsers saw none; what is quoted is told about, not planned. */
function unusualBox(text: string, offset: number): Box | null {
  const box = itemBox(text, offset);
  return box === null || /^\s*>/.test(text.slice(lineStart(text, offset), offset)) ? null : box;
}

function blockLines(text: string, start: number, end: number, itemAt: ReadonlyMap<number, number>): BlockLine[] {
  const lines: BlockLine[] = [];
  let at = text.indexOf('\n', start) + 1;
  while (at > 0 && at < end) {
    const line = lineFrom(text, at);
    const item = itemAt.get(at);
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

/** From an offset to the end of its line, without the line break. */
function lineFrom(text: string, offset: number): string {
  const feed = text.indexOf('\n', offset);
  const line = text.slice(offset, feed === -1 ? text.length : feed);
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
