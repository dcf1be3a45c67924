/**
 * The secrets of this process: values that it must never write, in any encoding in which programs print them. Each
 * module calls {@link withoutSecrets} before it writes to disk, terminal, commit or network.
 */

/** Replaces a secret. Its brackets keep it from being read as part of another secret. */
export const REDACTED = '[redacted]';

/** Shorter values are ordinary words that may appear anywhere. */
const SHORTEST_KNOWN = 12;
/** Shortest line of a multi-line value, such as a key in a variable, that counts as a secret when printed alone. */
const SHORTEST_LINE = 20;
/**
 * At least this much of a secret at the end of a piece is taken for its beginning, to be continued in the next piece.
 */
const SHORTEST_PART = 6;

/** Names of variables that hold secrets; not those that merely contain such a word. */
const SECRET_NAME =
  /KEY(?!BOARD|MAP|RING|STROKE|WORD)|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|_PAT$|[A-Z]_PWD$|_AUTH$/i;
/** Variables that hold the location or the name of a secret. */
const PLACE_NAME = /(?:PATH|FILE|DIR|FOLDER|HOME|SOCK|URL|URI|ENDPOINT|NAME|_ID|HELPER)$/i;
const PLACE_VALUE = /^(?:~|\.{1,2})?\/[\w.-]+\/|^[a-z]+:\/\/[^@]*$/;
/** The password in an address, as in `DATABASE_URL`. */
const PASSWORD_IN_ADDRESS = /:\/\/[^\s/:@]*:([^\s/@]+)@/g;

/** A text that gives a secret away. */
interface Form {
  /** The variable, or what the secret is. */
  readonly name: string;
  /** Without white space, as {@link squeezed} leaves it. */
  readonly text: string;
}

const known = new Map<string, readonly Form[]>();
let forms: readonly Form[] = [];
/** Two beginnings of each form: at least one is whole where a program broke the lines. */
let heads: readonly string[] = [];
let longest = 0;

/**
 * From here on these values are never written, for the life of this process. Values of fewer than 12 characters are
 * ignored.
 * @param name how a person knows the secret
 */
export function knowSecrets(values: Iterable<string>, name = 'a token of this run'): void {
  const before = known.size;
  for (const value of values) {
    if (known.has(value) || value.trim().length < SHORTEST_KNOWN || REDACTED.includes(value)) continue;
    known.set(value, formsOf(value, name));
  }
  if (known.size > before) rebuild();
}

/** The same for every variable whose name marks it as a secret, and for passwords in addresses. */
export function knowEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of secretsOf(env)) knowSecrets([value], name);
}

/** For a value that is no longer valid. */
export function forgetSecret(value: string): void {
  known.delete(value);
  rebuild();
}

/** The variables whose names mark them as secrets, and passwords in addresses with the name of their variable. */
function secretsOf(
  env: Readonly<Record<string, string | undefined>>,
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const inAddress = [...value.matchAll(PASSWORD_IN_ADDRESS)].map(([, password = '']) => [name, password] as const);
    const isSecret = SECRET_NAME.test(name) && !PLACE_NAME.test(name) && !PLACE_VALUE.test(value);
    return isSecret ? [[name, value] as const, ...inAddress] : inAddress;
  });
}

/**
 * The text with every known secret replaced by `[redacted]`: in plain form, escaped for JSON or an address, as base64
 * at any offset, as hexadecimal digits, each also where line breaks split it, and the rest of a secret where the text
 * was cut at either end. Idempotent; a text without secrets comes back unchanged, at the cost of a few searches.
 * @param allowed a text in which secrets may appear: what a person wrote there stays
 */
export function withoutSecrets(text: string, allowed = ''): string {
  if (forms.length === 0 || text.length < SHORTEST_PART || !mayHold(text)) return text;
  const spans = [
    ...wholeIn(text),
    ...cutAtEnd(text.replace(/(?:…|\.{3})$/, ''), SHORTEST_KNOWN),
    ...cutAtStart(text, SHORTEST_KNOWN),
  ];
  return replaced(text, allowed === '' ? spans : spans.filter(([from, to]) => !allowed.includes(text.slice(from, to))));
}

/**
 * The same for a text that a person has seen in an earlier version: only near to what is new can a secret be new.
 * @param allowed as above, asked for only if something is found there
 */
