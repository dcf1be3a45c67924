import { quotations, type Span } from './quotations.ts';

/** Stands where an inline code, a quotation, an address or the like was left out. */
export const ELIDED = '\uFFFC';

/** Elements that hold code, the words of others, or what was taken back. */
const FOREIGN: readonly string[] = 'blockquote code del example kbd pre q s samp strike thinking'.split(' ');

/** A text without HTML comments and without the content of elements that hold other than one's own words. */
export function withoutMarkup(text: string): string {
  let rest = between(text, '<!--', '-->', '');
  for (const name of FOREIGN) rest = between(rest, `<${name}>`, `</${name}>`, ELIDED);
  return rest;
}

/** One paragraph without inline code, struck out words, addresses and quotations. */
export function withoutInline(paragraph: string): string {
  const struck = cut(paragraph, codeSpans(paragraph), planOf).replace(/~~[^~]*~~/g, ELIDED);
  const text = struck.replace(/\b[a-z][a-z\d+.-]{1,10}:\/\/[^\s<>()*]+/gi, ELIDED);
  return cut(text, quotations(text));
}

/** Replaces everything from `begin` to the next `end`; a beginning without an end stays. Linear. */
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
  // From the end, so that each run knows the next one like it without a search.
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

/** The name of a plan in code is said like any other word: `all stories in prd.json`. */
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
