/** At most so many words come of one; a bomb like `{a,b}{a,b}…` is cut short. */
const MOST_WORDS = 128;

/** Braces in one word beyond this many, and words beyond this length, stay as they are. */
const MOST_BRACES = 12;
const LONGEST_WORD = 2_000;

/**
 * Brace expansion over the source text of a word, quotes and substitutions left as they are: `a{b,c}` → `ab`, `ac`;
 * `{1..3}` → `1`, `2`, `3`. Returns the text itself when nothing expands.
 */
export function expandBraces(source: string): readonly string[] {
  let words: readonly string[] = [source];
  if (source.length > LONGEST_WORD) return words;
  for (let round = 0; round < MOST_BRACES; round += 1) {
    const next = words.flatMap(expandFirst).slice(0, MOST_WORDS);
    if (next.length === words.length) return words;
    words = next;
  }
  return words;
}

function expandFirst(source: string): readonly string[] {
  for (let open = nextBrace(source, 0); open >= 0; open = nextBrace(source, open + 1)) {
    const group = readGroup(source, open);
    if (group === null) continue;
    const head = source.slice(0, open);
    const tail = source.slice(group.end);
    return group.items.map((item) => head + item + tail);
  }
  return [source];
}

function nextBrace(source: string, from: number): number {
  for (let at = from; at < source.length; at = skipUnit(source, at)) {
    if (source[at] === '{') return at;
  }
  return -1;
}

interface Group {
  readonly items: readonly string[];
  readonly end: number;
}

function readGroup(source: string, open: number): Group | null {
  const items: string[] = [];
  let start = open + 1;
  let depth = 0;
  for (let at = open + 1; at < source.length; at = skipUnit(source, at)) {
    const char = source[at];
    if (char === '{') depth += 1;
    else if (char === ',' && depth === 0) {
      items.push(source.slice(start, at));
      start = at + 1;
    } else if (char === '}' && depth > 0) depth -= 1;
    else if (char === '}') {
      const last = source.slice(start, at);
      if (items.length > 0) return { items: [...items, last], end: at + 1 };
      const sequence = readSequence(last);
      return sequence === null ? null : { items: sequence, end: at + 1 };
    }
  }
  return null;
}

function readSequence(body: string): readonly string[] | null {
  const match = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(body);
  if (match === null) return null;
  const [, first = '', last = '', step = '1'] = match;
  const letters = /[A-Za-z]/.test(first);
  if (letters !== /[A-Za-z]/.test(last)) return null;
  const from = letters ? (first.codePointAt(0) ?? 0) : Number(first);
  const to = letters ? (last.codePointAt(0) ?? 0) : Number(last);
  const stride = Math.max(1, Math.abs(Number(step))) * (to < from ? -1 : 1);
  const items: string[] = [];
  for (let value = from; stride > 0 ? value <= to : value >= to; value += stride) {
    if (items.length === MOST_WORDS) break;
    items.push(letters ? String.fromCodePoint(value) : String(value));
  }
  return items;
}

/** The position behind the character, escape, quoted string or substitution that starts here. */
function skipUnit(source: string, at: number): number {
  const char = source[at];
  if (char === '\\') return at + 2;
  if (char === "'") return behind(source, "'", at + 1);
  if (char === '"') return behindDoubleQuotes(source, at + 1);
  if (char === '`') return behind(source, '`', at + 1);
  const next = source[at + 1];
  if (char === '$' && next === '{') return behindNesting(source, at + 1, '{', '}');
  if (char === '$' && next === '(') return behindNesting(source, at + 1, '(', ')');
  return at + 1;
}

function behind(source: string, mark: string, from: number): number {
  const end = source.indexOf(mark, from);
  return end < 0 ? source.length : end + 1;
}

function behindDoubleQuotes(source: string, from: number): number {
  let at = from;
  while (at < source.length && source[at] !== '"') at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}

function behindNesting(source: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === open) depth += 1;
    else if (source[at] === close) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return source.length;
}
