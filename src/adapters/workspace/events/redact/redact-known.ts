import { REDACTED } from './redact-shape.ts';

/** Shorter values are words that may stand anywhere. */
const SHORTEST_KNOWN = 12;
/** Lines of a value that has several, such as a key in a variable: printed one by one they are secrets, too. */
const SHORTEST_LINE = 20;

/** Names of variables that hold secrets; not those that only have such a word in them. */
const SECRET_NAME = /KEY(?!BOARD|MAP|RING|STROKE|WORD)|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL/i;
/** Variables that say where a secret is, or what it is called. */
const PLACE_NAME = /(?:PATH|FILE|DIR|FOLDER|HOME|SOCK|URL|URI|ENDPOINT|NAME|_ID|HELPER)$/i;
const PLACE_VALUE = /^(?:~|\.{1,2})?\/[\w.-]+\/|^[a-z]+:\/\/[^@]*$/;

const known = new Set<string>();
let pattern: RegExp | null = null;

/**
 * From here on these values are replaced wherever they stand, for the life of this process: the tokens that it handed
 * out, and what its environment holds. Values of fewer than 12 characters are left alone.
 */
export function knowSecrets(values: Iterable<string>): void {
  for (const value of values) {
    if (value.length < SHORTEST_KNOWN || REDACTED.includes(value)) continue;
    for (const form of formsOf(value)) known.add(form);
  }
  rebuild();
}

/** The value is worth nothing any more. */
export function forgetSecret(value: string): void {
  for (const form of formsOf(value)) known.delete(form);
  rebuild();
}

function rebuild(): void {
  // The longest first: one may begin with another.
  const forms = [...known].sort((a, b) => b.length - a.length);
  pattern = forms.length === 0 ? null : new RegExp(forms.map(escaped).join('|'), 'g');
}

/** The values of variables whose names say that they are secrets. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) && !PLACE_NAME.test(name) && !PLACE_VALUE.test(value) ? [value] : [],
  );
}

/** The text without what is known to be secret. */
export function withoutKnown(text: string): string {
  return pattern === null ? text : text.replace(pattern, REDACTED);
}

/** As it is, as JSON writes it, and as addresses do. */
function formsOf(value: string): readonly string[] {
  const lines = value.includes('\n')
    ? value.split('\n').filter((line) => line.length >= SHORTEST_LINE && !line.startsWith('-----'))
    : [];
  return [value, JSON.stringify(value).slice(1, -1), addressForm(value), ...lines];
}

function addressForm(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // Half of a character: no address can hold it.
    return value;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
