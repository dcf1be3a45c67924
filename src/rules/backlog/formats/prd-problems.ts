import type { BacklogFormat, Problem } from '../../../contracts/index.ts';
import { children, elementStarts, locate } from './json-scan.ts';
import { isDone } from './prd-done.ts';
import { verificationOf } from './prd-fields.ts';
import { hasFlag, type Item, isStory, itemsOf, type Path, type StoryList } from './prd-list.ts';
import { foldKey, isFields } from './prd-names.ts';
import { isStoryName } from './prd-shape.ts';
import { lineAt, linesAt } from './text.ts';

/** Positions in a file. */
interface Place {
  readonly text: string;
  readonly file: string;
  /** Start of each item, in item order. */
  readonly starts: readonly number[];
  readonly lines: readonly number[];
}

/** How deep omitted stories are searched for. */
const DEEPEST_LEFT_OUT = 8;
/** Longer files were written by programs, which do not repeat a key; searching them takes a while. */
const READ_CLOSELY = 1_000_000;
const SHOWN = 60;

/** Oddities in a document of stories that do not make it unreadable. */
export function notes(document: unknown, lists: readonly StoryList[], items: readonly Item[], place: Place): Problem[] {
  return [
    ...lists.flatMap((list) => oddEntries(document, list, place)),
    ...leftOut(document, lists, place),
    ...repeatedKeys(items, place),
    ...refusedCommands(document, items, place),
  ];
}

/** Numbers of the lines that hold offsets in any order. */
export function linesOf(text: string, offsets: readonly number[]): number[] {
  const isSorted = offsets.every((offset, at) => at === 0 || (offsets[at - 1] ?? 0) <= offset);
  if (isSorted) return linesAt(text, offsets);
  const sorted = offsets.toSorted((a, b) => a - b);
  const lines = linesAt(text, sorted);
  const byOffset = new Map(sorted.map((offset, at) => [offset, lines[at] ?? 1]));
  return offsets.map((offset) => byOffset.get(offset) ?? 1);
}

/** Entries of a list that are not stories, such as a remark between them. */
function oddEntries(document: unknown, list: StoryList, { text, file }: Place): Problem[] {
  const node = nodeAt(document, list.path);
  if (!Array.isArray(node) || list.items.length === list.size) return [];
  const starts = elementStarts(text, locate(text, list.path) ?? 0, list.size);
  return node.flatMap((entry: unknown, index): Problem[] => {
    if (isFields(entry)) return [];
    const said = JSON.stringify(entry).slice(0, SHOWN);
    const message = `entry ${index + 1} of ${nameOf(list.path)} is no story and is left out: ${said}`;
    const mend = 'Write it as {"id": …, "title": …}, or take it out.';
    return [{ severity: 'warning', rule: 'schema/type', file, line: lineAt(text, starts[index] ?? 0), message, mend }];
  });
}

/** Lists with open work that are named and shaped like stories but are not among those in use. */
function leftOut(document: unknown, lists: readonly StoryList[], { text, file }: Place): Problem[] {
  const taken = new Set(lists.map((list) => list.path.join('\0')));
  const found: { readonly path: Path; readonly count: number }[] = [];
  const visit = (node: unknown, path: Path): void => {
    if (path.length > DEEPEST_LEFT_OUT || taken.has(path.join('\0'))) return;
    if (Array.isArray(node) && isStoryName(String(path.findLast((key) => typeof key === 'string') ?? ''))) {
      const items = itemsOf(node);
      const alike = items.length === node.length && items.every((item) => isStory(item) && hasFlag(item.fields));
      const isAbove = lists.some((list) => path.every((key, at) => list.path[at] === key));
      const open = items.some(({ fields }) => !isDone(fields, null));
      if (items.length > 0 && alike && open && !isAbove) {
        found.push({ path, count: items.length });
        return;
      }
    }
    const inner = Array.isArray(node) ? [...node.entries()] : isFields(node) ? Object.entries(node) : [];
    for (const [key, value] of inner) if (value !== null && typeof value === 'object') visit(value, [...path, key]);
  };
  visit(document, []);
  return found.map(({ path, count }) => ({
    severity: 'warning',
    rule: 'schema/left-out',
    file,
    line: lineAt(text, locate(text, path) ?? 0),
    message: `${count} ${count === 1 ? 'entry' : 'entries'} under ${nameOf(path)} ${count === 1 ? 'looks like a story' : 'look like stories'} and ${count === 1 ? 'is' : 'are'} left out: worked on is ${lists
      .map((list) => nameOf(list.path))
      .slice(0, 3)
      .join(', ')}`,
    mend: 'Put into one list what is to be worked on.',
  }));
}

/** A key that a story has twice: the last one counts, which is hardly intended. */
function repeatedKeys(items: readonly Item[], { text, file, starts, lines }: Place): Problem[] {
  if (text.length > READ_CLOSELY) return [];
  return items.flatMap((_item, index): Problem[] => {
    const keys = children(text, starts[index] ?? 0).map(({ key }) => key);
    const twice = keys.find((key, at) => keys.indexOf(key) !== at);
    if (twice === undefined) return [];
    const line = lines[index] ?? 1;
    const message = `a story has "${twice}" twice; the last one counts`;
    return [
      { severity: 'warning', rule: 'schema/repeated-key', file, line, message, mend: 'Take one of the two out.' },
    ];
  });
}

