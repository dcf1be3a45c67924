import { CONFLICT } from './json.ts';
import { linesAt } from './text.ts';

interface RepairedJson {
  readonly text: string;
  readonly repairs: readonly string[];
}

/** What a container expects next. After `comma` the container may also end, but then that comma is surplus. */
type Wait = 'first' | 'comma' | 'item' | 'colon' | 'value';

interface Open {
  readonly kind: '{' | '[';
  wait: Wait;
  /** Parts of the output up to its last complete element: a truncated file is cut back to there. */
  complete: number;
}

const FENCE = /^\s*```(?:json|jsonc|json5)?[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```\s*$/;

/**
 * Repairs common faults of JSON that people, models and truncated writes leave. All other bytes stay. Null when that is
 * not enough, or a merge conflict is left in the text. For a valid text, `repairs` is empty.
 */
export function repairJson(text: string): RepairedJson | null {
  // Only a person can say which side of a merge is right.
  if (CONFLICT.test(text)) return null;
  const { body, notes } = unwrap(text);
  const repair = new Repair(body);
  const mended = repair.run();
  if (mended === null) return null;
  try {
    JSON.parse(mended);
  } catch {
    return null;
  }
  return { text: mended, repairs: [...notes, ...repair.repairs()] };
}

function unwrap(text: string): { body: string; notes: string[] } {
  const notes: string[] = [];
  let body = text;
  if (body.startsWith('\uFEFF')) {
    body = body.slice(1);
    notes.push('line 1: the byte order mark was taken out');
  }
  const fenced = FENCE.exec(body)?.[1];
  if (fenced !== undefined) notes.push('line 1: the code fence around the JSON was taken out');
  return { body: fenced ?? body, notes };
}

class Repair {
  private readonly notes: { readonly offset: number; readonly what: string }[] = [];
  private readonly text: string;
  private readonly stack: Open[] = [];
  private readonly parts: string[] = [];
  /** Everything before this offset is in the output. */
  private copied = 0;
  /** The part that holds the last comma, and the offset of that comma in the text. */
  private comma: { readonly part: number; readonly at: number } | null = null;

  constructor(text: string) {
    this.text = text;
  }

  run(): string | null {
    let started = false;
    for (let at = 0; ; ) {
      const token = nextToken(this.text, at);
      at = token.end;
      if (token.kind === 'bad') return null;
      if (token.kind === 'comment') {
        this.write(token, '');
        continue;
      }
      const top = this.stack.at(-1);
      if (!top) {
        if (token.kind === 'end') return started ? this.parts.join('') + this.text.slice(this.copied) : null;
        if (started && (token.kind === '}' || token.kind === ']')) {
          this.drop(token);
          continue;
        }
        if (started || (token.kind !== '{' && token.kind !== '[')) return null;
        started = true;
        this.open(token);
      } else if (token.kind === 'end' || token.kind === 'cut') return this.closeCutOff();
      else if (!this.take(token, top)) return null;
    }
  }

  repairs(): string[] {
    const notes = this.notes.toSorted((a, b) => a.offset - b.offset);
    const lines = linesAt(
      this.text,
      notes.map(({ offset }) => offset),
    );
    return notes.map(({ what }, index) => `line ${lines[index]}: ${what}`);
  }

  /** Takes one token inside a container; false when it is not allowed there. */
  private take(token: LooseToken, top: Open): boolean {
    if (token.kind === '}' || token.kind === ']') return this.close(token);
    if (token.kind === ',') return this.takeComma(token, top);
    if (token.kind === ':') {
      if (top.wait !== 'colon') return false;
      this.write(token, ':');
      top.wait = 'value';
      return true;
    }
    if (top.wait === 'comma') {
      // Without space between them, this is more likely a quotation mark inside a string.
      if (token.start === this.copied && this.text[token.start] !== '{') return false;
      this.note(this.copied, 'a missing comma was added');
      this.parts.push(',');
      top.wait = 'item';
    }
    if (top.kind === '{' && top.wait !== 'value') return this.takeKey(token, top);
    if (token.kind === 'name') return false;
    if (token.kind === 'value') {
      this.write(token, token.json);
      this.complete(top);
    } else this.open(token);
    return true;
  }

