import type { Edit } from 'jsonc-parser';
import { type Child, childAt, children, skipSpace, skipValue } from './json.ts';

export type Value = string | number | boolean | null | readonly string[];

/** The text of an object with one member set; a new one goes after the nearest of its predecessors in `order`. */
export function setMember(
  object: string,
  key: string,
  value: Value,
  file: FileLayout,
  order: readonly string[],
): string {
  const all = children(object, 0);
  const present = childAt(all, key);
  const layout = layoutOf(object) ?? freshLayout(file, '');
  if (present) {
    const before = object.slice(present.start, present.end);
    const after = replaceValue(before, value, layout, file);
    return object.slice(0, present.start) + after + object.slice(present.end);
  }
  const member = renderScalar(key, file) + layout.colon + replaceValue('', value, layout, file);
  const before = predecessor(all, key, order);
  if (!before) return renderContainer('{}', [member], layout);
  return `${object.slice(0, before.end)},${layout.next}${member}${object.slice(before.end)}`;
}

export function removeMember(object: string, key: string): string {
  return removeChild(
    object,
    children(object, 0).findLastIndex((child) => child.key === key),
  );
}

/** The text of an object or a list without one of its children. */
export function removeChild(container: string, index: number): string {
  const all = children(container, 0);
  const member = all[index];
  if (!member) return container;
  const previous = all[index - 1];
  const following = all[index + 1];
  if (previous) return container.slice(0, previous.end) + container.slice(member.end);
  if (following) return container.slice(0, member.from) + container.slice(following.from);
  return container.startsWith('[') ? '[]' : '{}';
}

/** The text of a new object that looks like `sample`, an object of the same list; null when the list is empty. */
export function renderLike(
  sample: string | null,
  members: readonly (readonly [string, Value])[],
  file: FileLayout,
  indent: string,
): string {
  const layout = (sample === null ? null : layoutOf(sample)) ?? freshLayout(file, indent);
  const lists = sample === null ? [] : children(sample, 0);
  const parts = members.map(([key, value]) => {
    const like =
      childAt(lists, key) ?? lists.find((child) => sample?.[child.start] === '[' && child.end - child.start > 2);
    const text = sample !== null && like ? sample.slice(like.start, like.end) : '';
    return renderScalar(key, file) + layout.colon + renderValue(value, text, layout, file);
  });
  return renderContainer('{}', parts, layout);
}

/** Adds rendered children (elements, or members with their keys) at the end of the container that starts at `start`. */
export function appendChildren(
  text: string,
  start: number,
  lastChild: Child | null,
  parts: readonly string[],
  file: FileLayout,
): Edit {
  if (lastChild) {
    let lead = lastChild.from;
    while (/\s/.test(text[lead - 1] ?? '')) lead -= 1;
    const space = text.slice(lead, lastChild.from);
    const only = text[lead - 1] !== ',' && !space.includes('\n');
    const added = parts.map((part) => `,${only ? file.gap : space}${part}`).join('');
    return { offset: lastChild.end, length: 0, content: added };
  }
  const end = skipValue(text, start);
  const brackets = text[start] === '[' ? '[]' : '{}';
  return {
    offset: start,
    length: end - start,
    content: renderContainer(brackets, parts, freshLayout(file, lineIndent(text, start))),
  };
}

export function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

function predecessor(all: readonly Child[], key: string, order: readonly string[]): Child | undefined {
  for (let i = order.indexOf(key) - 1; i >= 0; i--) {
    const found = childAt(all, order[i] ?? '');
    if (found) return found;
  }
  return all.at(-1);
}

function replaceValue(before: string, value: Value, layout: Layout, file: FileLayout): string {
  if (before !== '' && JSON.stringify(JSON.parse(before)) === JSON.stringify(value)) return before;
  return renderValue(value, before, layout, file);
}

