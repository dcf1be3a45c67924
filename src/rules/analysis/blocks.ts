import { afterLine, type Fence, openedBy } from './fences.ts';
import { beginsBlock, endsBlock } from './status-markers.ts';

/** Where the walk over the lines of a text stands. */
interface Place {
  fence: Fence | null;
  inStatus: boolean;
  inQuote: boolean;
  /** No paragraph stands open that an indented line would continue. */
  codeMayBegin: boolean;
  /** Column where the text of the current list item starts; null outside of lists. */
  itemColumn: number | null;
}

/**
 * The lines of a Markdown text that are neither status block, fenced or indented code, nor block quote; those become
 * empty, so that what stood around them stays apart. Tabs count as four columns.
 */
export function ownLines(text: string): readonly string[] {
  const place: Place = { fence: null, inStatus: false, inQuote: false, codeMayBegin: true, itemColumn: null };
  return text.split(/\r\n|[\r\n]/).map((line) => (isOwn(line.replaceAll('\t', '    '), place) ? line : ''));
}

/** `- ` or `2. ` at the start of a line. */
export const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?: +|$)/;

/** `# ` up to `###### `. */
export const HEADING = /^#{1,6} /;
const RULE = /^[-*_]{3,}$/;

function isOwn(line: string, place: Place): boolean {
  const trimmed = line.trim();
  if (place.fence !== null) {
    place.fence = afterLine(place.fence, trimmed);
    return false;
  }
  if (place.inStatus || beginsBlock(trimmed)) {
    // Without an end it is an answer cut short: what follows are fields, not sentences.
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
  // A quote takes the lines after it along until a blank one or a new block.
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
