import type { Report } from './model.ts';

/** The report as one JSON document; its fields are those of `Report`. Pure. */
export function renderJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
