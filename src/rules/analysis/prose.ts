import { ownLines } from './blocks.ts';
import { withoutInline, withoutMarkup } from './inline.ts';

/**
 * What an agent says in its own voice: its text without code (fenced, indented, inline), block quotes, quotations,
 * status block, HTML comments, struck out words and addresses. What is left out inside a sentence becomes `ELIDED`,
 * what stood on lines of its own becomes empty lines. Linear in the length of the text.
 */
export function prose(text: string): string {
  return paragraphs(withoutMarkup(ownLines(text).join('\n')))
    .map(withoutInline)
    .join('\n\n');
}

/** The pieces between blank lines, the empty ones left out. */
function paragraphs(text: string): readonly string[] {
  const found: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (line.trim() === '') found.push([]);
    else found.at(-1)?.push(line);
  }
  return found.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
}
