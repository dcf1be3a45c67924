/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: controls are what this file is about */

/**
 * Escape sequences as ECMA-48 defines them: CSI …, complete OSC/DCS/SOS/PM/APC strings, two-character escapes. Stricter
 * than `util.stripVTControlCharacters`, which may mistake text for the body of a sequence and swallow it: an agent must
 * not be able to hide words. Linear: a string part ends at the next escape.
 */
const SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]+[0-~]/g;

/**
 * C0 and C1 control characters except newline and tab, and the characters that reorder the text around them
 * (bidirectional overrides and isolates): none of them may reach a terminal from an agent's output.
 */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Text for a log, without escape sequences and control characters, because it is printed later. Newlines stay. */
export function printable(text: string): string {
  return text.replace(SEQUENCE, '').replace(/\r\n?/g, '\n').replaceAll('\t', '  ').replace(UNSAFE, '');
}

export function safeLines(text: string): readonly string[] {
  return printable(text)
    .split('\n')
    .map((line) => line.trimEnd());
}

/** One safe line: escape sequences and control characters removed, line breaks and tabs turned into single spaces. */
export function oneLine(text: string): string {
  return text
    .replace(SEQUENCE, '')
    .replace(/[\s\u0085]+/g, ' ')
    .replace(UNSAFE, '')
    .trim();
}

/** One line of at most `length` characters, for messages and events. */
export function shortLine(text: string, length = 200): string {
  // Also cut before cleaning: a command may be megabytes long, and only its beginning is shown.
  const line = oneLine(text.slice(0, 4 * length));
  const whole = line.length <= length && text.length <= 4 * length;
  return whole ? line : `${line.slice(0, length - 1)}…`;
}

/** Control characters except line breaks and tabs, and direction overrides; marks that languages need stay. */
const TRICKS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Foreign text for a file, without characters that only trick terminals and readers; lines and words stay. */
export function cleanText(text: string): string {
  return text.replace(SEQUENCE, '').replace(TRICKS, '');
}

/** A value with every text in it cleaned; names of fields stay. */
export function cleanValue(value: unknown, clean = cleanText): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((each) => cleanValue(each, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cleanValue(each, clean)]));
}
