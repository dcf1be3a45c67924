import {
  type FileLayout,
  freshLayout,
  indentOf,
  type Layout,
  layoutOf,
  ONE_LINE,
  renderContainer,
  renderScalar,
} from './json-layout.ts';
import { type Child, childAt, children, skipValue } from './json-scan.ts';

/** What a member is set to: all that stories are made of. */
export type Value = string | number | boolean | null | readonly string[];

/** A replacement of `[start, end)`. */
export interface Patch {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with its patches, which must not overlap; everything between them is untouched. */
export function applyPatches(text: string, patches: readonly Patch[]): string {
  let result = '';
  let at = 0;
  for (const patch of patches.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, patch.start) + patch.text;
    at = patch.end;
  }
  return result + text.slice(at);
}

/**
 * The text of an object with one member set. A value that is already there leaves every byte as it is; a new member
 * is placed after the nearest of its predecessors in `order`, else at the end.
 */
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

/** The text of an object without a member, the comma and the white space that belonged to it. */
export function removeMember(object: string, key: string): string {
  const all = children(object, 0);
  const index = all.findLastIndex((child) => child.key === key);
  const member = all[index];
  if (!member) return object;
  const previous = all[index - 1];
  const following = all[index + 1];
  if (previous) return object.slice(0, previous.end) + object.slice(member.end);
  if (following) return object.slice(0, member.from) + object.slice(following.from);
  return '{}';
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
): Patch {
  if (lastChild) {
    let lead = lastChild.from;
    while (/\s/.test(text[lead - 1] ?? '')) lead -= 1;
    const space = text.slice(lead, lastChild.from);
    const only = text[lead - 1] !== ',' && !space.includes('\n');
    const added = parts.map((part) => `,${only ? file.gap : space}${part}`).join('');
    return { start: lastChild.end, end: lastChild.end, text: added };
  }
  const end = skipValue(text, start);
  const brackets = text[start] === '[' ? '[]' : '{}';
  return { start, end, text: renderContainer(brackets, parts, freshLayout(file, lineIndent(text, start))) };
}

/** White space at the start of the line that holds `offset`. */
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

/**
 * A value in the layout of `like`, the text it replaces or a neighbour's. Elements of a list that stay keep their own
 * bytes, so that appending a criterion does not rewrite the escapes of the others.
 */
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
