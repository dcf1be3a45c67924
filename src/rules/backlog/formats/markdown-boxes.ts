import { ID, WORD_ID } from './markdown-title.ts';
import { isState } from './standing.ts';
import { endOfLine, lineFrom } from './text.ts';

/** The mark of a story, a check box or another; all offsets count from the start of the text. */
export interface Box {
  /** Of the mark itself, between the brackets of a box; both are the same in `[]`. */
  readonly start: number;
  readonly end: number;
  /** Of the title: what follows the box, or precedes it in `### Title [x]`. */
  readonly titleStart: number;
  readonly titleEnd: number;
  /** The part of the title before the box: the number in `### 2. [ ] Title`. */
  readonly lead: string;
  /** What a column of the table says that it waits for. */
  readonly needs?: string;
}

/** Marks that people and other tools put into a box for "done". */
const TICKS = 'xX\u0445\u0425\u2713\u2714\u2611\u2705';
/** Marks for work that was called off. */
const OFF = '-\u26D4\u{1F6AB}';
/** Marks of one character: those above, and all for states between (`~`, `/`, `>`, `!`, an hourglass …). */
const MARK = String.raw`[-xX\u0445\u0425~/!>?\\*<=+^.\u2026\u00D7\p{Extended_Pictographic}\p{So}]\uFE0F?`;
const BRACKETS = String.raw`\\?\[(?<pad>[ \t\u00A0]{0,3})(?:(?!\\\])(?<mark>${MARK}))?(?<rest>[ \t\u00A0]{0,3})\\?\]`;
/** `[x] T`, `**[x]** T`, `**[x] T**`, `[ ]* T` (optional, of Kiro), `[x]T`. */
const AT_START = String.raw`(?<bold>\*\*|__)?${BRACKETS}(?<close>\k<bold>)?(?<star>\*(?=[ \t]))?(?<gap>[ \t]*)(?=\S)`;

const ITEM = new RegExp(
  String.raw`(?:(?:[-*+\u2013\u2014\u2022\u25E6\u25AA\u2023]|\d{1,9}[.)])[ \t\u00A0]*)?(?<lead>)${AT_START}`,
  'uy',
);
/** `[WIP] T`, `[done] T`, `[P] T`: a word for a state, or a letter that the plan explains. */
const STATE = /(?:[-*+]|\d{1,9}[.)])[ \t]+\[([^\s[\]][^[\]\n]{0,20})\][ \t]+(?=\S)/uy;
const NUMBER = String.raw`(?:\*\*|__)?(?:${WORD_ID}|${ID}|\d+(?:\.\d+)*[.)]?)(?:\*\*|__)?(?:[ \t]*[:\u2013\u2014.]|[ \t]+-)?[ \t]+`;
/** Before a heading's title: a bullet, emoji. */
const TRIM = String.raw`(?:[-*+][ \t]+|\p{Extended_Pictographic}\uFE0F?[ \t]*)*`;
const HEADING = new RegExp(String.raw`#{1,6}[ \t]+${TRIM}(?:(?<lead>${NUMBER})${TRIM})?${AT_START}`, 'uy');
const HEADING_END = new RegExp(String.raw`[ \t](?:\*\*|__)?${BRACKETS}(?:\*\*|__)?[ \t]*#*$`, 'u');
const HEADING_LEAD = new RegExp(String.raw`^#{1,6}[ \t]+${TRIM}`, 'u');
/** A section that contains stories or explains the marks is not a story, even with a box in its heading. */
const SECTION =
  /^\W*(?:completed?|done|finished|to[ -]?do|open|pending|in[ -]progress|remaining|not started|blocked|backlog|legend|next|upcoming)(?: (?:tasks?|items?|stories|work))?\W*$/i;
