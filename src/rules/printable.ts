/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: controls are what this file is about */

/** Escape sequences of terminals (ECMA-48): CSI, complete OSC/DCS/SOS/PM/APC strings, two-character escapes. */
const SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

/** Controls but newline and tab, and characters that reorder the text around them. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Text that may go into a log: whoever prints it later gets no escape sequences and no controls. Newlines stay. */
export function printable(text: string): string {
  return text.replace(SEQUENCE, '').replace(/\r\n?/g, '\n').replaceAll('\t', '  ').replace(UNSAFE, '');
}

/** One line of at most `length` characters, for messages and events. */
export function shortLine(text: string, length = 200): string {
  // Cut before as well: a command may be megabytes long, and only its beginning is shown.
  const line = printable(text.slice(0, 4 * length))
    .replace(/\s+/g, ' ')
    .trim();
  const whole = line.length <= length && text.length <= 4 * length;
  return whole ? line : `${line.slice(0, length - 1)}…`;
}
