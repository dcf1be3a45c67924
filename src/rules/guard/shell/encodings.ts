import type { Text } from '../api.ts';
import { textsOf } from '../options.ts';
import { joined, UNKNOWN } from '../words.ts';

/** A format repeats while arguments are left, at most so often. */
const MOST_ROUNDS = 256;

/** The output of the shell's `printf FORMAT args…`. Formats other than strings and integers become unknown. */
export function printf(words: readonly Text[]): Text {
  const [format = '', ...args] = textsOf(words);
  let text = '';
  let used = 0;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = used;
    text += withEscapes(
      format.replace(/%(%|[-+ 0#]*(?:\d+|\*)?(?:\.\d+)?[a-zA-Z]|\([^)]*\)T)/g, (_, conversion: string) => {
        if (conversion === '%') return '%';
        const argument = args[used] ?? '';
        used += 1;
        return converted(conversion, argument);
      }),
    );
    if (used >= args.length || used === before) break;
  }
  return { text, from: joined(words).from };
}

function converted(conversion: string, argument: string): string {
  const kind = conversion.slice(-1);
  if (kind === 's' || kind === 'q') return argument;
  if (kind === 'b') return withEscapes(argument);
  if (kind === 'c') return argument.slice(0, 1);
  if (/^[di]$/.test(kind)) return /^-?\d+$/.test(argument) ? argument : UNKNOWN;
  if (kind === 'x' && /^\d+$/.test(argument)) return Number(argument).toString(16);
  if (kind === 'o' && /^\d+$/.test(argument)) return Number(argument).toString(8);
  return UNKNOWN;
}

const SIMPLE: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  f: '\f',
  v: '\v',
  '\\': '\\',
};

/** Backslash escapes as in `echo -e` and `printf`. */
export function withEscapes(text: string): string {
  return text.replace(
    /\\(x[\da-fA-F]{1,2}|u[\da-fA-F]{1,4}|U[\da-fA-F]{1,6}|0?[0-7]{1,3}|[\s\S])/g,
    (whole, sequence: string) => {
      if (/^[xuU]./.test(sequence)) return character(Number.parseInt(sequence.slice(1), 16));
      if (/^[0-7]+$/.test(sequence)) return character(Number.parseInt(sequence, 8));
      return SIMPLE[sequence] ?? whole;
    },
  );
}

function character(code: number): string {
  return code < 0x110000 ? String.fromCodePoint(code) : UNKNOWN;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The decoded text of base64 (one character for each byte); null when it is invalid or unknown. */
export function decodeBase64(encoded: string): string | null {
  return decodeDigits(encoded.replaceAll('-', '+').replaceAll('_', '/'), BASE64, 6);
}

export function decodeBase32(encoded: string): string | null {
  return decodeDigits(encoded.toUpperCase(), BASE32, 5);
}

/** Each digit holds `size` bits. */
function decodeDigits(encoded: string, alphabet: string, size: number): string | null {
  let decoded = '';
  let bits = 0;
  let value = 0;
  for (const digit of encoded.replace(/\s/g, '').replace(/=+$/, '')) {
    if (!alphabet.includes(digit)) return null;
    value = ((value << size) | alphabet.indexOf(digit)) & 0xffff;
    bits += size;
    if (bits >= 8) {
      bits -= 8;
      decoded += String.fromCodePoint((value >> bits) & 0xff);
    }
  }
  return decoded;
}

/** The decoded text of pairs of hexadecimal digits; null when they are invalid or unknown. */
export function decodeHex(encoded: string): string | null {
  const digits = encoded.replace(/\s|\\x|0x/g, '');
  if (digits === '' || digits.length % 2 === 1 || /[^\da-fA-F]/.test(digits)) return null;
  return (digits.match(/../g) ?? []).map((pair) => String.fromCodePoint(Number.parseInt(pair, 16))).join('');
}
