import type { Problem } from '../../../contracts/index.ts';

/** A problem that makes a file unusable, or a part of it. `story`: the id of the story that it is about. */
export function error(rule: string, file: string, line: number, message: string, fix: string, story?: string): Problem {
  return { severity: 'error', rule, file, line, message, fix, ...(story === undefined ? {} : { story }) };
}

/** The same for a problem with which the file can be used. */
export function warning(...facts: Parameters<typeof error>): Problem {
  return { ...error(...facts), severity: 'warning' };
}

/** A foreign story whose id in the file is already that of another one. */
export function repeatedId(ownId: string, id: string, line: number, file: string): Problem {
  const message = `the id ${ownId} is used more than once; this story is called ${id}`;
  return warning('schema/unique-id', file, line, message, 'Give every story its own id.', id);
}

const NOT_UTF8 = 'Save it again with the encoding UTF-8.';

/**
 * The text of a file written by people or agents. Byte order mark and line ends are kept, since the file is written
 * back; content that is not text (or not UTF-8) gives a problem instead.
 */
export function decodeText(bytes: Uint8Array, file: string): { readonly text: string } | { readonly problem: Problem } {
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (wide) return { problem: error('schema/encoding', file, 1, 'the file is UTF-16, not UTF-8', NOT_UTF8) };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes('\0')) return { text };
  } catch {
    if (!bytes.includes(0)) {
      const line = lineOfByte(bytes, firstBadByte(bytes));
      return { problem: error('schema/encoding', file, line, 'the file is not valid UTF-8', NOT_UTF8) };
    }
  }
  const fix = 'Restore the file from git, or rewrite it as plain text.';
  const line = lineOfByte(bytes, bytes.indexOf(0));
  return { problem: error('schema/binary', file, line, 'the file is binary: it contains a NUL byte', fix) };
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

/** Numbers of the lines that contain offsets; one pass over the text where they ascend. */
export function linesAt(text: string, offsets: readonly number[]): number[] {
  let line = 1;
  let start = 0;
  return offsets.map((offset) => {
    if (offset < start) [line, start] = [1, 0];
    for (let end = text.indexOf('\n', start); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
      line += 1;
      start = end + 1;
    }
    return line;
  });
}

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

export function endOfLine(text: string, offset: number): number {
  const feed = text.indexOf('\n', offset);
  const end = feed === -1 ? text.length : feed;
  return end > offset && text[end - 1] === '\r' ? end - 1 : end;
}

/** The rest of a line, without its end. */
export function lineFrom(text: string, offset: number): string {
  return text.slice(offset, endOfLine(text, offset));
}
