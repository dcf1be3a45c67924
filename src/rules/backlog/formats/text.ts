import type { Problem } from '../../../contracts/index.ts';

/**
 * The text of a file written by people or agents. Byte order mark and line ends are kept, since the file is written
 * back; content that is not text (or not UTF-8) gives a problem instead.
 */
export function decodeText(bytes: Uint8Array, file: string): { readonly text: string } | { readonly problem: Problem } {
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (wide) {
    return bad(file, 1, 'schema/encoding', 'the file is UTF-16, not UTF-8', 'Save it again with the encoding UTF-8.');
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    if (bytes.includes(0)) return binary(bytes, file);
    const line = lineOfByte(bytes, firstBadByte(bytes));
    return bad(file, line, 'schema/encoding', 'the file is not valid UTF-8', 'Save it again with the encoding UTF-8.');
  }
  return text.includes('\0') ? binary(bytes, file) : { text };
}

function binary(bytes: Uint8Array, file: string): { problem: Problem } {
  const mend = 'Restore the file from git, or write it anew as plain text.';
  return bad(
    file,
    lineOfByte(bytes, bytes.indexOf(0)),
    'schema/binary',
    'the file is binary: it holds a NUL byte',
    mend,
  );
}

function bad(file: string, line: number, rule: string, message: string, mend: string): { problem: Problem } {
  return { problem: { severity: 'error', rule, file, line, message, mend } };
}

function lineOfByte(bytes: Uint8Array, offset: number): number {
  let line = 1;
  for (let at = bytes.indexOf(10); at !== -1 && at < offset; at = bytes.indexOf(10, at + 1)) line += 1;
  return line;
}

/** Start of the first line that does not decode; lines decode alone, since UTF-8 never hides a line feed. */
function firstBadByte(bytes: Uint8Array): number {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let start = 0;
  while (start < bytes.length) {
    const feed = bytes.indexOf(10, start);
    const end = feed === -1 ? bytes.length : feed + 1;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return start;
    }
    start = end;
  }
  return 0;
}

/** Number of the line (1-based) that contains `offset`. `\n` ends a line, so CRLF counts once; a lone `\r` does not. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Numbers of the lines that contain `offsets`, which must ascend; one pass over the text for any number of offsets. */
export function linesAt(text: string, offsets: readonly number[]): number[] {
  const lines: number[] = [];
  let line = 1;
  let at = text.indexOf('\n');
  for (const offset of offsets) {
    while (at !== -1 && at < offset) {
      line += 1;
      at = text.indexOf('\n', at + 1);
    }
    lines.push(line);
  }
  return lines;
}

/** The text's line ending, taken from its first line. */
export function lineEnding(text: string): '\n' | '\r\n' {
  const first = text.indexOf('\n');
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n';
}

/** The most frequent value, the first of equals; null when there are none. */
export function mostFrequent(values: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let best: string | null = null;
  for (const [value, count] of counts) if (best === null || count > (counts.get(best) ?? 0)) best = value;
  return best;
}
