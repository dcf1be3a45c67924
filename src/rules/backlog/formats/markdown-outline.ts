import { parse, postprocess, preprocess } from 'micromark';
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item';

/** A list item of a Markdown text; offsets count UTF-16 units from its start. */
interface OutlineItem {
  readonly offset: number;
  /** Index of the item that contains it, -1 at the top. */
  readonly parent: number;
  /** Offset of the character between the brackets; null for items without a check box. */
  readonly box: number | null;
}

export interface OutlineHeading {
  readonly offset: number;
  readonly level: number;
}

/** The relevant structure of a plan: list items with their nesting and check boxes, and headings. */
export interface Outline {
  readonly items: readonly OutlineItem[];
  readonly headings: readonly OutlineHeading[];
}

const THEMATIC_BREAK = /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const HEADING = /^(#{1,6})(?:[ \t]|$)/;
const FENCE = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
const MARKER = /^(?:[-*+]|(\d{1,9})[.)])(?= )/;
/** An item without content on its line, or with a tab before it. */
const ODD_ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:\t| *$)/;
const UNDERLINE = /^(?:-+|=+)[ \t]*$/;
const BOX = /^\[[ xX]\](?:[ \t]|$)/;
/** A link definition, perhaps of several lines: after it, a new paragraph may start. */
const DEFINITION = /^\[(?:[^\]\\]|\\.)*(?:\]:|\\?$)/;

/** A fenced code block or HTML comment that hides its content. */
interface Verbatim {
  /** How many list items it is nested in: it ends with them. */
  readonly depth: number;
  readonly endsWith: (content: string) => boolean;
}

/**
 * The outline of a plan in one pass, by the rules of CommonMark and GFM; null when the text uses tabs, block quotes,
 * HTML or the like. A hundred times faster than the full parser; a property test keeps the two consistent.
 */
export function quickOutline(text: string): Outline | null {
  if (/\r(?!\n)|\0/.test(text)) return null;
  const items: { offset: number; parent: number; box: number | null }[] = [];
  const headings: OutlineHeading[] = [];
  /** Open list items, outermost first; `indent` is the column at which their content starts. */
  let open: { indent: number; item: number }[] = [];
  let paragraph = false;
  let verbatim: Verbatim | null = null;
  /** A box at the end of its line counts only if its paragraph continues. */
  let unsure: { item: number; box: number } | null = null;

  for (let start = 0, next = 0; start < text.length; start = next) {
    const feed = text.indexOf('\n', start);
    next = feed === -1 ? text.length : feed + 1;
    let line = text.slice(start, feed === -1 ? text.length : feed);
    if (line.endsWith('\r')) line = line.slice(0, -1);
    const waiting = unsure;
    unsure = null;
    let at = line.search(/[^ ]/);
    if (at === -1) {
      paragraph = false;
      continue;
    }
    if (line[at] === '\t') return null;

    let depth = 0;
    while (depth < open.length && at >= (open[depth]?.indent ?? 0)) depth += 1;
    let relative = at - (open[depth - 1]?.indent ?? 0);
    if (verbatim) {
      if (depth >= verbatim.depth) {
        if (verbatim.endsWith(relative < 4 ? line.slice(at) : `    ${line.slice(at)}`)) verbatim = null;
        continue;
      }
      verbatim = null;
    }
    const whole = depth === open.length;
    for (let first = true; ; first = false) {
      const content = line.slice(at);
      const continues = paragraph && first;
      if (relative >= 4) {
        if (!continues) return null;
        if (waiting) setBox(waiting);
        break;
      }
      if (content[0] === '>' || ODD_ITEM.test(content)) return null;
      if (continues && whole && UNDERLINE.test(content)) {
        if (open.length > 0) return null;
        paragraph = false;
        break;
      }
      if (THEMATIC_BREAK.test(content)) {
        open = open.slice(0, depth);
        paragraph = false;
        break;
      }
      const heading = HEADING.exec(content);
      if (heading) {
        open = open.slice(0, depth);
        if (open.length === 0) headings.push({ offset: start + at, level: heading[1]?.length ?? 1 });
        paragraph = false;
        break;
      }
      const fence = FENCE.exec(content);
      if (fence) {
        open = open.slice(0, depth);
        paragraph = false;
        verbatim = { depth, endsWith: closesFence(fence[1] ?? fence[2] ?? '') };
        break;
      }
      if (content[0] === '<') {
        if (!content.startsWith('<!--') || /^<!--?-?>/.test(content)) return null;
        open = open.slice(0, depth);
        paragraph = false;
        if (!content.includes('-->', 4)) verbatim = { depth, endsWith: (inside) => inside.includes('-->') };
        break;
      }
      const marker = MARKER.exec(content);
      // Inside a paragraph a number starts a list only when it is 1: "in\n1999. It was" stays text.
      if (marker && !(continues && whole && marker[1] !== undefined && marker[1] !== '1')) {
        open = open.slice(0, depth);
        paragraph = false;
        const spaces = content.slice(marker[0].length).search(/[^ ]/);
        if (spaces > 4 || content[marker[0].length + spaces] === '\t') return null;
        items.push({ offset: start + at, parent: open.at(-1)?.item ?? -1, box: null });
        at += marker[0].length + spaces;
        open.push({ indent: at, item: items.length - 1 });
        depth = open.length;
        relative = 0;
        continue;
      }
      if (continues) {
        if (waiting) setBox(waiting);
        break;
      }
      open = open.slice(0, depth);
      paragraph = true;
      if (first) break;
      if (content.startsWith('[\t') || DEFINITION.test(content)) return null;
      if (!BOX.test(content)) break;
      const found = { item: items.length - 1, box: start + at + 1 };
      if (content.slice(3).trim() === '') unsure = found;
      else setBox(found);
      break;
    }
  }
  return { items, headings };

  function setBox(found: { item: number; box: number }): void {
    const item = items[found.item];
    if (item) item.box = found.box;
  }
}

