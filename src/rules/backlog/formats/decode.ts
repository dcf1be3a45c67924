import type { Problem } from '../../../contracts/model.ts';

/**
 * The text of a file that people or agents write. Byte order mark and line ends are kept, since the file is written
 * back; what is no text (or no UTF-8) gives a problem instead.
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

/** Start of the first line that does not decode; lines can be judged alone, since UTF-8 never hides a line feed. */
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