  private takeKey(token: LooseToken, top: Open): boolean {
    if (top.wait === 'colon') return false;
    const isWord = token.kind === 'name' || (token.kind === 'value' && token.json.startsWith('"'));
    if (!isWord) return false;
    this.write(token, token.json);
    top.wait = 'colon';
    return true;
  }

  private takeComma(token: LooseToken, top: Open): boolean {
    if (top.wait !== 'comma' && top.wait !== 'item' && top.wait !== 'first') return false;
    const extra = top.wait !== 'comma';
    if (extra) this.note(token.start, 'a comma too many was taken out');
    this.write(token, extra ? '' : ',');
    if (extra) return true;
    this.comma = { part: this.parts.length - 1, at: token.start };
    top.wait = 'item';
    return true;
  }

  private open(token: LooseToken): void {
    this.write(token, token.json);
    this.stack.push({ kind: token.kind as Open['kind'], wait: 'first', complete: this.parts.length });
  }

  private close(token: LooseToken): boolean {
    const kind = token.kind === '}' ? '{' : '[';
    if (!this.stack.some((open) => open.kind === kind)) {
      this.drop(token);
      return true;
    }
    for (let top = this.stack.pop(); top; top = this.stack.pop()) {
      if (top.wait === 'colon' || top.wait === 'value') return false;
      if (top.wait === 'item' && this.comma) this.dropComma(this.comma);
      const own = top.kind === kind;
      const bracket = top.kind === '{' ? '}' : ']';
      if (own) this.write(token, bracket);
      else {
        this.note(token.start, `a missing ${bracket} was added`);
        this.parts.push(bracket);
      }
      const parent = this.stack.at(-1);
      if (parent) this.complete(parent);
      if (own) return true;
    }
    return false;
  }

  private drop(token: LooseToken): void {
    this.note(token.start, `a stray ${token.kind} was taken out`);
    this.write(token, '');
  }

  private dropComma(comma: { readonly part: number; readonly at: number }): void {
    this.parts[comma.part] = '';
    this.note(comma.at, 'a trailing comma was taken out');
  }

  /** The file ends after its last complete element; an unfinished one is left out. */
  private closeCutOff(): string {
    const open = this.stack.length;
    let left = '';
    for (let top = this.stack.at(-1); top && top.wait !== 'comma'; top = this.stack.at(-1)) {
      this.parts.length = top.complete;
      left = ', and what had only begun was left out';
      if (top.wait !== 'first' || this.stack.length === 1) break;
      this.stack.pop();
    }
    this.note(this.text.trimEnd().length, `the file breaks off: ${open} open brackets were closed${left}`);
    const closing = this.stack.map(({ kind }) => (kind === '{' ? '}' : ']')).reverse();
    return this.parts.join('').trimEnd() + closing.join('');
  }

  private complete(open: Open): void {
    open.wait = 'comma';
    open.complete = this.parts.length;
  }

  /** Copies the white space before a token, then the token's JSON. */
  private write(token: LooseToken, json: string): void {
    this.parts.push(this.text.slice(this.copied, token.start), json);
    this.copied = token.end;
    if (token.repair !== null) this.note(token.start, token.repair);
  }

  private note(offset: number, what: string): void {
    this.notes.push({ offset, what });
  }
}

interface LooseToken {
  readonly kind: '{' | '}' | '[' | ']' | ':' | ',' | 'value' | 'name' | 'comment' | 'end' | 'cut' | 'bad';
  readonly start: number;
  readonly end: number;
  readonly json: string;
  /** The change that was necessary; null when there was none. */
  readonly repair: string | null;
}

/** Words of other languages for JSON's literals. */
const LITERALS: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
  ['undefined', 'null'],
  ['NaN', 'null'],
  ['Infinity', 'null'],
  ['-Infinity', 'null'],
]);

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['\u201c', '\u201d'],
  ['\u201d', '\u201d'],
]);

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const LOOSE_NUMBER = /^\+?(-?)0*(\d*)(\.\d*)?$/;

const PLAIN = /"[^"\\\p{Cc}]*"/uy;

