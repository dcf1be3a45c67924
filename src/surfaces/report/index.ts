export { renderHtml } from './html.ts';
export { labPage } from './lab.ts';
export { renderMarkdown } from './markdown.ts';
export { FORMATS, type ReportExtra, reportData } from './report.ts';
