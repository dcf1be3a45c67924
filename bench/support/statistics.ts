import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import { rowOf } from './rows.ts';

/** The value in the middle. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which the given share of the values lies, e.g. 0.9. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The environment variable with the file that `npm run bench` collects rows in, one JSON line each. */
export const ROWS_FILE = 'BENCH_ROWS';

/** One row: `name`, figure with its unit, remarks. Printed, and handed to `npm run bench` where that started us. */
export function report(name: string, figure: string, remark = ''): void {
  console.log(`${name.padEnd(46)} ${figure.padStart(10)}   ${remark}`.trimEnd());
  const file = process.env[ROWS_FILE];
  if (file === undefined) return;
  const row = rowOf(basename(process.argv[1] ?? '', '.ts'), name, figure, remark);
  appendFileSync(file, `${JSON.stringify(row)}\n`);
}

/** `12.3 ms` */
export function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

/** `1.42 ×`, to be compared with a target. */
export function ratio(value: number, target: number): string {
  return `${value.toFixed(2)} × (target ≤ ${target} ×${value <= target ? '' : ', MISSED'})`;
}

/** A limit of a figure, to stand in its remark. */
export function target(sign: '<' | '≥', limit: number, unit = ''): string {
  return `(target ${sign} ${limit.toLocaleString('en')}${unit && ` ${unit}`})`;
}
