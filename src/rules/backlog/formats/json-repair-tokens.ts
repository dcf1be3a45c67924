/** A piece of text that is nearly JSON. */
export interface LooseToken {
  readonly kind: '{' | '}' | '[' | ']' | ':' | ',' | 'value' | 'name' | 'comment' | 'end' | 'cut' | 'bad';
  readonly start: number;
  readonly end: number;
  /** What proper JSON writes there. */
  readonly json: string;
  /** What had to be changed for that; null when nothing had. */
  readonly repair: string | null;
}

/** Words of other languages for what JSON has one word for. */
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

/** A string that needs no mending: most of them. */
const PLAIN = /"[^"\\\p{Cc}]*"/uy;

/** The token at or after `from`: `end` at the end of the text, `cut` when it breaks off there, `bad` for what nothing can mend. */
export function nextToken(text: string, from: number): LooseToken {
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

/** A string in any quotes; raw line breaks and tabs in it are escaped, escapes that mean nothing stay as they look. */
function readString(text: string, start: number, closing: string): Omit<LooseToken, 'start'> {
  const repairs = new Set<string>();
  if (text[start] !== '"') repairs.add('double quotes were put around a string');
  let json = '"';
  let breaks = false;
  for (let i = start + 1; i < text.length; i++) {
    const unit = text[i] ?? '';
    if (unit === closing) {
      // "it's": between two letters it is an apostrophe.
      if (closing === "'" && /^\p{L}'\p{L}/u.test(text.slice(i - 1, i + 2))) {
        json += unit;
        continue;
      }
      // A line break before the next quote may just as well mean that this string was never closed.
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
