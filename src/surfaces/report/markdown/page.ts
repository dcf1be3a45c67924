import type { Report } from '../model.ts';
import { head, SECTIONS } from './sections.ts';

/** GitHub refuses comments of more than 65,536 characters. */
const MOST_CHARACTERS = 60_000;

/** The report for a pull request: GitHub's Markdown, no HTML, short enough for a comment. Pure. */
export function renderMarkdown(report: Report): string {
  const whole = [head(report), ...SECTIONS.map((section) => section(report))].flat();
  const end = `Written by ralph ${report.ralph}.`;
  const kept = whole.slice(0, fitting(whole, MOST_CHARACTERS - 200));
  const cut = whole.length - kept.length;
  return `${[...kept, ...(cut > 0 ? ['', `${cut} lines did not fit: \`ralph report\` writes all of them.`, ''] : []), end].join('\n')}\n`;
}

/** How many lines from the first on have that many characters together. Half a table row would be no row. */
function fitting(lines: readonly string[], room: number): number {
  let length = 0;
  const tooMuch = lines.findIndex((line) => {
    length += line.length + 1;
    return length > room;
  });
  return tooMuch < 0 ? lines.length : tooMuch;
}
