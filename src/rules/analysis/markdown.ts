interface Place {
  fence: Fence | null;
  inStatus: boolean;
  inQuote: boolean;
  /** No paragraph is open that an indented line would continue. */
  codeMayBegin: boolean;
  /** Column where the text of the current list item starts; null outside lists. */
  itemColumn: number | null;
}

/**
 * The lines of a Markdown text outside status blocks, fenced or indented code, and block quotes. Lines inside them
 * become empty, so that the text around them stays apart. Tabs count as four columns.
 */
export function ownLines(text: string): readonly string[] {
  const place: Place = { fence: null, inStatus: false, inQuote: false, codeMayBegin: true, itemColumn: null };
  return text.split(/\r\n|[\r\n]/).map((line) => (isOwn(line.replaceAll('\t', '    '), place) ? line : ''));
}

/** `- ` or `2. ` at the start of a line. */
export const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?: +|$)/;

export const HEADING = /^#{1,6} /;
const RULE = /^[-*_]{3,}$/;

function isOwn(line: string, place: Place): boolean {
  const trimmed = line.trim();
  if (place.fence !== null) {
    place.fence = afterLine(place.fence, trimmed);
    return false;
  }
  if (place.inStatus || beginsBlock(trimmed)) {
    // A block without an end is a truncated answer: what follows are fields, not sentences.
    place.inStatus = !endsBlock(trimmed);
    return false;
  }
  const content = trimmed.replace(ITEM, '');
  const opened = openedBy(content);
  if (opened !== null) {
    place.fence = opened;
    place.inQuote = false;
    place.codeMayBegin = true;
    return false;
  }
  if (trimmed === '') {
    place.inQuote = false;
    place.codeMayBegin = true;
    return true;
  }
  if (isCode(line, place)) return false;
  const startsBlock = HEADING.test(trimmed) || RULE.test(trimmed);
  // A quote includes the lines after it up to a blank one or a new block.
  place.inQuote = content.startsWith('>') || (place.inQuote && !startsBlock && content === trimmed);
  place.codeMayBegin = startsBlock;
  return !place.inQuote;
}

function isCode(line: string, place: Place): boolean {
  const text = line.trimStart();
  const indent = line.length - text.length;
  if (place.codeMayBegin && indent >= (place.itemColumn ?? 0) + 4) return true;
  const item = ITEM.exec(text);
  if (item !== null) place.itemColumn = indent + item[0].length;
  else if (place.codeMayBegin && indent < (place.itemColumn ?? 0)) place.itemColumn = null;
  return false;
}

/** An open Markdown fence. */
export interface Fence {
  readonly mark: string;
  readonly length: number;
  /** Number of open fences, including those inside this one. */
  readonly depth: number;
}

/** The fence that a line opens, without the space around it; null when it opens none. */
export function openedBy(trimmed: string): Fence | null {
  const found = fenceOf(trimmed);
  return found === null ? null : { ...found, depth: 1 };
}

/**
 * The fence that is open after one more line. A fence with a language inside another one opens a second, as its writer
 * means it, although renderers ignore it.
 */
export function afterLine(fence: Fence, trimmed: string): Fence | null {
  const found = fenceOf(trimmed);
  if (found === null || found.mark !== fence.mark || found.length < fence.length) return fence;
  const depth = fence.depth + (trimmed.length > found.length ? 1 : -1);
  return depth === 0 ? null : { ...fence, depth };
}

function fenceOf(trimmed: string): Pick<Fence, 'mark' | 'length'> | null {
  const run = /^(?:`{3,}|~{3,})/.exec(trimmed)?.[0];
  if (run === undefined) return null;
  // A backtick after the run makes it inline code.
  if (run.startsWith('`') && trimmed.includes('`', run.length)) return null;
  return { mark: run.charAt(0), length: run.length };
}

/** The line that begins a status block, and the line that ends it. */
export const BLOCK_BEGIN = '---RALPH_STATUS---';
export const BLOCK_END = '---END_RALPH_STATUS---';

/** Whether a line begins a status block. Emphasis, a list or heading mark, and letter case make no difference. */
export function beginsBlock(line: string): boolean {
  return bare(line) === BLOCK_BEGIN;
}

export function endsBlock(line: string): boolean {
  return bare(line) === BLOCK_END;
}

/** Longer than any marker with its decoration. Without a limit a line of colons would take minutes. */
const LONGEST = 200;

function bare(line: string): string {
  // Most lines are not markers: this check rules them out without copying them.
  if (!/RALPH_STATUS/i.test(line)) return '';
  const trimmed = line.trim();
  if (trimmed.length > LONGEST) return '';
  return trimmed
    .replace(/^(?:(?:[-*+]|\d{1,2}[.)]|#{1,6}) +)?[*_`]*/, '')
    .replace(/[*_`:.]*$/, '')
    .replace(/ +/g, '')
    .toUpperCase();
}