/** Values under a key for commands, or for checks of the whole document, that were not accepted as checks. */
function refusedCommands(document: unknown, items: readonly Item[], { text, file, lines }: Place): Problem[] {
  const problems: Problem[] = [];
  const tell = (refused: readonly string[], line: number, what: string): void => {
    const [first] = refused;
    if (first === undefined) return;
    const more = refused.length > 1 ? ` (and ${refused.length - 1} more)` : '';
    const message = `not taken as a check: "${first.slice(0, SHOWN)}"${more}; ${what}`;
    const mend = 'Write one command that ends by itself, such as `npm test`.';
    problems.push({ severity: 'warning', rule: 'schema/check', file, line, message, mend });
  };
  if (isFields(document)) {
    const { prose } = verificationOf(document, true);
    tell(prose, lineAt(text, text.search(/\S/)), 'it stands at the top, where no story has it as a criterion');
  }
  const refused = items.flatMap(({ fields }, index) =>
    verificationOf(fields).refused.map((command) => ({ command, line: lines[index] ?? 1 })),
  );
  const line = refused[0]?.line ?? 1;
  tell(
    refused.map(({ command }) => command),
    line,
    'it is a criterion instead',
  );
  return problems;
}

function nodeAt(document: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (node, key) => (node !== null && typeof node === 'object' ? (node as Record<string | number, unknown>)[key] : null),
    document,
  );
}

function nameOf(path: Path): string {
  return path.join('.') || 'the top';
}

/** How many of the lists found instead of stories a refusal names. */
const NAMED = 3;
const DEEPEST = 16;

/** Why a JSON document is no backlog, with what it contains instead. */
export function noStories(value: unknown, text: string, file: string, asked: BacklogFormat): Problem {
  const base = { severity: 'error', rule: 'schema/no-stories', file, line: lineAt(text, text.search(/\S/)) } as const;
  if (!Array.isArray(value) && !isFields(value)) {
    const message = 'the file must hold an object with a list of stories';
    return { ...base, message, mend: 'Write {"userStories": [ … ]}.' };
  }
  const found = findings(value);
  if (asked === 'tasks-json' && found.length === 0) {
    return {
      ...base,
      rule: 'schema/required',
      message: '"userStories" is missing',
      mend: 'Add "userStories": an array of stories.',
    };
  }
  const shown = found
    .toSorted((a, b) => b.count - a.count)
    .slice(0, NAMED)
    .map(({ count, place, why }) => `${count} ${count === 1 ? 'entry' : 'entries'} under ${place} ${why(count)}`);
  return {
    ...base,
    message: `no list of stories was found in this document${shown.length > 0 ? `: ${shown.join(', ')}` : ''}`,
    mend: 'Put the stories into "userStories", each with an "id", a "title" and "passes".',
  };
}

interface Finding {
  readonly place: string;
  count: number;
  readonly why: (count: number) => string;
}

const noFlag = (count: number): string => (count === 1 ? 'has no done flag' : 'have no done flag');
const plainText = (count: number): string =>
  count === 1 ? 'is plain text' : 'are plain text, without a place for a done flag';
const notWork = (count: number): string =>
  count === 1 ? 'has a status, but is not called a story' : 'have a status, but are not called stories';

/**
 * The lists most similar to a backlog; several in one object are reported as one: "21 entries under
 * requirements.functional".
 */
function findings(document: unknown): Finding[] {
  const found: { readonly path: readonly string[]; readonly count: number; readonly why: Finding['why'] }[] = [];
  const visit = (node: unknown, path: readonly string[]): void => {
    if (path.length > DEEPEST) return;
    if (isFields(node)) for (const [key, value] of Object.entries(node)) visit(value, [...path, key]);
    if (!Array.isArray(node)) return;
    const items = itemsOf(node);
    const texts = node.filter((entry) => typeof entry === 'string').length;
    if (items.length > 0 && items.every(isStory)) {
      found.push({ path, count: items.length, why: items.every(({ fields }) => hasFlag(fields)) ? notWork : noFlag });
    } else if (
      texts > 0 &&
      /(?:stories|tasks|todos?|features|items|issues|backlog)$/.test(foldKey(path.at(-1) ?? ''))
    ) {
      found.push({ path, count: texts, why: plainText });
    }
  };
  visit(document, []);
  const merged = new Map<string, Finding>();
  for (const { path, count, why } of found) {
    const parent = path.slice(0, -1);
    const shared = parent.length > 0 && found.filter((other) => isInside(other.path, parent)).length > 1;
    const place = (shared ? parent : path).join('.') || 'the top';
    const known = merged.get(place);
    if (known) known.count += count;
    else merged.set(place, { place, count, why });
  }
  return [...merged.values()];
}

function isInside(path: readonly string[], parent: readonly string[]): boolean {
  return path.length === parent.length + 1 && parent.every((key, index) => path[index] === key);
}