function closesFence(opening: string): (content: string) => boolean {
  const mark = opening[0] === '~' ? '~' : '`';
  return (content) => {
    const closing = content.trimEnd();
    return closing.length >= opening.length && closing === mark.repeat(closing.length);
  };
}

/** The outline of any Markdown text, by the reference parser. Slow: for texts that `quickOutline` declines. */
export function fullOutline(text: string): Outline {
  const items: { offset: number; parent: number; box: number | null }[] = [];
  const headings: OutlineHeading[] = [];
  /** The current item of each open list, outermost first. */
  const lists: number[] = [];
  let containers = 0;
  let quotes = 0;
  let heading: number | null = null;
  const document = parse({ extensions: [gfmTaskListItem()] }).document();
  for (const [kind, token] of postprocess(document.write(preprocess()(text, undefined, true)))) {
    const entering = kind === 'enter';
    switch (token.type) {
      case 'listOrdered':
      case 'listUnordered':
        containers += entering ? 1 : -1;
        if (entering) lists.push(-1);
        else lists.pop();
        break;
      case 'blockQuote':
        containers += entering ? 1 : -1;
        quotes += entering ? 1 : -1;
        break;
      case 'listItemPrefix':
        if (!entering) break;
        items.push({ offset: token.start.offset, parent: lists.at(-2) ?? -1, box: null });
        lists[lists.length - 1] = items.length - 1;
        break;
      case 'taskListCheckValueChecked':
      case 'taskListCheckValueUnchecked': {
        const item = items[lists.at(-1) ?? -1];
        // Quoted text is not part of the plan.
        if (entering && item && quotes === 0) item.box = token.start.offset;
        break;
      }
      case 'atxHeading':
        heading = entering ? token.start.offset : null;
        break;
      case 'atxHeadingSequence':
        if (!entering || heading === null) break;
        if (containers === 0) headings.push({ offset: heading, level: token.end.offset - token.start.offset });
        heading = null;
        break;
      default:
    }
  }
  return { items, headings };
}
