import type { Lexis, StringForm } from '../languages/language.ts';
import { linesOf } from './lines.ts';

/** Stands for one character of a string's inside in masked code. */
export const FILLER = '\u00b7';

/** A text and two views of it, all of the same length so that offsets agree. */
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

/** Words after which a slash in JavaScript cannot divide. */
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
