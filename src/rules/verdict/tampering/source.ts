import { linesOf } from './change.ts';

/** How a language writes comments and strings: enough to tell code from text. */
export interface Lexis {
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  /** Longer openers first. */
  readonly strings: readonly StringForm[];
  /** JavaScript: a slash after an operator opens a regular expression. */
  readonly slashRegex?: boolean;
}

interface StringForm {
  readonly open: string;
  readonly close: string;
  /** A newline inside belongs to the string; otherwise it ends an unclosed one. */
  readonly multiline?: boolean;
  /** No backslash escapes. */
  readonly raw?: boolean;
  /** Opens an interpolated expression that may itself contain strings, e.g. `${`. */
  readonly interpolation?: string;
}

/** Replaces each character inside a string in masked code. */
export const FILLER = '\u00b7';

/** A text and two views of it, all with the same length so that offsets agree. */
export interface Masked {
  readonly text: string;
  /** Comments are blank, the insides of strings are {@link FILLER}; newlines stay. */
  readonly code: string;
  /** Only the insides of comments; the rest is blank. */
  readonly comments: string;
  /** 1-based line of an offset. */
  readonly lineAt: (offset: number) => number;
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ');
const filled = (text: string) => text.replace(/[^\n]/g, FILLER);

/** Words after which a slash in JavaScript is not a division. */
const beforeRegex = /(?:^|[(,=:[!&|?{};+\-*%<>~^])\s*$|\b(?:return|typeof|case|in|of|do|else|void|yield|await)\s*$/;
const regexLiteral = /\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//y;

/** Tells code from comments and strings. Linear in the text; malformed text gives a view, never an error. */
export function mask(text: string, lexis: Lexis): Masked {
  const code: string[] = [];
  const comments: string[] = [];
  const special = startsOf(lexis);
  let at = 0;
  while (at < text.length) {
    special.lastIndex = at;
    const next = special.exec(text)?.index ?? text.length;
    code.push(text.slice(at, next));
    comments.push(blank(text.slice(at, next)));
    if (next === text.length) break;
    const part = readPart(text, next, lexis);
    code.push(part.code);
    comments.push(part.comment);
    at = next + part.code.length;
  }
  return { text, code: code.join(''), comments: comments.join(''), lineAt: linesOf(text) };
}

interface Part {
  readonly code: string;
  readonly comment: string;
}

function readPart(text: string, at: number, lexis: Lexis): Part {
  const line = lexis.lineComments.find((open) => text.startsWith(open, at));
  if (line !== undefined && !isShellParameter(text, at, line)) {
    const newline = text.indexOf('\n', at);
    return comment(text.slice(at, newline === -1 ? text.length : newline), line.length, 0);
  }
  const block = lexis.blockComments.find(([open]) => text.startsWith(open, at));
  if (block !== undefined) {
    const close = text.indexOf(block[1], at + block[0].length);
    const end = close === -1 ? text.length : close + block[1].length;
    return comment(text.slice(at, end), block[0].length, close === -1 ? 0 : block[1].length);
  }
  const form = lexis.strings.find(({ open }) => text.startsWith(open, at));
  if (form !== undefined) return string(text.slice(at, endOfString(text, at, form)), form);
  if (lexis.slashRegex === true && beforeRegex.test(text.slice(Math.max(0, at - 40), at))) {
    regexLiteral.lastIndex = at;
    const literal = regexLiteral.exec(text)?.[0];
    if (literal !== undefined) return string(literal, { open: '/', close: '/' });
  }
  return { code: text.slice(at, at + 1), comment: blank(text.slice(at, at + 1)) };
}

/** `$#` and `${x#y}` open no comment. */
function isShellParameter(text: string, at: number, open: string): boolean {
  return open === '#' && /[\w$#{]/.test(text[at - 1] ?? '\n');
}

function comment(raw: string, open: number, close: number): Part {
  const inside = raw.slice(open, raw.length - close);
  return { code: blank(raw), comment: ' '.repeat(open) + inside + ' '.repeat(raw.length - open - inside.length) };
}

function string(raw: string, form: StringForm): Part {
  const close = raw.length > form.open.length && raw.endsWith(form.close) ? form.close : '';
  const inside = raw.slice(form.open.length, raw.length - close.length);
  return { code: raw.slice(0, form.open.length) + filled(inside) + close, comment: blank(raw) };
}

function endOfString(text: string, start: number, form: StringForm): number {
  let at = start + form.open.length;
  let depth = 0;
  while (at < text.length) {
    if (form.raw !== true && text[at] === '\\') at += 2;
    else if (form.interpolation !== undefined && text.startsWith(form.interpolation, at)) {
      depth += 1;
      at += form.interpolation.length;
    } else if (depth > 0) {
      if (text[at] === '{') depth += 1;
      if (text[at] === '}') depth -= 1;
      at += 1;
    } else if (text.startsWith(form.close, at)) return at + form.close.length;
    else if (text[at] === '\n' && form.multiline !== true) return at;
    else at += 1;
  }
  return text.length;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

function startsOf({ lineComments, blockComments, strings, slashRegex }: Lexis): RegExp {
  const opens = [...lineComments, ...blockComments.map(([open]) => open), ...strings.map(({ open }) => open)];
  return new RegExp([...opens, ...(slashRegex === true ? ['/'] : [])].map(escaped).join('|'), 'g');
}

/**
 * End (exclusive) of the statement that starts at `start` in masked code: a semicolon, or a newline outside brackets
 * with no continuation, or the closing bracket around it.
 */
export function endOfStatement(code: string, start: number): number {
  const stop = /[;\n()[\]{}]/g;
  stop.lastIndex = start;
  let depth = 0;
  for (let match = stop.exec(code); match !== null; match = stop.exec(code)) {
    const [mark] = match;
    if ('([{'.includes(mark)) depth += 1;
    else if (')]}'.includes(mark)) {
      if (depth === 0) return match.index;
      depth -= 1;
    } else if (depth === 0 && (mark === ';' || !continues(code, match.index))) return match.index;
  }
  return code.length;
}

/** Whether the newline is inside a string, or a chained call, a body or an operand follows it. */
function continues(code: string, newline: number): boolean {
  if (code[newline - 1] === FILLER || code[newline + 1] === FILLER) return true;
  const next = /\s*(?:\??\.\w|->|\|>|\{)/y;
  next.lastIndex = newline;
  return (
    next.test(code) || /(?:[,=.\\]|&&|\|\||\b(?:and|or))[ \t]*$/.test(code.slice(Math.max(0, newline - 8), newline))
  );
}

/** Offset of the bracket that closes the one at `open`, or the end of the code. */
export function closingOf(code: string, open: number): number {
  const bracket = /[()[\]{}]/g;
  bracket.lastIndex = open;
  let depth = 0;
  for (let match = bracket.exec(code); match !== null; match = bracket.exec(code)) {
    depth += '([{'.includes(match[0]) ? 1 : -1;
    if (depth <= 0) return match.index;
  }
  return code.length;
}

/** End of a block marked by indentation: lines deeper than the line of `head`, and the `end` at its depth. */
export function endOfIndentation(code: string, head: number): number {
  const depth = indentationAt(code, head);
  let end = endOfLine(code, endOfStatement(code, head));
  for (let at = end + 1; at < code.length; ) {
    const stop = endOfLine(code, at);
    const line = code.slice(at, stop);
    const isInString = line.startsWith(FILLER) || code[at - 2] === FILLER;
    if (line.trim() !== '' && !isInString && indentationAt(code, at) <= depth)
      return indentationAt(code, at) === depth && /^\s*(?:end\b|[})\]])/.test(line) ? stop : end;
    if (line.trim() !== '') end = stop;
    at = stop + 1;
  }
  return end;
}

/** Offset of the newline that ends the line of `offset`, or the end of the text. */
function endOfLine(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  return newline === -1 ? text.length : newline;
}

/** Offset of the first character of the line that holds `offset`. */
export function startOfLine(text: string, offset: number): number {
  return offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Columns of white space before the first character of the line; a tab counts as four. */
export function indentationAt(text: string, offset: number): number {
  const white = /[ \t]*/y;
  white.lastIndex = startOfLine(text, offset);
  return (white.exec(text)?.[0] ?? '').replaceAll('\t', '    ').length;
}