/** What may follow a box without a space: a word, emphasis, code. */
const GLUED = /[\p{L}\p{N}*_`~"\u201C]/u;
/** Bullets of word processors, and bullets without a plain space. */
const BULLET =
  /^([ \t]*)(?:[\u2022\u25E6\u25AA\u2023\u2013\u2014](?=[ \t]+\[)|[-*+\u2022\u2013\u2014](\u00A0(?=\[)|\[[ xX]\] (?=\S)))/gm;
const BARE = /^( {0,3})\[[ xX]\] (?=\S)/gm;

/** The box of the list item that begins at an offset, when GFM does not count it as one; null when there is none. */
export function itemBox(text: string, offset: number): Box | null {
  return boxAt(ITEM, text, offset);
}

/** The mark of an item in a plan of boxes that has a word or a capital letter in place of a box. */
export function stateBox(text: string, offset: number): Box | null {
  STATE.lastIndex = offset;
  const found = STATE.exec(text);
  const said = found?.[1] ?? '';
  if (!found || !(/^[A-Zo]$/.test(said) || isState(said, true))) return null;
  const [start, titleStart] = [offset + found[0].indexOf('[') + 1, offset + found[0].length];
  return { start, end: start + said.length, titleStart, titleEnd: endOfLine(text, titleStart), lead: '' };
}

export function headingBox(text: string, offset: number): Box | null {
  const line = lineFrom(text, offset);
  if (!line.includes('[')) return null;
  const box = boxAt(HEADING, text, offset) ?? boxAtEnd(line, offset);
  return box === null || SECTION.test(box.lead + text.slice(box.titleStart, box.titleEnd)) ? null : box;
}

export function usualBox(text: string, mark: number): Box {
  return { start: mark, end: mark + 1, titleStart: mark + 2, titleEnd: endOfLine(text, mark), lead: '' };
}

export function isTicked(mark: string): boolean {
  return mark !== '' && TICKS.includes(mark[0] ?? '');
}

export function isCalledOff(mark: string): boolean {
  return mark !== '' && OFF.includes(mark.replace('\uFE0F', ''));
}

/** The text with other bullets before a box replaced by Markdown's; every character keeps its place. */
export function withUsualBullets(text: string): string {
  return text.replace(BULLET, (_whole, indent: string, after = '') => `${indent}-${' '.repeat(after.length)}`);
}

/** The text with lines that begin with a box as list items, their boxes blank; every character keeps its place. */
export function withBulletsForBoxes(text: string): string {
  return text.replace(BARE, '$1-   ');
}

function boxAt(form: RegExp, text: string, offset: number): Box | null {
  form.lastIndex = offset;
  const found = form.exec(text);
  if (!found?.groups) return null;
  const { lead = '', bold, close, star, gap = '', pad = '', mark = '', rest = '' } = found.groups;
  const titleStart = offset + found[0].length;
  const isEmpty = pad + mark + rest === '';
  if (isEmpty && !GLUED.test(text[titleStart] ?? '')) return null;
  if (gap === '' && !(bold && close)) {
    // [x](link), [-]flag, []string and the like are not boxes.
    const isPlain = !isEmpty && (mark === '' || isTicked(mark));
    if (star || !isPlain || !GLUED.test(text[titleStart] ?? '')) return null;
  }
  const brackets = found[0].lastIndexOf('[');
  const start = offset + brackets + 1 + (mark === '' ? 0 : pad.length);
  return {
    start,
    end: start + (mark === '' && !isEmpty ? 1 : mark.length),
    titleStart,
    titleEnd: endOfLine(text, titleStart),
    // **[x] Title**: the emphasis belongs to the title.
    lead: bold && !close ? lead + bold : lead,
  };
}

function boxAtEnd(line: string, offset: number): Box | null {
  const found = HEADING_END.exec(line);
  const lead = HEADING_LEAD.exec(line)?.[0].length ?? 0;
  if (!found?.groups || found.index < lead) return null;
  const { pad = '', mark = '', rest = '' } = found.groups;
  if (pad + mark + rest === '') return null;
  const start = offset + line.indexOf('[', found.index) + 1 + (mark === '' ? 0 : pad.length);
  const end = start + (mark === '' ? 1 : mark.length);
  return { start, end, titleStart: offset + lead, titleEnd: offset + found.index, lead: '' };
}
