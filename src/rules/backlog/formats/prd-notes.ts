import type { Problem } from '../../../contracts/model.ts';
import { lineAt, linesAt } from '../lines.ts';
import { children, elementStarts, locate } from './json-scan.ts';
import { isFields } from './keys.ts';
import { isDone } from './prd-done.ts';
import { verificationOf } from './prd-fields.ts';
import { hasFlag, type Item, isStory, itemsOf, type Path, type StoryList } from './prd-list.ts';
import { isStoryName } from './prd-shape.ts';

/** Where things are in a file. */
interface Place {
  readonly text: string;
  readonly file: string;
  /** Of the items, in their order. */
  readonly starts: readonly number[];
  readonly lines: readonly number[];
}

/** How deep stories that were left out are looked for. */
const DEEPEST = 8;
/** Longer files were written by programs, which do not write a key twice; to look for it takes a while. */
const READ_CLOSELY = 1_000_000;
const SHOWN = 60;

/** What is odd about a document of stories, without keeping it from being one. */
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

/** Entries of a list that are no stories, such as a remark between them. */
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

/** Lists with open work that are called like stories and look like them, beside those that are worked on. */
function leftOut(document: unknown, lists: readonly StoryList[], { text, file }: Place): Problem[] {
  const taken = new Set(lists.map((list) => list.path.join('\0')));
  const found: { readonly path: Path; readonly count: number }[] = [];
  const visit = (node: unknown, path: Path): void => {
    if (path.length > DEEPEST || taken.has(path.join('\0'))) return;
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

/** A key that a story has twice: the last one counts, and hardly anybody means that. */
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

/** What stands under a key for commands, or for the checks of everything, and was not taken as a check. */
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
