import { isSeparator, newlineOf, sectionsOf } from '../progress.ts';

/** Our progress log with another loop's: its lasting texts go above the line, its entries below. Twice adds nothing. */
export function importProgress(
  current: string,
  older: string | null,
  patterns: readonly { readonly file: string; readonly text: string }[],
): string {
  const newline = newlineOf(current);
  const theirs = older === null ? { head: '', entries: '' } : apart(older);
  const learned = [
    ...(theirs.head === '' ? [] : [theirs.head]),
    ...patterns.map(({ file, text }) => `### ${file}\n\n${demoted(text)}`),
  ].filter((text) => !current.includes(text.trim()));
  const { patterns: top, entries: below } = sectionsOf(current);
  const upper = top.length > 0 ? top.slice(0, -1) : [];
  const entries = current.includes(theirs.entries) ? '' : theirs.entries;
  if (learned.length === 0 && entries === '') return current;
  const head = [upper.join('\n').trimEnd(), ...learned.map((text) => text.trim())].filter((text) => text !== '');
  const tail = [below.join('\n').trim(), entries.trim()].filter((text) => text !== '');
  const text = `${head.join('\n\n')}\n\n---\n${tail.length > 0 ? `\n${tail.join('\n\n')}\n` : ''}`;
  return newline === '\n' ? text : text.replace(/\r?\n/g, newline);
}

/** The patterns of an older log, and its entries: separated by a line, by a heading, or not at all. */
function apart(text: string): { readonly head: string; readonly entries: string } {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const lines = plain.split('\n');
  const start = lines.findIndex((line) => /^#{1,3}\s+Codebase Patterns\b/i.test(line));
  if (start === -1) return { head: '', entries: quoted(plain) };
  const after = lines.slice(start + 1);
  const end = after.findIndex((line) => /^(?:#{1,2}\s|---\s*$)/.test(line));
  const head = (end === -1 ? after : after.slice(0, end)).join('\n').trim();
  const rest = [...lines.slice(0, start), ...(end === -1 ? [] : after.slice(end))].join('\n');
  return { head, entries: quoted(rest) };
}

/** A separator line would end our patterns early if it were above the line; below the line it is only noise. */
function quoted(text: string): string {
  return text
    .split('\n')
    .filter((line) => !isSeparator(line))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Headings two levels down, so that they stay inside the patterns; without any line that would end the section. */
function demoted(text: string): string {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  return quoted(plain.replace(/^(#{1,4})(?=\s)/gm, '##$1')).replace(/^#{7,}/gm, '######');
}
