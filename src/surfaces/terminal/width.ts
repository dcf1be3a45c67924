let segmenter: Intl.Segmenter | undefined;

// The common case, which needs no segmenter.
const ASCII = /^[\u0020-\u007e]*$/;

/** Scripts and symbols that terminals draw two columns wide. */
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

/** Characters that take no column of their own. */
const ZERO = /^[\p{M}\p{Cf}]+$/u;

/** Columns that `text` (no escape sequences) takes on a terminal. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment);
  return width;
}

/** `text` in at most `columns` columns, the last one an ellipsis when something was cut. */
export function truncate(text: string, columns: number): string {
  if (columns <= 0) return '';
  // Each character takes a column or is part of one that does: far beyond the width nothing needs measuring.
  const head = text.length > columns * 16 ? text.slice(0, columns * 16) : text;
  if (head === text && displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes(head)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** `text` filled with spaces to at least `columns` columns. */
export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

/** `text` moved to the right end of `columns` columns. */
export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - displayWidth(text))) + text;
}

function graphemeWidth(segment: string): number {
  if (WIDE.test(segment)) return 2;
  return ZERO.test(segment) ? 0 : 1;
}

/** The segmenter is made when it is first needed: loading its rules takes longer than a short command. */
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}
