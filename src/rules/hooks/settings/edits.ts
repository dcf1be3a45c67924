import { findNodeAtLocation, type JSONPath, type Node, parseTree } from 'jsonc-parser';
import { lineEnding } from '../../backlog/lines.ts';

/**
 * Edits of a settings file: what is not concerned stays byte for byte. (jsonc-parser's own edits format the neighbours
 * of what they touch, and break lists that stand in one line.) The text is a valid JSON object.
 */

/** Sets the value at a path, all but whose last part exists. */
export function setAt(text: string, path: JSONPath, value: unknown): string {
  const node = nodeAt(text, path);
  if (node !== undefined) return splice(text, node.offset, endOf(node), render(value, indentAt(text, node), text));
  const parent = nodeAt(text, path.slice(0, -1));
  const key = JSON.stringify(path.at(-1));
  return parent === undefined ? text : insert(text, parent, (indent) => `${key}: ${render(value, indent, text)}`);
}

/** Adds a value at the end of the list at a path. */
export function appendAt(text: string, path: JSONPath, value: unknown): string {
  const list = nodeAt(text, path);
  return list === undefined ? text : insert(text, list, (indent) => render(value, indent, text));
}

/** Removes what is at a path, with the comma that goes with it. */
export function removeAt(text: string, path: JSONPath): string {
  const value = nodeAt(text, path);
  const node = value?.parent?.type === 'property' ? value.parent : value;
  const siblings = node?.parent?.children ?? [];
  if (node?.parent === undefined) return text;
  const at = siblings.indexOf(node);
  const [previous, next] = [siblings[at - 1], siblings[at + 1]];
  if (previous !== undefined) return splice(text, endOf(previous), endOf(node), '');
  if (next !== undefined) return splice(text, node.offset, next.offset, '');
  return splice(text, node.parent.offset + 1, endOf(node.parent) - 1, '');
}

/** Puts an item at the end of an object or a list: on a line of its own where the items before have one. */
function insert(text: string, container: Node, item: (indent: string) => string): string {
  const eol = lineEnding(text);
  const last = container.children?.at(-1);
  if (last === undefined) {
    const outer = indentAt(text, container);
    const inner = outer + unitOf(text);
    const inside = `${eol}${inner}${item(inner)}${eol}${outer}`;
    return splice(text, container.offset + 1, endOf(container) - 1, inside);
  }
  const lead = text.slice(text.lastIndexOf('\n', last.offset) + 1, last.offset);
  const ownLine = /^[ \t]*$/.test(lead) && text.slice(container.offset, last.offset).includes('\n');
  const indent = ownLine ? lead : indentAt(text, container);
  return splice(text, endOf(last), endOf(last), ownLine ? `,${eol}${indent}${item(indent)}` : `, ${item(indent)}`);
}

function render(value: unknown, indent: string, text: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', `${lineEnding(text)}${indent}`);
}

/** What one step of indentation is in this file. */
function unitOf(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
}

/** Indentation of the line on which a node begins. */
function indentAt(text: string, { offset }: Node): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';
}

function nodeAt(text: string, path: JSONPath): Node | undefined {
  const tree = parseTree(text);
  return tree && findNodeAtLocation(tree, path);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function splice(text: string, start: number, end: number, inside: string): string {
  return text.slice(0, start) + inside + text.slice(end);
}
