import { fullOutline } from './markdown-micromark.ts';
import { type Outline, type OutlineItem, quickOutline } from './markdown-outline.ts';

/** A story as it stands in a plan, before ids are given out. */
export interface PlanBlock {
  /** Start of the line with the check box. */
  readonly start: number;
  /** End of the block: the next story, heading or the end of the text. */
  readonly end: number;
  /** Offset of the character between the brackets. */
  readonly box: number;
  readonly checked: boolean;
  /** What follows the check box on its line. */
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
}

const HEADING_BOX = /^#{1,6}[ \t]+\[([ xX])\][ \t]+(?=\S)/;

/** Finds the stories of a plan: headings with check boxes if there are any, else the outermost check boxes of lists. */
export function readBlocks(text: string): PlanText {
  // The parsers know no byte order mark: it is cut off for them and added to every offset.
  const mark = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const body = mark ? text.slice(1) : text;
  const outline = quickOutline(body) ?? fullOutline(body);
  const headings = outline.headings.filter((heading) => HEADING_BOX.test(lineFrom(body, heading.offset)));
  const form = headings.length > 0 ? 'headings' : 'items';
  const found = form === 'headings' ? headingBlocks(body, outline) : itemBlocks(body, outline);
  const itemAt = new Map(outline.items.map((item) => [lineStart(body, item.offset), item]));
  const blocks = found.map(({ start, end, box }) => ({
    start: start + mark,
    end: end + mark,
    box: box + mark,
    checked: /[xX]/.test(body[box] ?? ''),
    titleLine: lineFrom(body, box + 2).trim(),
    lines: blockLines(body, start, end, itemAt),
  }));
  return { form, blocks };
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly box: number;
}

function headingBlocks(text: string, outline: Outline): Found[] {
  return outline.headings.flatMap((heading, index) => {
    const match = HEADING_BOX.exec(lineFrom(text, heading.offset));
    if (!match) return [];
    // Headings deeper than the story's own are parts of it.
    const next = outline.headings
      .slice(index + 1)
      .find((other) => other.level <= heading.level || isBoxed(text, other.offset));
    const box = heading.offset + match[0].lastIndexOf(']') - 1;
    return [{ start: lineStart(text, heading.offset), end: next ? lineStart(text, next.offset) : text.length, box }];
  });
}

function isBoxed(text: string, offset: number): boolean {
  return HEADING_BOX.test(lineFrom(text, offset));
}

function itemBlocks(text: string, outline: Outline): Found[] {
  const { items, headings } = outline;
  /** Whether an item or one that holds it has a box. Parents come before their children. */
  const inStory: boolean[] = [];
  const stories: OutlineItem[] = [];
  for (const item of items) {
    const nested = inStory[item.parent] ?? false;
    inStory.push(nested || item.box !== null);
    if (!nested && item.box !== null) stories.push(item);
  }
  let heading = 0;
  return stories.map((story, index) => {
    while ((headings[heading]?.offset ?? text.length) < story.offset) heading += 1;
    const next = stories[index + 1]?.offset ?? text.length;
    const end = Math.min(next, headings[heading]?.offset ?? text.length);
    return {
      start: lineStart(text, story.offset),
      end: end === text.length ? end : lineStart(text, end),
      box: story.box ?? 0,
    };
  });
}

function blockLines(text: string, start: number, end: number, itemAt: ReadonlyMap<number, OutlineItem>): BlockLine[] {
  const lines: BlockLine[] = [];
  let at = text.indexOf('\n', start) + 1;
  while (at > 0 && at < end) {
    const line = lineFrom(text, at);
    const item = itemAt.get(at);
    lines.push({ text: line, item: item ? itemText(text, item) : null });
    const feed = text.indexOf('\n', at);
    at = feed === -1 ? 0 : feed + 1;
  }
  return lines;
}

function itemText(text: string, item: OutlineItem): string {
  if (item.box !== null) return lineFrom(text, item.box + 2).trim();
  return lineFrom(text, item.offset)
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
