import {
  type Box,
  headingBox,
  isCalledOff,
  isTicked,
  itemBox,
  stateBox,
  usualBox,
  withBulletsForBoxes,
  withUsualBullets,
} from './markdown-boxes.ts';
import { fullOutline, type Outline, type OutlineHeading, quickOutline } from './markdown-outline.ts';
import { storiesAmong } from './markdown-owners.ts';
import { parseTitleLine } from './markdown-title.ts';
import { isState, standingOf } from './standing.ts';
import { endOfLine, lineFrom } from './text.ts';

/** A story in a plan, before ids are assigned. */
export interface PlanBlock {
  readonly start: number;
  /** End of the block: the next story, heading or the end of the text. */
  readonly end: number;
  readonly box: Box;
  /** Of a heading whose boxes are its acceptance criteria: their marks, in place of its own. */
  readonly criteria?: readonly Mark[];
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
  /**
   * Whether stories are headings, `### [ ] US-001: Title` (lists then are criteria), headings without a box whose
   * criteria have boxes, list items, or rows of a table.
   */
  readonly form: 'headings' | 'criteria' | 'items' | 'rows';
  /** Whether their marks are check boxes; else words and signs that say how far a story is. */
  readonly isBoxed: boolean;
  /** How many boxes only explain the marks. */
  readonly legend: number;
  readonly blocks: readonly PlanBlock[];
  readonly headings: readonly OutlineHeading[];
}

/**
 * The stories of a plan: headings with check boxes, or with ids and acceptance criteria in check boxes, else the
 * outermost boxes of lists, else lines that begin with one,
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
  if (form === 'headings')
    return planOf(body, outline, form, headingBlocks(body, outline, withSigns(body, outline, boxed)), mark, true);
  const plain = ({ box, offset }: Outline['items'][number]): Box | null =>
    box === null ? unusualBox(body, offset) : usualBox(body, box);
  const found = itemBlocks(body, outline, plain);
  // Beside boxes, a word or letter in their place is one more mark; alone it may be anything.
  const all =
    found.length > 0 ? itemBlocks(body, outline, (item) => plain(item) ?? stateBox(body, item.offset)) : found;
  const criteria = criteriaBlocks(body, outline, all);
  if (criteria.length > 0) return planOf(body, outline, 'criteria', criteria, mark, true);
  return planOf(body, outline, form, all, mark, true);
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
  const blocks = found.map(({ start, end, box, criteria }) => {
    const sign = body.slice(box.start, box.end);
    const isDone = criteria?.every((one) => isTicked(body.slice(one.start, one.end)));
    const standing = isBoxed && !/[\p{L}%\d]{2}/u.test(sign) ? null : standingOf(sign);
    return {
      start: start + mark,
      end: end + mark,
      box: mark === 0 ? box : moved(box, mark),
      ...(criteria && { criteria: criteria.map((one) => ({ start: one.start + mark, end: one.end + mark })) }),
      checked: isDone ?? (standing === null ? isTicked(sign) : standing === 'done'),
      calledOff: standing === null ? isCalledOff(sign) : standing === 'off',
      titleLine: `${box.lead}${body.slice(box.titleStart, box.titleEnd).trim()}${box.needs === undefined ? '' : ` (depends on: ${box.needs})`}`,
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

function moved(box: Box, by: number): Box {
  const { start, end, titleStart, titleEnd } = box;
  return { ...box, start: start + by, end: end + by, titleStart: titleStart + by, titleEnd: titleEnd + by };
}

type Mark = Pick<Box, 'start' | 'end'>;

interface Found {
  readonly start: number;
  readonly end: number;
  readonly box: Box;
  readonly criteria?: readonly Mark[];
}

/** Headings that are stories although they have no box: see {@link storiesAmong}. */
function criteriaBlocks(text: string, outline: Outline, boxes: readonly Found[]): Found[] {
  const starts = boxes.map(({ start }) => start);
  const stories = storiesAmong(text, starts, outline.headings);
  if (stories.length === 0) return [];
  const boxed = outline.headings.map(({ offset }): Box | null => {
    if (!stories.some((story) => story.offset === offset)) return null;
    const title = titleOf(text, offset);
    return { start: title, end: title, titleStart: title, titleEnd: endOfLine(text, offset), lead: '' };
  });
  return headingBlocks(text, outline, boxed).map((found, at) => ({
    ...found,
    criteria: (stories[at]?.boxes ?? []).flatMap((one) => boxes[one]?.box ?? []),
  }));
}

