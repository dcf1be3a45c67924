/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: controls are what this file is about */

/**
 * Escape sequences as ECMA-48 defines them: CSI …, complete OSC/DCS/SOS/PM/APC strings, two-character escapes.
 * Stricter than `util.stripVTControlCharacters`, which may take text for the body of a sequence and swallow it:
 * an agent must not be able to hide words. Linear: a string part ends at the next escape.
 */
const SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]+[0-~]/g;

/**
 * C0 and C1 controls, and the characters that reorder the text around them (bidirectional overrides and isolates):
 * none of them may reach a terminal from an agent's output.
 */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** One safe line: escape sequences and controls gone, line breaks and tabs turned into single spaces. */
export function oneLine(text: string): string {
  return text
    .replace(SEQUENCE, '')
    .replace(/[\s\u0085]+/g, ' ')
    .replace(UNSAFE, '')
    .trim();
}

/** Safe lines: as {@link oneLine}, but line breaks and indentation stay. */
export function safeLines(text: string): readonly string[] {
  return text
    .replace(SEQUENCE, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.replaceAll('\t', '  ').replace(UNSAFE, '').trimEnd());
}
