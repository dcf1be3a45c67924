import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits: not to be guessed. */
const TOKEN_BYTES = 32;

export function mintToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The token in an `Authorization` header. The name of the scheme is case-insensitive: RFC 9110 §11.1. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}

/** Digests are of equal length, which the comparison needs, and make the time it takes independent of the token. */
export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** How long it takes tells nothing about either. */
export function sameToken(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}
