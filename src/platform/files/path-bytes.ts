import { isUtf8 } from 'node:buffer';

/**
 * Paths are bytes to the kernel and to git, and text to all other code. Bytes that are not UTF-8 become lone surrogates
 * U+DC80–U+DCFF (the scheme of Python's PEP 383): strings and JSON preserve them.
 */
export function pathFromBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const sequence = bytes.subarray(at, at + length);
    if (isUtf8(sequence)) {
      text += sequence.toString('utf8');
      at += length;
    } else {
      text += String.fromCharCode(0xdc00 + lead);
      at += 1;
    }
  }
  return text;
}

/** The bytes of a path that {@link pathFromBytes} made, or of any well-formed text. */
export function pathToBytes(path: string): Buffer {
  // With the u flag, only surrogates that stand alone match.
  if (!/[\uDC80-\uDCFF]/u.test(path)) return Buffer.from(path, 'utf8');
  const parts = [...path].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code >= 0xdc80 && code <= 0xdcff ? Buffer.of(code - 0xdc00) : Buffer.from(character, 'utf8');
  });
  return Buffer.concat(parts);
}
