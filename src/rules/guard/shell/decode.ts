import { UNKNOWN } from './text.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The text that base64 stands for (one character for each byte); null when it is not base64 or not known. */
export function decodeBase64(encoded: string): string | null {
  const digits = encoded.replace(/\s/g, '').replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  if (encoded.includes(UNKNOWN) || /[^A-Za-z0-9+/]/.test(digits)) return null;
  let decoded = '';
  let bits = 0;
  let value = 0;
  for (const digit of digits) {
    value = ((value << 6) | ALPHABET.indexOf(digit)) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      decoded += String.fromCodePoint((value >> bits) & 0xff);
    }
  }
  return decoded;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** As `decodeBase64`, for base32. */
export function decodeBase32(encoded: string): string | null {
  const digits = encoded.replace(/\s/g, '').replace(/=+$/, '').toUpperCase();
  if (encoded.includes(UNKNOWN) || /[^A-Z2-7]/.test(digits)) return null;
  const bits = [...digits].map((digit) => BASE32.indexOf(digit).toString(2).padStart(5, '0')).join('');
  return (bits.match(/[01]{8}/g) ?? []).map((byte) => String.fromCodePoint(Number.parseInt(byte, 2))).join('');
}

/** The text that pairs of hexadecimal digits stand for; null when they are none or not known. */
export function decodeHex(encoded: string): string | null {
  const digits = encoded.replace(/\s|\\x|0x/g, '');
  if (digits === '' || digits.length % 2 === 1 || /[^\da-fA-F]/.test(digits)) return null;
  return (digits.match(/../g) ?? []).map((pair) => String.fromCodePoint(Number.parseInt(pair, 16))).join('');
}
