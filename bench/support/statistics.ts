/** The value in the middle. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which the given share of the values lies, e.g. 0.9. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** One line of a report: `name`, figure, remarks. */
export function report(name: string, figure: string, remark = ''): void {
  console.log(`${name.padEnd(46)} ${figure.padStart(10)}   ${remark}`.trimEnd());
}

/** `12.3 ms` */
export function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

/** `1.42 ×`, to be compared with a target. */
export function ratio(value: number, target: number): string {
  return `${value.toFixed(2)} × (target ≤ ${target} ×${value <= target ? '' : ', MISSED'})`;
}
