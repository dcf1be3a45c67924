import type { Head, Language } from '../languages/language.ts';
import { endOfStatement } from '../source/brackets.ts';
import { endOfLine, indentationAt, startOfLine } from '../source/lines.ts';
import type { Masked } from '../source/mask.ts';

/** A head with its range, before it has a place in the tree of units. */
export interface Found {
  readonly name: string;
  /** The name is computed. */
  readonly dynamic: boolean;
  readonly start: number;
  readonly head: number;
  readonly end: number;
}

/** Everything in a file that one head describes. */
export function findHeads(
  head: Head,
  language: Language,
  source: Masked,
  partners: ReadonlyMap<number, number>,
): readonly Found[] {
  const found: Found[] = [];
  for (const match of source.code.matchAll(head.pattern)) {
    const at = match.index + match[0].search(/\S|$/);
    const start = startOfAnnotations(source, at, language);
    if (head.annotation !== undefined && !head.annotation.test(source.text.slice(start, at + match[0].length)))
      continue;
    const after = match.index + match[0].length;
    const body =
      head.shape === 'call'
        ? bodyOfCall(source, partners, after)
        : language.body === 'brackets'
          ? bodyOfBrackets(source, partners, after)
          : bodyByIndentation(source, partners, at);
    if (body === null) continue;
    const string = firstString(source, body.arguments, body.end);
    if (head.stringThenMore === true && (string === null || !string.more)) continue;
    const identifier = match.groups?.['name'];
    const name = identifier ?? string?.text ?? oneLine(source.text.slice(body.arguments, body.end));
    const dynamic = identifier === undefined && (string === null || string.dynamic);
    found.push({ name: name.replace(/^[`"]|[`"]$/g, '').trim(), dynamic, start, head: at, end: body.end });
  }
  return found;
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').replace(/^\(/, '').slice(0, 60);

interface Body {
  /** Where the arguments, or what stands in their place, begin. */
  readonly arguments: number;
  readonly end: number;
}

/** `it('x', fn)`, also curried: `it.each(rows)('x', fn)`; the last arguments count. */
function bodyOfCall({ code }: Masked, partners: ReadonlyMap<number, number>, from: number): Body | null {
  const generic = /\s*<[^()]*?>\s*(?=\()/y;
  generic.lastIndex = from;
  let at = generic.test(code) ? generic.lastIndex : from;
  let last: Body | null = null;
  for (;;) {
    const opener = /\s*([(`])/y;
    opener.lastIndex = at;
    const match = opener.exec(code);
    if (match === null) return last;
    const open = opener.lastIndex - 1;
    const close = match[1] === '(' ? partners.get(open) : code.indexOf('`', open + 1);
    if (close === undefined || close === -1) return last;
    last = { arguments: open, end: close + 1 };
    at = close + 1;
  }
}

/** The first braces after the head, unless the statement ends before (a declaration without a body, an arrow's expression). */
function bodyOfBrackets({ code }: Masked, partners: ReadonlyMap<number, number>, from: number): Body | null {
  const stop = /[({[;]|=>\s*(?=[^\s{])/g;
  stop.lastIndex = from;
  for (let match = stop.exec(code); match !== null; match = stop.exec(code)) {
    if (match[0] === ';') return null;
    if (match[0].startsWith('=>')) {
      return { arguments: from, end: endOfStatement(code, partners, match.index + match[0].length) };
    }
    const close = partners.get(match.index);
    if (close === undefined) return null;
    if (match[0] === '{') return { arguments: from, end: close + 1 };
    stop.lastIndex = close + 1;
  }
  return null;
}

/** Lines that are indented deeper than the head, and the `end` of the same depth. */
function bodyByIndentation({ code }: Masked, partners: ReadonlyMap<number, number>, head: number): Body {
  const depth = indentationAt(code, head);
  let end = endOfLine(code, endOfStatement(code, partners, head));
  for (let at = end + 1; at < code.length; ) {
    const stop = endOfLine(code, at);
    const line = code.slice(at, stop);
    const inString = /^\u00b7/.test(line) || /\u00b7$/.test(code.slice(startOfLine(code, at - 1), at - 1));
    if (line.trim() !== '' && !inString && indentationAt(code, at) <= depth) {
      if (indentationAt(code, at) === depth && /^\s*(?:end\b|[})\]])/.test(line)) end = stop;
      break;
    }
    if (line.trim() !== '') end = stop;
    at = stop + 1;
  }
  return { arguments: head, end };
}

interface FirstString {
  readonly text: string;
  readonly more: boolean;
  readonly dynamic: boolean;
}

/** The string that stands first among the arguments. */
function firstString({ text, code }: Masked, from: number, end: number): FirstString | null {
  const first = /[^\n"'`(]{0,40}?\(?\s*[^\n"'`(]{0,40}?(["'`])[\u00b7\n]*\1\s*([,+]?)/y;
  first.lastIndex = from;
  const match = first.exec(code.slice(0, end));
  if (match === null) return null;
  const open = code.indexOf(match[1] ?? '', from);
  const inside = text.slice(open + 1, code.indexOf(match[1] ?? '', open + 1));
  const dynamic = match[2] === '+' || /%[sdifjop#]|\$\{|#\{|\$\w/.test(inside) || /[\w)]\s*\+/.test(match[0]);
  return { text: inside, more: match[2] === ',', dynamic };
}

/** Annotations directly above a head; a comment may stand between. */
function startOfAnnotations({ text, code }: Masked, head: number, { annotationLine }: Language): number {
  let start = startOfLine(code, head);
  if (annotationLine === undefined) return head;
  let candidate = start;
  while (candidate > 0) {
    const above = startOfLine(code, candidate - 1);
    const line = text.slice(above, candidate - 1).trim();
    const isComment = line !== '' && code.slice(above, candidate - 1).trim() === '';
    if (annotationLine.test(line)) start = above;
    else if (!isComment) break;
    candidate = above;
  }
  return start;
}
