/**
 * Finds the positions of values in JSON text without building a tree: the text must already have passed `JSON.parse`,
 * so the scanner only counts brackets and skips strings. One pass, linear, no recursion.
 */

/** A value in its container: `[start, end)` in the text; members of objects also have a key and its position. */
export interface Child {
  readonly key: string | null;
  /** Start of the key for members, else of the value. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const COMMA = 44;

/** Offset of the first character at or after `at` that is not white space (a byte order mark counts as white space). */
export function skipSpace(text: string, at: number): number {
  let i = at;
  for (;;) {
    const code = text.charCodeAt(i);
    if (code === 32 || code === 10 || code === 13 || code === 9 || code === 0xfeff) i += 1;
    else return i;
  }
}

/** Offset just after the value that starts at `start`. */
export function skipValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return skipString(text, start);
  if (first !== OPEN_ARRAY && first !== OPEN_OBJECT) return skipScalar(text, start);
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = skipString(text, i) - 1;
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return text.length;
}

/** The children of the array or object that starts at `start`, in file order; nothing for a scalar. */
export function children(text: string, start: number): Child[] {
  const found: Child[] = [];
  for (let at = firstChild(text, start); at !== -1; ) {
    const { key, value } = readKey(text, start, at);
    const end = skipValue(text, value);
    found.push({ key, from: at, start: value, end });
    at = nextChild(text, end);
  }
  return found;
}

/** The child under a key or an index. Of repeated keys the last counts, as it does for `JSON.parse`. */
export function childAt(all: readonly Child[], key: string | number): Child | undefined {
  return typeof key === 'number' ? all[key] : all.findLast((child) => child.key === key);
}

/**
 * Where the elements of an array, or the values of an object, start. In a file with one element per line they are found
 * by their indentation: raw line breaks never occur inside JSON strings, so a search at the engine's speed is safe if
 * it finds the expected number. Any other layout is scanned.
 *
 * @param count how many elements `JSON.parse` found
 */
export function elementStarts(text: string, start: number, count: number): number[] {
  if (count === 0) return [];
  if (text.charCodeAt(start) === OPEN_ARRAY) {
    const first = skipSpace(text, start + 1);
    const lineBreak = text.lastIndexOf('\n', first);
    if (lineBreak > start) {
      const lead = text.slice(lineBreak, first + 1);
      const found: number[] = [];
      for (let at = lineBreak; at !== -1 && found.length <= count; at = text.indexOf(lead, at + 1)) {
        found.push(at + lead.length - 1);
      }
      if (found.length === count) return found;
    }
  }
  return children(text, start).map((child) => child.start);
}

/**
 * Start of the value at the end of a path from the root, or null when the path leads nowhere. The text after it is not
 * scanned.
 */
export function locate(text: string, path: readonly (string | number)[]): number | null {
  let at: number | null = skipSpace(text, 0);
  for (const key of path) {
    at = at === null ? null : findChild(text, at, key);
  }
  return at;
}

/** Start of one child's value. Of repeated keys the first is found: looking for others would read the whole text. */
function findChild(text: string, start: number, wanted: string | number): number | null {
  let index = 0;
  for (let at = firstChild(text, start); at !== -1; index++) {
    const { key, value } = readKey(text, start, at);
    if (wanted === (key ?? index)) return value;
    at = nextChild(text, skipValue(text, value));
  }
  return null;
}

/** The start of a container's first child, with its key if it has one; -1 when there is no child. */
function firstChild(text: string, start: number): number {
  const open = text.charCodeAt(start);
  if (open !== OPEN_ARRAY && open !== OPEN_OBJECT) return -1;
  const at = skipSpace(text, start + 1);
  const code = text.charCodeAt(at);
  return code === CLOSE_ARRAY || code === CLOSE_OBJECT ? -1 : at;
}

function nextChild(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text.charCodeAt(at) === COMMA ? skipSpace(text, at + 1) : -1;
}

function readKey(text: string, container: number, at: number): { key: string | null; value: number } {
  if (text.charCodeAt(container) !== OPEN_OBJECT) return { key: null, value: at };
  const end = skipString(text, at);
  const colon = skipSpace(text, end);
  return { key: JSON.parse(text.slice(at, end)) as string, value: skipSpace(text, colon + 1) };
}

function skipString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i += 1;
    else if (code === QUOTE) return i + 1;
  }
  return text.length;
}

function skipScalar(text: string, start: number): number {
  let i = start;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT || code <= 32) break;
    i += 1;
  }
  return i;
}
