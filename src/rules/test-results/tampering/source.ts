import { linesOf } from './change.ts';

/** Replaces each character inside a string in masked code. */
const FILLER = '\u00b7';

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

/** Tells code from comments and strings; malformed text gives a view, never an error. */
export function mask(text: string, lexis: RegExp): Masked {
  const code: string[] = [];
  const comments: string[] = [];
  let at = 0;
  for (const { 0: found, index, groups } of text.matchAll(lexis)) {
    const isComment = groups?.['comment'] !== undefined;
    const between = text.slice(at, index);
    code.push(between, isComment ? blank(found) : emptied(found));
    comments.push(blank(between), isComment ? found.replace(COMMENT_MARKS, blank) : blank(found));
    at = index + found.length;
  }
  const rest = text.slice(at);
  return {
    text,
    code: code.join('') + rest,
    comments: comments.join('') + blank(rest),
    lineAt: linesOf(text),
  };
}

const COMMENT_MARKS = /^(?:\/\/|\/\*|#|\n=begin)|(?:\*\/|\n=end)$/g;

/** A string literal with only its outer quotes, also without its closing one. */
function emptied(literal: string): string {
  const open = literal.search(/["'`/]/);
  const last = literal.lastIndexOf(literal[open] ?? '');
  const close = last > open ? last : literal.length;
  return literal.slice(0, open + 1) + literal.slice(open + 1, close).replace(/[^\n]/g, FILLER) + literal.slice(close);
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

const TOKEN = new RegExp(`[\\w$]+|(["'\`/])[${FILLER}\\n]*\\1|[=!<>]=+|[=-]>|&&|\\|\\||::|[^\\s\\w]`, 'g');

/**
 * Tokens of a range without comments. Two layouts of the same code give the same tokens: quotes are unified; semicolons
 * and commas before a closing bracket are dropped.
 */
export function tokensOf({ text, code }: Masked, start: number, end: number): readonly string[] {
  const tokens: string[] = [];
  for (const { 0: masked, 1: quote, index } of code.slice(start, end).matchAll(TOKEN)) {
    const raw = text.slice(start + index, start + index + masked.length);
    if (quote !== undefined && quote !== '/') tokens.push(`'${raw.slice(1, -1)}'`);
    else if (raw !== ';') {
      if (/[)\]}]/.test(raw) && tokens.at(-1) === ',') tokens.pop();
      tokens.push(raw);
    }
  }
  return tokens;
}

/** Words, numbers and strings: what a piece of code is about. */
export function tellingTokens(tokens: readonly string[]): readonly string[] {
  return tokens.filter((text) => /[\p{L}\p{N}_]/u.test(text));
}
