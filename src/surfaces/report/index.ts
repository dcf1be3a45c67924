export { FORMATS, type ReportExtra, reportData } from './report.ts';
