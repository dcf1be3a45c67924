import type { Language } from '../languages/language.ts';
import type { Masked } from '../source/mask.ts';
import type { Unit } from './unit.ts';

/** How many rows the tables of a parametrised case have; 0 when it has none. */
export function countRows(
  { table, row }: Language,
  { code }: Masked,
  partners: ReadonlyMap<number, number>,
  unit: Unit,
): number {
  const text = code.slice(unit.start, unit.end);
  let rows = row === undefined ? 0 : [...text.matchAll(row)].length;
  if (table === undefined) return rows;
  for (const match of text.matchAll(table)) {
    const open = openingOfRows(code, partners, unit.start + match.index + match[0].length);
    const close = partners.get(open);
    if (close !== undefined) rows += countElements(code, partners, open, close);
  }
  return rows;
}

/** Go writes the fields of a row between the table and its rows: `[]struct{…}{…}`. */
function openingOfRows(code: string, partners: ReadonlyMap<number, number>, first: number): number {
  const end = partners.get(first);
  if (code[first] !== '{' || end === undefined) return first;
  const next = code.slice(end + 1, end + 40).search(/\S/);
  return code[end + 1 + next] === '{' ? end + 1 + next : first;
}

function countElements(code: string, partners: ReadonlyMap<number, number>, open: number, close: number): number {
  let elements = 0;
  let pending = false;
  for (let at = open + 1; at < close; at += 1) {
    const character = code[at] ?? '';
    if (character === ',') {
      if (pending) elements += 1;
      pending = false;
    } else if (character.trim() !== '') {
      pending = true;
      at = Math.min(partners.get(at) ?? at, close);
    }
  }
  return pending ? elements + 1 : elements;
}
