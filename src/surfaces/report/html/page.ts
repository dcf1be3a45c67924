import { moment } from '../../terminal/format.ts';
import type { Report } from '../model.ts';
import { html, type Markup, textOf } from './markup.ts';
import { checks, denials, rejections, rescues, reviews } from './sections/quality.ts';
import { iterations, notices, runs } from './sections/records.ts';
import { agents, budgets } from './sections/spending.ts';
import { stories } from './sections/stories.ts';
import { needs, summary } from './sections/summary.ts';
import { timeLine } from './sections/time-line.ts';
import { STYLE } from './style.ts';

/** In the order of what people ask first. */
const SECTIONS: readonly ((report: Report) => Markup | null)[] = [
  summary,
  needs,
  runs,
  stories,
  timeLine,
  reviews,
  rejections,
  rescues,
  budgets,
  agents,
  checks,
  denials,
  notices,
  iterations,
];

/** One self-contained HTML page: no script, nothing to fetch; whatever an agent wrote is text. Pure. */
export function renderHtml(report: Report): string {
  const { project, outcome, ralph, generatedAt } = report;
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${project}: ${outcome.label} · ralph report</title>
${STYLE}
</head>
<body><main>
${SECTIONS.map((section) => section(report))}
<footer>Written by ralph ${ralph} on ${moment(generatedAt)}; times are those of the machine that wrote it (${zone(generatedAt)}).</footer>
</main></body>
</html>
`);
}

/** `UTC+02:00`, as it was then. */
function zone(epochMs: number): string {
  const minutes = -new Date(epochMs).getTimezoneOffset();
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0');
  return `UTC${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}
