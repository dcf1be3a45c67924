export interface Column<Row> {
  readonly title: string;
  /** Markdown already. */
  readonly cell: (row: Row) => string;
  readonly align?: 'right';
}

/** A table as GitHub reads it. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => title)),
    line(columns.map(({ align }) => (align === 'right' ? '---:' : '---'))),
    ...rows.map((row) => line(columns.map(({ cell }) => cell(row)))),
  ];
}