export function withoutNewSecrets(text: string, before: string, allowed: () => string): string {
  if (forms.length === 0) return text;
  const start = commonLength(Math.min(text.length, before.length), (from, to) => [
    text.slice(from, to),
    before.slice(from, to),
  ]);
  const end = commonLength(Math.min(text.length, before.length) - start, (from, to) => [
    text.slice(text.length - to, text.length - from),
    before.slice(before.length - to, before.length - from),
  ]);
  const near = text.slice(Math.max(0, start - 2 * longest), text.length - end + 2 * longest);
  return mayHold(near) ? withoutSecrets(text, allowed()) : text;
}

/** How much two texts of at least this length have in common at one end; without looking at single characters. */
function commonLength(most: number, piece: (from: number, to: number) => readonly [string, string]): number {
  let same = 0;
  for (let step = 2 ** Math.floor(Math.log2(most + 1)); step >= 1; step /= 2) {
    if (same + step > most) continue;
    const [one, other] = piece(same, same + step);
    if (one === other) same += step;
  }
  return same;
}

/** A JSON value with secrets removed from every string in it, keys included. */
export function valueWithoutSecrets<T>(value: T): T {
  return forms.length === 0 ? value : valueWithout(value, withoutSecrets);
}

/** A JSON value with `clean` applied to every string in it, keys included. */
export function valueWithout<T>(value: T, clean: (text: string) => string): T {
  const within = (part: unknown): unknown => {
    if (typeof part === 'string') return clean(part);
    if (Array.isArray(part)) return part.map(within);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, each]) => [clean(key), within(each)]));
  };
  return within(value) as T;
}

/** The names of the known secrets that a text holds in full, in any encoding. */
export function secretsIn(text: string): readonly string[] {
  if (forms.length === 0 || !mayHold(text)) return [];
  return [...new Set(wholeIn(text).map(([, , name]) => name))];
}

/** The same for text that comes in pieces; returns what was found so far. */
export function secretSearch(): (piece: Uint8Array) => readonly string[] {
  const decoder = new TextDecoder();
  const found = new Set<string>();
  let before = '';
  return (piece) => {
    const text = before + decoder.decode(piece, { stream: true });
    for (const name of secretsIn(text)) found.add(name);
    before = text.slice(-2 * longest);
    return [...found];
  };
}

/** Whether any secret is known. If not, costly steps are skipped. */
export function knowsSecrets(): boolean {
  return forms.length > 0;
}

/**
 * Redacts a text that comes in pieces, where a secret may begin in one and continue in the next. Nothing is held back:
 * a possible beginning of a secret at the end of a piece is replaced, and so is its continuation in the next. If a
 * secret is cut within its first characters, those few get through.
 */
export function secretStream(): (piece: string) => string {
  let before = '';
  return (piece) => {
    if (forms.length === 0) return piece;
    const text = before + piece;
    const at = before.length;
    // As much as a form with broken lines may take.
    before = text.slice(-2 * longest);
    if (!mayHold(text)) return piece;
    const spans = [...wholeIn(text), ...cutAtEnd(text, SHORTEST_PART)].flatMap(([from, to, name]): Span[] =>
      to <= at ? [] : [[Math.max(from, at) - at, to - at, name]],
    );
    return replaced(piece, spans);
  };
}

type Span = readonly [from: number, to: number, name: string];

function rebuild(): void {
  const all = new Map([...known.values()].flat().map((form) => [form.text, form]));
  forms = [...all.values()];
  longest = Math.max(0, ...forms.map(({ text }) => text.length));
  heads = [
    ...new Set(
      forms.flatMap(({ text }) => [
        text.slice(0, SHORTEST_PART),
        text.slice(SHORTEST_PART, 2 * SHORTEST_PART),
        text.slice(-SHORTEST_PART),
      ]),
    ),
  ];
}

/** All forms in which a program may print a value. */
function formsOf(value: string, name: string): readonly Form[] {
  const bytes = Buffer.from(value.trim());
  const encoded = [...base64Of(bytes), bytes.toString('hex'), bytes.toString('hex').toUpperCase(), addressForm(value)];
  const lines = value.includes('\n')
    ? value.split('\n').filter((line) => line.length >= SHORTEST_LINE && !line.startsWith('-----'))
    : [];
  const texts = [value, JSON.stringify(value).slice(1, -1), ...encoded, ...lines];
  return texts
    .flatMap((text) => [text, squeezed(text).text])
    .filter((text) => text.length >= SHORTEST_KNOWN)
    .map((text) => ({ name, text }));
}

