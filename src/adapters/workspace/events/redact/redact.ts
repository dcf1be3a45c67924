import { valueWithout, withoutSecrets } from '../../../../platform/secrets.ts';
import { redactEndOfBlock } from './redact-block.ts';
import { CONTEXT, CONTEXT_SHAPES } from './redact-contexts.ts';
import type { Shape } from './redact-shape.ts';
import { TOKEN_SHAPES } from './redact-tokens.ts';

/** A replaced secret may lay bare another one that was glued to it; more than this many in a chain is no text at all. */
const MOST_PASSES = 5;

/**
 * The text with keys, tokens, passwords and authorisation headers replaced by `[redacted]`. Idempotent; text without
 * secrets comes back as it is. By shape, by what stands around it, and what `knowSecrets` was told: a secret that looks
 * like a word and that nobody named cannot be known.
 */
export function redact(text: string): string {
  if (text.length < 8) return text;
  let clean = withoutSecrets(text);
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const before = clean;
    clean = replaced(clean, TOKEN_SHAPES);
    if (CONTEXT.test(clean)) clean = redactEndOfBlock(replaced(clean, CONTEXT_SHAPES));
    if (clean === before) break;
  }
  return clean;
}

/** JSON of a value with every string in it redacted. */
export function redactedJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === 'string' ? redact(part) : part));
}

/** A value of JSON with every string in it redacted. */
export function redactedValue<T>(value: T): T {
  return valueWithout(value, redact);
}

function replaced(text: string, shapes: readonly Shape[]): string {
  return shapes.reduce((clean, { pattern, replace }) => clean.replace(pattern, replace), text);
}