/** A value in the layout of `like`: the text it replaces or a neighbour's. List elements that stay keep their bytes. */
function renderValue(value: Value, like: string, parent: Layout, file: FileLayout): string {
  if (!isList(value)) return renderScalar(value, file);
  const old = like.startsWith('[') ? children(like, 0).map((child) => like.slice(child.start, child.end)) : [];
  const kept = new Map(old.map((raw) => [JSON.parse(raw) as unknown, raw]));
  const parts = value.map((entry) => kept.get(entry) ?? renderScalar(entry, file));
  const known = like.startsWith('[') ? layoutOf(like) : null;
  return renderContainer('[]', parts, known ?? listLayout(parent, file));
}

function listLayout(parent: Layout, file: FileLayout): Layout {
  if (parent.next.includes('\n')) return freshLayout(file, indentOf(parent.next));
  return { ...ONE_LINE, next: parent.next };
}

function isList(value: Value): value is readonly string[] {
  return Array.isArray(value);
}

/** The layout of a container in a JSON text, so that an addition looks like its neighbours. */
interface Layout {
  /** White space before the first child, after the opening bracket. */
  readonly first: string;
  /** White space before every other child, after the comma. */
  readonly next: string;
  readonly last: string;
  readonly colon: string;
}

/** Conventions of a whole file, used when there is nothing nearby to imitate. */
export interface FileLayout {
  /** One level of indentation; empty in a file without line breaks. */
  readonly unit: string;
  readonly lineEnd: string;
  /** Space after commas and colons in a file without line breaks. */
  readonly gap: string;
  /** Whether everything outside ASCII is written as `\u` escapes. */
  readonly ascii: boolean;
}

/** Reads a file's conventions from its outermost container. */
export function fileLayout(text: string): FileLayout {
  const root = skipSpace(text, 0);
  const lead = text.slice(root + 1, skipSpace(text, root + 1));
  const unit = lead.includes('\n') ? lead.slice(lead.lastIndexOf('\n') + 1) : '';
  const lineEnd = lead.includes('\r\n') ? '\r\n' : lead.includes('\n') ? '\n' : '';
  const gap = lineEnd !== '' || /":\s/.test(text.slice(root, root + 200)) ? ' ' : '';
  const ascii = /\\u[0-9a-fA-F]{4}/.test(text) && !/[\u0080-\ufefe\uff00-\uffff]/.test(text);
  return { unit, lineEnd, gap, ascii };
}

/** The layout of the container `text`; null when it has no children to read it from. */
function layoutOf(text: string): Layout | null {
  const all = children(text, 0);
  const [one, two] = all;
  const end = all.at(-1)?.end;
  if (!one || end === undefined) return null;
  const first = text.slice(1, one.from);
  const next = two ? text.slice(skipSpace(text, one.end) + 1, two.from) : first.includes('\n') ? first : ' ';
  const colon = one.key === null ? ': ' : text.slice(skipValue(text, one.from), one.start);
  return { first, next, last: text.slice(end, -1), colon };
}

/** The layout of a container whose opening bracket is on a line indented by `indent`. */
function freshLayout(file: FileLayout, indent: string): Layout {
  if (file.lineEnd === '') return { first: '', next: file.gap, last: '', colon: `:${file.gap}` };
  const lead = `${file.lineEnd}${indent}${file.unit}`;
  return { first: lead, next: lead, last: file.lineEnd + indent, colon: ': ' };
}

/** A layout on one line, as short lists often have inside objects of several lines. */
const ONE_LINE: Layout = { first: '', next: ' ', last: '', colon: ': ' };

/** The white space at the start of a child's line: the part of its lead after the last line break. */
function indentOf(lead: string): string {
  return lead.slice(lead.lastIndexOf('\n') + 1);
}

export function renderScalar(value: unknown, file: FileLayout): string {
  const json = JSON.stringify(value);
  if (!file.ascii) return json;
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function renderContainer(brackets: '[]' | '{}', parts: readonly string[], layout: Layout): string {
  if (parts.length === 0) return brackets;
  return brackets[0] + layout.first + parts.join(`,${layout.next}`) + layout.last + brackets[1];
}