/** The token at or after `from`: `end` of the text, `cut` when it breaks off there, `bad` when it cannot be repaired. */
function nextToken(text: string, from: number): LooseToken {
  let at = from;
  while (text.charCodeAt(at) <= 32 || /\s/.test(text[at] ?? '')) at += 1;
  const first = text[at];
  const token = (kind: LooseToken['kind'], end: number, json: string, repair: string | null = null): LooseToken => ({
    kind,
    start: at,
    end,
    json,
    repair,
  });
  if (first === undefined) return token('end', at, '');
  if ('{}[]:,'.includes(first)) return token(first as LooseToken['kind'], at + 1, first);
  PLAIN.lastIndex = at;
  const plain = first === '"' ? PLAIN.exec(text)?.[0] : undefined;
  if (plain !== undefined) return token('value', at + plain.length, plain);
  const comment = commentEnd(text, at);
  if (comment !== null) return token('comment', comment, '', 'a comment was taken out');
  const closing = CLOSING.get(first);
  if (closing !== undefined) return { ...readString(text, at, closing), start: at };
  const word = /^[^\s{}[\]:,"']+/.exec(text.slice(at, at + 200))?.[0] ?? first;
  const end = at + word.length;
  const literal = LITERALS.get(word);
  if (literal !== undefined) return token('value', end, literal, literal === word ? null : `${word} became ${literal}`);
  if (NUMBER.test(word)) return token(end === text.length ? 'cut' : 'value', end, word);
  const loose = LOOSE_NUMBER.exec(word);
  if (loose && /\d/.test(word)) {
    const fraction = loose[3] === undefined || loose[3] === '.' ? '' : loose[3];
    const number = `${loose[1]}${loose[2] || '0'}${fraction}`;
    return token('value', end, number, `the number ${word} became ${number}`);
  }
  if (end === text.length) return token('cut', end, '');
  if (/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(word)) {
    return token('name', end, JSON.stringify(word), `quotes were put around ${word}`);
  }
  return token('bad', end, '');
}

function commentEnd(text: string, at: number): number | null {
  const opening = text.slice(at, at + 2);
  if (opening === '/*') {
    const end = text.indexOf('*/', at + 2);
    return end === -1 ? text.length : end + 2;
  }
  if (opening !== '//' && text[at] !== '#') return null;
  const feed = text.indexOf('\n', at);
  return feed === -1 ? text.length : feed;
}

/** A string in any quotes; raw line breaks and tabs in it are escaped, meaningless escapes keep their characters. */
function readString(text: string, start: number, closing: string): Omit<LooseToken, 'start'> {
  const repairs = new Set<string>();
  if (text[start] !== '"') repairs.add('double quotes were put around a string');
  let json = '"';
  let breaks = false;
  for (let i = start + 1; i < text.length; i++) {
    const unit = text[i] ?? '';
    if (unit === closing) {
      // "it's": a quote between two letters is an apostrophe.
      if (closing === "'" && /^\p{L}'\p{L}/u.test(text.slice(i - 1, i + 2))) {
        json += unit;
        continue;
      }
      // A line break before the next quote may also mean that this string was never closed.
      const goesOn = /^\s*(?:[,:}\]]|$)/.test(text.slice(i + 1, i + 200));
      if (breaks && !goesOn) return { kind: 'bad', end: i + 1, json: '', repair: null };
      return { kind: 'value', end: i + 1, json: `${json}"`, repair: [...repairs].join(', ') || null };
    }
    if (unit === '\\') {
      const escaped = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(text.slice(i + 1, i + 6))?.[0];
      if (escaped !== undefined) json += unit + escaped;
      else if (text[i + 1] === "'") json += "'";
      else json += '\\\\';
      if (escaped === undefined) repairs.add('an escape that means nothing was written out');
      i += escaped?.length ?? (text[i + 1] === "'" ? 1 : 0);
    } else if (unit < ' ') {
      breaks ||= unit === '\n';
      json += JSON.stringify(unit).slice(1, -1);
      repairs.add('line breaks or tabs in a string were escaped');
    } else json += unit === '"' ? '\\"' : unit;
  }
  return { kind: 'cut', end: text.length, json: '', repair: null };
}
