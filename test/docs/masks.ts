import { stripVTControlCharacters } from 'node:util';

/** What differs from one day, machine or run to the next, and what stands in for it, in this order. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\b\d{8}-\d{6}-[a-z0-9]{4}\b/g, '‹run›'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?\b/g, '‹date›'],
  [/\b\d\d:\d\d(?::\d\d)?\b/g, '‹time›'],
  [/\b(?:\d+h ?)?(?:\d+m ?)?\d+(?:\.\d+)?m?s\b/g, '‹duration›'],
  [/\$\d+(?:\.\d+)?/g, '‹cost›'],
  [/\b\d+(?:\.\d+)?[kM]? tokens\b/g, '‹tokens›'],
  [/\b(?=[a-f]*\d)[0-9a-f]{7,40}\b/g, '‹commit›'],
  [/(127\.0\.0\.1|localhost):\d+/g, '$1:‹port›'],
  [/\bagent scripted\b/g, 'agent claude'],
  [/\bralph \d+\.\d+\.\d+/g, 'ralph ‹version›'],
  [/\/home\/[a-z]+/g, '/home/una'],
];

/**
 * Whether `printed` is what a page shows. Masked on both sides is what a page cannot know; runs of blanks count as
 * one; a line `…` stands for any lines, `…` within a line for any text. Pure.
 *
 * @param home the folder that pages call `/home/una`
 */
export function isAsShown(printed: string, shown: string, home: string): boolean {
  const lines = cleaned(shown).split('\n');
  const pattern = lines.map((line) => (line === '…' ? '(?:.*\\n)*?' : `${linePattern(line)}\\n`)).join('');
  return new RegExp(`^${pattern}$`).test(`${cleaned(printed.replaceAll(home, '/home/una'))}\n`);
}

function linePattern(line: string): string {
  return line.split('…').map(escaped).join('.*');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

function cleaned(text: string): string {
  const masked = MASKS.reduce((rest, [pattern, name]) => rest.replace(pattern, name), stripVTControlCharacters(text));
  const lines = masked.split('\n').map((line) => line.replace(/[ \t]+/g, ' ').trimEnd());
  return lines.join('\n').replace(/^\n+|\n+$/g, '');
}
