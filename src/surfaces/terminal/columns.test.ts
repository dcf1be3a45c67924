import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { type Column, renderColumns } from './columns.ts';
import { coloured } from './paint.ts';

interface Row {
  readonly id: string;
  readonly cost: string;
  readonly title: string;
}

const columns: readonly Column<Row>[] = [
  { title: 'id', text: (row) => row.id },
  { title: 'cost', text: (row) => row.cost, align: 'right', tone: () => 'good' },
  { title: 'title', text: (row) => row.title, flexible: true },
];
const rows = [
  { id: 'US-001', cost: '$1.10', title: 'Log in' },
  { id: 'US-2', cost: '$10.00', title: 'ログアウト and something that is much too long' },
];

test('columns line up, numbers to the right, the flexible one cut to the width', () => {
  expect(renderColumns(columns, rows, 40).join('\n')).toMatchInlineSnapshot(`
    "id        cost  title
    US-001   $1.10  Log in
    US-2    $10.00  ログアウト and somethin…"
  `);
});

test('without a width nothing is cut', () => {
  expect(renderColumns(columns, rows, Number.POSITIVE_INFINITY)[2]).toContain('much too long');
});

test('colours do not disturb the alignment', () => {
  const painted = renderColumns(columns, rows, 40, coloured).map((line) => stripVTControlCharacters(line));
  expect(painted).toEqual(renderColumns(columns, rows, 40));
});
