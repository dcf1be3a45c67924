/** A part of a text: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Quotation marks that open, and what closes each. Some close in one language what they open in another. */
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

/** Marks that also stand for something else (apostrophe, inch): only where they are set like a quotation mark. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['"', "'", '’']);

/**
 * The quoted passages of one paragraph, the outermost of nested ones, in order. A mark that is never closed quotes
 * nothing. Linear in the length of the text.
 */
export function quotations(paragraph: string): readonly Span[] {
  const spans: Span[] = [];
  const open: { readonly mark: string; readonly start: number }[] = [];
  // How many open marks each closing mark could close, so that a stray one costs nothing.
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
