/** One figure of a benchmark, as a file of results holds it. */
export interface Row {
  readonly benchmark: string;
  readonly name: string;
  /** Null where the row is a ratio alone. */
  readonly value: number | null;
  readonly unit: string;
  /** The value by what it is compared with, both measured in the same run. */
  readonly ratio?: number;
  readonly target?: Target;
  /** What else the benchmark said about it. */
  readonly remark: string;
}

/** A limit of the value or of the ratio. */
export interface Target {
  readonly of: 'value' | 'ratio';
  readonly sign: '≤' | '≥';
  readonly limit: number;
}

/**
 * A row from what a benchmark prints, so that people and files get the same: a figure with its unit (`12.3 ms`), and a
 * remark in which `ratio()` and `target()` of statistics.ts may stand.
 */
export function rowOf(benchmark: string, name: string, figure: string, remark: string): Row {
  const [, digits, unit = ''] = /^([\d,]+(?:\.\d+)?)\s*(.*)$/.exec(figure) ?? [];
  const ratio = /^([\d.]+) ×/.exec(remark)?.[1];
  const [, sign, limit, of] = /target ([<≤≥]) ([\d,]+(?:\.\d+)?) ?(×)?/.exec(remark) ?? [];
  return {
    benchmark,
    name: name.trim(),
    value: digits === undefined ? null : number(digits),
    unit,
    ...(ratio === undefined ? {} : { ratio: Number(ratio) }),
    ...(limit === undefined
      ? {}
      : { target: { of: of === '×' ? 'ratio' : 'value', sign: sign === '≥' ? '≥' : '≤', limit: number(limit) } }),
    remark,
  };
}

function number(text: string): number {
  return Number(text.replaceAll(',', ''));
}

/** Whether a row reaches its target; null when it has none, or nothing was measured. */
export function isMet({ target, ratio, value }: Row): boolean | null {
  const figure = target?.of === 'ratio' ? (ratio ?? null) : value;
  if (target === undefined || figure === null) return null;
  return target.sign === '≤' ? figure <= target.limit : figure >= target.limit;
}

/** A row as a line of the table at the end. */
export function line(row: Row): string {
  const { value, ratio, target } = row;
  const met = isMet(row);
  const figure = value === null ? '' : `${value.toLocaleString('en')} ${row.unit}`;
  const limit =
    target === undefined
      ? ''
      : `${target.sign} ${target.limit.toLocaleString('en')}${target.of === 'ratio' ? ' ×' : ''}`;
  const cells = [
    row.benchmark.padEnd(13),
    row.name.padEnd(54),
    figure.padStart(14),
    (ratio === undefined ? '' : `${ratio.toFixed(2)} ×`).padStart(9),
    limit.padStart(12),
    met === null ? '' : met ? 'met' : 'MISSED',
  ];
  return cells.join(' ').trimEnd();
}
