/** The line that begins a status block, and the one that ends it. */
export const BLOCK_BEGIN = '---RALPH_STATUS---';
export const BLOCK_END = '---END_RALPH_STATUS---';

/** Does a line begin a status block? Emphasis, the mark of a list or a heading, and small letters make no difference. */
export function beginsBlock(line: string): boolean {
  return bare(line) === BLOCK_BEGIN;
}

export function endsBlock(line: string): boolean {
  return bare(line) === BLOCK_END;
}

/** Longer than any marker with what people put around it. Without a limit a line of colons would take minutes. */
const LONGEST = 200;

function bare(line: string): string {
  // Most lines are no markers: they are told from one without a copy.
  if (!/RALPH_STATUS/i.test(line)) return '';
  const trimmed = line.trim();
  if (trimmed.length > LONGEST) return '';
  return trimmed
    .replace(/^(?:(?:[-*+]|\d{1,2}[.)]|#{1,6}) +)?[*_`]*/, '')
    .replace(/[*_`:.]*$/, '')
    .replace(/ +/g, '')
    .toUpperCase();
}
