import { html, type Markup, type Part } from './markup.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Part;
  /** `n`: a number, right-aligned. `k`: short and unbroken. `text`: breaks anywhere. `bar`: a chart. */
  readonly kind?: 'n' | 'k' | 'text' | 'bar';
  /** Left out on a phone. */
  readonly wide?: true;
}

/**
 * A table that scrolls by itself where it is too wide, with the keyboard too.
 * @param label what it is, for who cannot see the heading above it
 * @param phone `stack`: on a phone the cells of a row flow, texts on lines of their own; for rows that read as a sentence
 */
export function table<Row>(
  label: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  phone: 'rows' | 'stack' = 'rows',
): Markup {
  const classOf = ({ kind, wide }: Column<Row>) => [kind ?? '', wide ? 'wide' : ''].join(' ').trim();
  const head = columns.map((column) =>
    column.title === ''
      ? html`<td class="${classOf(column)}"></td>`
      : html`<th scope="col" class="${classOf(column)}">${column.title}</th>`,
  );
  const line = (row: Row) =>
    html`<tr>${columns.map((column) => html`<td class="${classOf(column)}">${column.cell(row)}</td>`)}</tr>\n`;
  return html`<div class="scroll ${phone}" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${head}</tr></thead><tbody>
${rows.map(line)}</tbody></table></div>`;
}
