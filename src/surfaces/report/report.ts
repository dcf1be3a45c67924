import type { RunView } from '../../rules/view/model.ts';
import { reportData } from './data.ts';
import { renderHtml } from './html/page.ts';
import { renderJson } from './json.ts';
import { renderMarkdown } from './markdown/page.ts';
import type { Report, ReportExtra } from './model.ts';

export { reportData } from './data.ts';
export type { Report, ReportExtra } from './model.ts';

/** The report on one run as a self-contained HTML page without a script. Pure. */
export function reportHtml(view: RunView, extra: ReportExtra): string {
  return renderHtml(reportData([view], extra));
}

/** What a report can be written as. */
export const FORMATS: Readonly<Record<'html' | 'md' | 'json', (report: Report) => string>> = {
  html: renderHtml,
  md: renderMarkdown,
  json: renderJson,
};