/** Where the words of a heading begin. */
function titleOf(text: string, offset: number): number {
  return offset + (/^#+[ \t]+/.exec(lineFrom(text, offset))?.[0].length ?? 0);
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

/*
 * Stories of plans without check boxes, by what else tells how far each is: a column of a table, a line `Status:` below
 * a heading, a sign or a word in brackets. Prose is full of ticks, so signs count only before ids or below a heading
 * that announces work. What is read must not depend on how much is done: a finished plan is read like a new one.
 */

/** Signs that say how far something is. */
const SIGN = String.raw`[\u2705\u2611\u2714\u2713\u2B1C\u2B1B\u2610\u25FB\u{1F532}\u{1F533}\u23F3\u231B\u{1F6A7}\u{1F504}\u274C\u23F8\u{1F51C}\u{1F7E2}\u{1F7E1}\u{1F534}\u26AA\u{1F195}]\uFE0F?`;
/** Headings that announce work. */
const WORK = /^#+\W*(?:.*\W)?(?:tasks?|phases?|plan|to-?dos?|backlog|stor(?:y|ies)|sprints?|milestones?|steps?)\b/iu;
const AT_START = new RegExp(
  String.raw`(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|#{1,6}[ \t]+)?(?:\*\*|__)?(?:(${SIGN})|\[([\p{L}][\p{L} _-]{1,20})\](?![(:]))(?:\*\*|__)?[ \t]*[:\u2013\u2014-]?[ \t]*(?=\S)`,
  'uy',
);
const AT_END = new RegExp(
  String.raw`[ \t]+(?:[\u2013\u2014-][ \t]+)?(?:(${SIGN})|[[(]([\p{L}][\p{L} _-]{1,20})[\])]|(?<=[\u2013\u2014-][ \t]+)([\p{L}][\p{L} _-]{1,20}))[ \t#]*$`,
  'u',
);
const STATUS =
  /^[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?(?:status|state|completed?|done|pass(?:es|ed))(?:\*\*|__)?:(?:\*\*|__)?[ \t]*(\S.*?)[ \t\r]*$/imu;
/** Groups of stories, and sections named after a state, are no stories. */
const GROUP =
  /^\W*(?:(?:phase|milestone|epic|sprint|stage|iteration|week|day|wave|part|section)\b|(?:completed?|done|pending|in progress|remaining|overview|summary|progress|status|current|next)\b)/iu;

type Boxes = readonly (Box | null)[];

/** The marks of headings; all null when they make no plan. */
function headingMarks(text: string, { headings }: Outline): Boxes {
  const isWork = (offset: number): boolean => !GROUP.test(text.slice(titleOf(text, offset), endOfLine(text, offset)));
  const below = headings.map(({ offset }, at): Box | null => {
    const from = endOfLine(text, offset);
    const found = STATUS.exec(text.slice(from, headings[at + 1]?.offset ?? text.length));
    if (!found?.[1] || !isWork(offset) || !isState(found[1])) return null;
    const start = from + found.index + found[0].indexOf(found[1], found[0].indexOf(':'));
    return { start, end: start + found[1].length, titleStart: titleOf(text, offset), titleEnd: from, lead: '' };
  });
  if (below.filter((box) => box !== null).length > 1) return below;
  const signed = headings.map(({ offset }) =>
    isWork(offset) ? (signAt(text, offset) ?? signAtEnd(text, offset, titleOf(text, offset))) : null,
  );
  const plain = headings.filter((_each, at) => signed[at] === null);
  return isPlan(text, signed, plain) ? signed : headings.map(() => null);
}

/** Beside headings with boxes, others of their level with an id and a sign are stories, too: `### Task 1: Set up ✅`. */
function withSigns(text: string, { headings }: Outline, boxed: Boxes): Boxes {
  const levels = new Set(headings.filter((_each, at) => boxed[at]).map(({ level }) => level));
  return headings.map(({ offset, level }, at) => {
    const own = boxed[at] ?? null;
    if (own !== null || !levels.has(level)) return own;
    const box = signAt(text, offset) ?? signAtEnd(text, offset, titleOf(text, offset));
    const words = box === null ? '' : text.slice(box.titleStart, box.titleEnd);
    return GROUP.test(words) || parseTitleLine(words).ownId === null ? null : box;
  });
}

/** The marks of the outermost list items; all null when they make no plan. */
function itemMarks(text: string, { items, headings }: Outline): Boxes {
  const signed = items.map(({ offset, parent }) => (parent === -1 ? signAt(text, offset) : null));
  return isPlan(text, signed, headings) ? signed : items.map(() => null);
}

/** Whether most of the marks belong to work: words in brackets, titles with ids, entries below a heading that says so. */
function isPlan(text: string, boxes: Boxes, titles: Outline['headings']): boolean {
  const marks = boxes.filter((box) => box !== null);
  const isWork = marks.filter(({ start, titleStart, titleEnd }) => {
    if (text[start - 1] === '[' || parseTitleLine(text.slice(titleStart, titleEnd)).ownId !== null) return true;
    const above = titles.findLast(({ offset }) => offset < start);
    return above !== undefined && WORK.test(lineFrom(text, above.offset));
  });
  return marks.length > 1 && isWork.length * 2 >= marks.length;
}

function signAt(text: string, offset: number): Box | null {
  AT_START.lastIndex = offset;
  const found = AT_START.exec(text);
  return found && signIn(found, offset, { titleStart: offset + found[0].length, titleEnd: endOfLine(text, offset) });
}

function signAtEnd(text: string, offset: number, titleStart: number): Box | null {
  const found = AT_END.exec(lineFrom(text, offset));
  return found && signIn(found, offset + found.index, { titleStart, titleEnd: offset + found.index });
}

/** The sign, or the word in brackets if it names a state. @param at where the match starts */
function signIn(found: RegExpExecArray, at: number, title: Pick<Box, 'titleStart' | 'titleEnd'>): Box | null {
  const [, sign, bracketed, bare] = found;
  const said = sign ?? bracketed ?? bare;
  if (said === undefined || (sign === undefined && !isState(said, true))) return null;
  const start = at + found[0].lastIndexOf(said);
  return { start, end: start + said.length, ...title, lead: '' };
}

const RULE = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$/;
const STATE_COLUMN =
  /^(?:status|state|statut|estado|stato|stan|статус|状态|状態|done\??|completed?\??|\u2705|\[ ?[xX]?\])$/iu;
const WORK_COLUMN =
  /^(?:(?:task|story|user story|title|work item|ticket|to-?do|tâche|tarea|tarefa)s?|aufgaben?|zadanie|задача|任务|タスク)$/iu;
const OTHER_COLUMN = /^(?:feature|item|description|name|requirement|what)s?$/i;
const ID_COLUMN = /^(?:id|key|(?:task|story) id)$/i;
const NUMBER_COLUMN = /^(?:#|no\.?|nr\.?)$/i;
const NEEDS_COLUMN = /^(?:depend(?:s(?: on)?|ency|encies)|deps|blocked by|prerequisites?|after)$/i;

/** The rows of tables that have a column with states. */
function rowMarks(text: string): readonly Box[] {
  const rows: Box[] = [];
  let columns: Columns | null = null;
  let before: readonly Cell[] = [];
  let fenced = false;
  for (let at = 0; at < text.length; at = text.indexOf('\n', at) + 1 || text.length) {
    const line = lineFrom(text, at);
    if (/^\s*(?:`{3,}|~{3,})/.test(line)) fenced = !fenced;
    const cells = fenced || !line.includes('|') ? [] : cellsOf(line, at);
    if (cells.length > 0 && RULE.test(line)) {
      const find = (pattern: RegExp): number => before.findIndex(({ said }) => pattern.test(said));
      const [state, own, work] = [find(STATE_COLUMN), find(ID_COLUMN), find(WORK_COLUMN)];
      const id = own === -1 ? find(NUMBER_COLUMN) : own;
      const title = work === -1 && id !== -1 ? find(OTHER_COLUMN) : work;
      columns = state === -1 || title === -1 ? null : { state, title, id, needs: find(NEEDS_COLUMN) };
    } else if (cells.length === 0) columns = null;
    else if (columns) {
      const row = rowOf(text, cells[columns.state], cells[columns.title], cells[columns.id]);
      const needs = cells[columns.needs]?.said ?? '';
      if (row) rows.push(/\w/.test(needs) ? { ...row, needs } : row);
    }
    before = cells;
  }
  return rows;
}

interface Columns {
  readonly state: number;
  readonly title: number;
  readonly id: number;
  readonly needs: number;
}

interface Cell {
  readonly start: number;
  readonly end: number;
  readonly said: string;
}

function cellsOf(line: string, offset: number): readonly Cell[] {
  let at = offset;
  const cells = line.split(/(?<!\\)\|/).map((inner) => {
    const said = inner.replace(/\*\*|__/g, '').trim();
    const start = at + Math.max(inner.indexOf(said), 0);
    at += inner.length + 1;
    return { start, end: start + said.length, said };
  });
  return /^\s*\|/.test(line) ? cells.slice(1) : cells;
}

function rowOf(text: string, state: Cell | undefined, title: Cell | undefined, id: Cell | undefined): Box | null {
  if (!state || !title || title.said === '') return null;
  const boxed = /^\[(.?)\]$/u.test(state.said) ? 1 : 0;
  const sign = text.slice(state.start + boxed, state.end - boxed);
  if (boxed === 0 && !isState(sign)) return null;
  const lead = id && id.said !== '' ? `${id.said}: ` : '';
  return { start: state.start + boxed, end: state.end - boxed, titleStart: title.start, titleEnd: title.end, lead };
}
