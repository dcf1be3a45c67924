import { displayWidth } from './width.ts';

/** Colours and the like: they take no column. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const STYLE = /\u001b\[[\d;]*m/g;

/** Where the text beside a label begins. */
const BESIDE_LABEL = 12;

/**
 * A line in as many as the terminal needs, broken between words and in step with the text beside its label; terminals
 * break in the middle of words. A word that is wider than that stays whole. Pure.
 */
export function hang(line: string, columns: number): readonly string[] {
  if (widthOf(line) <= columns) return [line];
  const margin = line.length - line.trimStart().length;
  const indent = ' '.repeat(Math.max(margin, margin > 0 ? BESIDE_LABEL : 0));
  if (indent.length > columns / 2) return [line];
  const lines: string[] = [];
  let current = line.slice(0, margin);
  for (const word of line.slice(margin).split(/(?<= )/)) {
    // Nothing is gained by breaking right behind a label.
    if (widthOf(current.trimEnd()) > indent.length && widthOf(current + word.trimEnd()) > columns) {
      lines.push(current.trimEnd());
      current = indent;
    }
    current += word;
  }
  return [...lines, current];
}

/** Columns that a painted line takes. */
export function widthOf(text: string): number {
  return displayWidth(text.replace(STYLE, ''));
}
