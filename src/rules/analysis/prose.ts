import { ownLines } from './markdown.ts';

/**
 * What an agent says in its own voice: its text without code (fenced, indented, inline), block quotes, quotations,
 * status blocks, HTML comments, struck-out words and addresses. Text removed inside a sentence becomes `ELIDED`, whole
 * removed lines become empty lines. Linear in the length of the text.
 */
export function prose(text: string): string {
  return paragraphs(withoutMarkup(ownLines(text).join('\n')))
    .map(withoutInline)
    .join('\n\n');
}

function paragraphs(text: string): readonly string[] {
  const found: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (line.trim() === '') found.push([]);
    else found.at(-1)?.push(line);
  }
  return found.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
}

/** Replaces an inline code, a quotation, an address or similar text. */
const ELIDED = '\uFFFC';

/** Elements that hold code, another person's words, or retracted text. */
const FOREIGN: readonly string[] = 'blockquote code del example kbd pre q s samp strike thinking'.split(' ');

/** A text without HTML comments and without the content of elements that do not hold the agent's own words. */
function withoutMarkup(text: string): string {
  let rest = between(text, '<!--', '-->', '');
  for (const name of FOREIGN) rest = between(rest, `<${name}>`, `</${name}>`, ELIDED);
  return rest;
}

function withoutInline(paragraph: string): string {
  const struck = cut(paragraph, codeSpans(paragraph), planOf).replace(/~~[^~]*~~/g, ELIDED);
  const text = struck.replace(/\b[a-z][a-z\d+.-]{1,10}:\/\/[^\s<>()*]+/gi, ELIDED);
  return cut(text, quotations(text));
}

/** Replaces everything from `begin` to the next `end`; a `begin` without an `end` stays. Linear. */
function between(text: string, begin: string, end: string, instead: string): string {
  const last = text.lastIndexOf(end);
  const kept: string[] = [];
  let from = 0;
  for (let at = text.indexOf(begin); at >= 0 && at < last; at = text.indexOf(begin, from)) {
    kept.push(text.slice(from, at), instead);
    from = text.indexOf(end, at) + end.length;
  }
  return kept.join('') + text.slice(from);
}

/** Code between two runs of equally many backticks. */
function codeSpans(paragraph: string): readonly Span[] {
  const runs = [...paragraph.matchAll(/`+/g)];
  const next = new Map<number, number>();
  // Backwards, so that each run knows the next run of its length without a search.
  const closing = runs
    .toReversed()
    .map(({ 0: run }, back) => {
      const found = next.get(run.length) ?? -1;
      next.set(run.length, runs.length - 1 - back);
      return found;
    })
    .toReversed();
  const spans: Span[] = [];
  for (let i = 0; i < runs.length; i += 1) {
    const start = runs[i]?.index ?? 0;
    const close = runs[closing[i] ?? -1];
    if (close === undefined) continue;
    spans.push({ start, end: close.index + close[0].length });
    i = closing[i] ?? i;
  }
  return spans;
}

/** A plan's name in code is part of the sentence like any other word: `all stories in prd.json`. */
function planOf(code: string): string {
  return (
    /^`+ ?((?:[\w.-]{1,40}\/){0,4}(?:tasks|prd|plan|to-?do|backlog|stories|prompt|spec)\.(?:json|ya?ml|md))(?= ?`)/i.exec(
      code,
    )?.[1] ?? ELIDED
  );
}

function cut(text: string, spans: readonly Span[], instead: (cut: string) => string = () => ELIDED): string {
  const kept: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    kept.push(text.slice(from, start), instead(text.slice(start, end)));
    from = end;
  }
  return kept.join('') + text.slice(from);
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Opening quotation marks, and what closes each. A mark that opens in one language may close in another. */
const CLOSED_BY: Readonly<Record<string, readonly string[]>> = {
  '"': ['"'],
  "'": ["'"],
  '“': ['”'],
  '‘': ['’'],
  '„': ['“', '”'],
  '‚': ['‘', '’'],
  '«': ['»'],
  '»': ['«'],
  '‹': ['›'],
  '›': ['‹'],
};

const MARKS: ReadonlySet<string> = new Set([...Object.keys(CLOSED_BY), ...Object.values(CLOSED_BY).flat()]);

/** Marks with another meaning (apostrophe, inch): they count only where they are placed like a quotation mark. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['"', "'", '’']);

/**
 * The quoted passages of one paragraph, the outermost of nested ones, by position. A mark that is never closed quotes
 * nothing. Linear in the length of the text.
 */
function quotations(paragraph: string): readonly Span[] {
  const spans: Span[] = [];
  const open: { readonly mark: string; readonly start: number }[] = [];
  // How many open marks each closing mark could close, so that a stray one costs no search.
  const awaited = new Map<string, number>();
  const expectClose = (mark: string, by: number): void => {
    for (const closing of CLOSED_BY[mark] ?? []) awaited.set(closing, (awaited.get(closing) ?? 0) + by);
  };
  for (let at = 0; at < paragraph.length; at += 1) {
    const mark = paragraph.charAt(at);
    if (!MARKS.has(mark)) continue;
    if ((awaited.get(mark) ?? 0) > 0 && mayClose(paragraph, at)) {
      for (let top = open.pop(); top !== undefined; top = open.pop()) {
        expectClose(top.mark, -1);
        if (CLOSED_BY[top.mark]?.includes(mark) !== true) continue;
        while ((spans.at(-1)?.start ?? -1) > top.start) spans.pop();
        spans.push({ start: top.start, end: at + 1 });
        break;
      }
    } else if (mark in CLOSED_BY && mayOpen(paragraph, at)) {
      open.push({ mark, start: at });
      expectClose(mark, 1);
    }
  }
  return spans;
}

function mayOpen(text: string, at: number): boolean {
  if (!AMBIGUOUS.has(text.charAt(at))) return true;
  return (at === 0 || /[\s([{<=:,;/—–*_“‘"'-]/.test(text.charAt(at - 1))) && /\S/.test(text.charAt(at + 1));
}

function mayClose(text: string, at: number): boolean {
  if (!AMBIGUOUS.has(text.charAt(at))) return true;
  return /\S/.test(text.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(text.charAt(at + 1));
}
