import { CONFLICT } from './json.ts';
import { linesAt } from './text.ts';

interface RepairedJson {
  readonly text: string;
  readonly repairs: readonly string[];
}

interface Open {
  readonly close: '}' | ']';
  /** Parts of the output up to its bracket. */
  readonly start: number;
  /** Parts of the output up to its last complete element: a truncated file is cut back to there. */
  complete: number;
}

/** What the last token was, comments aside; a closing bracket ends a value. */
type Last = 'open' | 'key' | 'colon' | 'value' | 'comma';

const FENCE = /^\s*```(?:json|jsonc|json5)?[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```\s*$/;

/**
 * Repairs common faults of JSON that people, models and truncated writes leave. All other bytes stay. Null when that is
 * not enough, or a merge conflict is left in the text. For a valid text, `repairs` is empty.
 */
export function repairJson(text: string): RepairedJson | null {
  // Only a person can say which side of a merge is right.
  if (CONFLICT.test(text)) return null;
  const { body, notes } = unwrap(text);
  const repaired = repairBody(body);
  if (repaired === null) return null;
  try {
    JSON.parse(repaired.text);
  } catch {
    return null;
  }
  return { text: repaired.text, repairs: [...notes, ...repaired.repairs] };
}

function unwrap(text: string): { body: string; notes: string[] } {
  const notes: string[] = [];
  let body = text;
  if (body.startsWith('\uFEFF')) {
    body = body.slice(1);
    notes.push('line 1: the byte order mark was removed');
  }
  const fenced = FENCE.exec(body)?.[1];
  if (fenced !== undefined) notes.push('line 1: the code fence around the JSON was removed');
  return { body: fenced ?? body, notes };
}

function repairBody(text: string): RepairedJson | null {
  const notes: { readonly offset: number; readonly what: string }[] = [];
  const stack: Open[] = [];
  const parts: string[] = [];
  let last: Last | null = null;
  /** Everything before this offset is in the output. */
  let copied = 0;
  /** The part that holds the last comma, and its offset. */
  let comma = { part: 0, at: 0 };

  const note = (offset: number, what: string): void => {
    notes.push({ offset, what });
  };
  /** Copies the white space before a token, then the token's JSON. */
  const write = (token: LooseToken, json: string): void => {
    parts.push(text.slice(copied, token.start), json);
    copied = token.end;
    if (token.repair !== null) note(token.start, token.repair);
  };
  const endValue = (): Last => {
    const top = stack.at(-1);
    if (top) top.complete = parts.length;
    return 'value';
  };

  for (let at = 0; ; ) {
    const token = nextToken(text, at);
    at = token.end;
    const { kind, start } = token;
    const top = stack.at(-1);
    if (kind === 'bad') return null;
    if (kind === 'comment') write(token, '');
    else if (kind === 'end' || kind === 'cut') {
      if (top) cutBack();
      else if (last === null || kind === 'cut') return null;
      else parts.push(text.slice(copied));
      return { text: parts.join(''), repairs: told() };
    } else if (kind === '}' || kind === ']') {
      if (last === null || last === 'key' || last === 'colon') return null;
      if (!stack.some(({ close }) => close === kind)) {
        note(start, `a stray ${kind} was removed`);
        write(token, '');
        continue;
      }
      if (last === 'comma') {
        parts[comma.part] = '';
        note(comma.at, 'a trailing comma was removed');
      }
      for (let open = stack.pop(); open && open.close !== kind; open = stack.pop()) {
        note(start, `a missing ${open.close} was added`);
        parts.push(open.close);
      }
      write(token, kind);
      last = endValue();
    } else if (!top) {
      if (last !== null || (kind !== '{' && kind !== '[')) return null;
      last = open();
    } else if (kind === ',') {
      if (last === 'key' || last === 'colon') return null;
      const isExtra = last !== 'value';
      if (isExtra) note(start, 'an extra comma was removed');
      write(token, isExtra ? '' : ',');
      if (isExtra) continue;
      comma = { part: parts.length - 1, at: start };
      last = 'comma';
    } else if (kind === ':') {
      if (last !== 'key') return null;
      write(token, ':');
      last = 'colon';
    } else {
      if (last === 'key') return null;
      if (last === 'value') {
        // Without space between them, this is more likely a quotation mark inside a string.
        if (start === copied && text[start] !== '{') return null;
        note(copied, 'a missing comma was added');
        parts.push(',');
      }
      const isKey = top.close === '}' && last !== 'colon';
      if (isKey ? kind !== 'name' && !token.json.startsWith('"') : kind === 'name') return null;
      if (isKey) {
        write(token, token.json);
        last = 'key';
      } else if (kind === 'value') {
        write(token, token.json);
        last = endValue();
      } else last = open();
    }

    function open(): Last {
      write(token, token.json);
      stack.push({ close: kind === '{' ? '}' : ']', start: parts.length, complete: parts.length });
      return 'open';
    }
  }

  /** The file ends after its last complete element; an unfinished one is left out, with containers that hold nothing. */
  function cutBack(): void {
    const { length } = stack;
    const isWhole = last === 'value';
    for (let top = stack.at(-1); top && !isWhole; top = stack.at(-1)) {
      parts.length = top.complete;
      if (top.complete > top.start || stack.length === 1) break;
      stack.pop();
    }
    const left = isWhole ? '' : ', and incomplete parts were left out';
    note(text.trimEnd().length, `the file ends too early: ${length} open brackets were closed${left}`);
    const closing = stack.map(({ close }) => close).reverse();
    parts.splice(0, parts.length, parts.join('').trimEnd(), ...closing);
  }

  function told(): string[] {
    const sorted = notes.toSorted((a, b) => a.offset - b.offset);
    const lines = linesAt(
      text,
      sorted.map(({ offset }) => offset),
    );
    return sorted.map(({ what }, index) => `line ${lines[index]}: ${what}`);
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
  if (comment !== null) return token('comment', comment, '', 'a comment was removed');
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
      if (escaped === undefined) repairs.add('an unknown escape was written out');
      i += escaped?.length ?? (text[i + 1] === "'" ? 1 : 0);
    } else if (unit < ' ') {
      breaks ||= unit === '\n';
      json += JSON.stringify(unit).slice(1, -1);
      repairs.add('line breaks or tabs in a string were escaped');
    } else json += unit === '"' ? '\\"' : unit;
  }
  return { kind: 'cut', end: text.length, json: '', repair: null };
}
