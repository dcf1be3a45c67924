/** What a part of the checks came to. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed, one line each: read at the end of a long output, where scrolling back takes long. */
  readonly faults: readonly string[];
}

export const nothing: Tally = { passed: 0, failed: 0, skipped: 0, faults: [] };

export function add(a: Tally, b: Tally): Tally {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    faults: [...a.faults, ...b.faults],
  };
}

/** The one closing line that people and CI read. */
export function closingLine({ passed, failed, skipped }: Omit<Tally, 'faults'>): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