/** The part of the base64 of these bytes that does not depend on the bytes around them, in both alphabets. */
function base64Of(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const own = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function addressForm(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // Half of a surrogate pair: no address can hold it.
    return value;
  }
}

/** A quick check: false for nearly every text. */
function mayHold(text: string): boolean {
  return heads.some((head) => text.includes(head)) || ESCAPED_BYTE.test(text);
}

const ESCAPED_BYTE = /%[0-9a-f]{2}/i;
/** White space, raw and as JSON writes it (escaped once or more often), and bytes as addresses write them. */
const SQUEEZED = /\s+|\\+[nrt]|%[0-9a-f]{2}/gi;

/** A text without white space and with address escapes undone, and where each of its characters was. */
function squeezed(text: string): { readonly text: string; readonly at: readonly number[] } {
  const at: number[] = [];
  let out = '';
  let done = 0;
  const take = (upTo: number) => {
    out += text.slice(done, upTo);
    for (let i = done; i < upTo; i++) at.push(i);
  };
  for (const match of text.matchAll(SQUEEZED)) {
    take(match.index);
    if (match[0].startsWith('%')) {
      out += String.fromCharCode(Number.parseInt(match[0].slice(1), 16));
      at.push(match.index);
    }
    done = match.index + match[0].length;
  }
  take(text.length);
  at.push(text.length);
  return { text: out, at };
}

function wholeIn(text: string): readonly Span[] {
  const spans: Span[] = [];
  const { text: tight, at } = squeezed(text);
  for (const { name, text: form } of forms) {
    for (let i = text.indexOf(form); i >= 0; i = text.indexOf(form, i + 1)) spans.push([i, i + form.length, name]);
    for (let i = tight.indexOf(form); i >= 0; i = tight.indexOf(form, i + 1)) {
      spans.push([at[i] ?? 0, endOf(text, at, i + form.length), name]);
    }
  }
  return spans;
}

/** The position after the character before `i`: white space that follows it is not part of the secret. */
function endOf(text: string, at: readonly number[], i: number): number {
  const last = at[i - 1] ?? 0;
  return ESCAPED_BYTE.test(text.slice(last, last + 3)) && text[last] === '%' ? last + 3 : last + 1;
}

/** Beginnings of secrets, at least `least` characters long, that the end of the text cuts off. */
function cutAtEnd(text: string, least: number): readonly Span[] {
  const skipped = Math.max(0, text.length - 2 * longest);
  const { text: tight, at } = squeezed(text.slice(skipped));
  const spans: Span[] = [];
  for (const { name, text: form } of forms) {
    const head = form.slice(0, SHORTEST_PART);
    for (let i = tight.indexOf(head); i >= 0 && i <= tight.length - least; i = tight.indexOf(head, i + 1)) {
      if (tight.length - i < form.length && form.startsWith(tight.slice(i)))
        spans.push([skipped + (at[i] ?? 0), text.length, name]);
    }
  }
  return spans;
}

/** Ends of secrets whose beginning was cut off. */
function cutAtStart(text: string, least: number): readonly Span[] {
  const start = text.slice(0, 2 * longest);
  const { text: tight, at } = squeezed(start);
  const spans: Span[] = [];
  for (const { name, text: form } of forms) {
    const tail = form.slice(-SHORTEST_PART);
    for (let i = tight.indexOf(tail); i >= 0; i = tight.indexOf(tail, i + 1)) {
      const end = i + tail.length;
      if (end >= least && form.endsWith(tight.slice(0, end))) spans.push([0, endOf(start, at, end), name]);
    }
  }
  return spans;
}

/** Spans may overlap; those that touch are merged. */
function replaced(text: string, spans: readonly Span[]): string {
  let out = '';
  let done = 0;
  let open = false;
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
    if (from > done || (from === done && !open)) {
      out += text.slice(done, from) + REDACTED;
      open = true;
    }
    done = Math.max(done, to);
  }
  return out + text.slice(done);
}
