import type { Report } from './model.ts';
import {
  type Cell,
  factsOf,
  figuresOf,
  leftOut,
  type Part,
  rowsShown,
  runsText,
  type Section,
  sectionsOf,
  type Words,
} from './sections.ts';
import { code, plain } from './words.ts';

/** GitHub refuses comments of more than 65,536 characters. */
const MOST_CHARACTERS = 60_000;

/** The report for a pull request: GitHub's Markdown, no HTML, short enough for a comment. Pure. */
export function renderMarkdown(report: Report): string {
  const whole = [...head(report), ...sectionsOf(report).flatMap(section)];
  const end = `Written by ralph ${report.ralph}.`;
  const kept = whole.slice(0, fitting(whole, MOST_CHARACTERS - 200));
  const cut = whole.length - kept.length;
  return `${[...kept, ...(cut > 0 ? ['', `${cut} lines did not fit: \`ralph report\` writes all of them.`, ''] : []), end].join('\n')}\n`;
}

/** How many lines from the start fit into that many characters. Half a table row would be invalid. */
function fitting(lines: readonly string[], room: number): number {
  let length = 0;
  const tooMuch = lines.findIndex((line) => {
    length += line.length + 1;
    return length > room;
  });
  return tooMuch < 0 ? lines.length : tooMuch;
}

function head(report: Report): readonly string[] {
  const { outcome, project } = report;
  const figures = figuresOf(report).map(([title, value, more]) => `${title}: ${value}${more && ` (${more})`}`);
  const facts = [runsText(report), ...factsOf(report), ...figures].map((fact) => plain(fact));
  return [`# ${plain(project)}: ${outcome.label}`, '', `**${outcome.sentence}**`, '', facts.join(' · '), ''];
}

function section({ title, parts }: Section): readonly string[] {
  const lines = parts.flatMap((part) => linesOf(part));
  return lines.length === 0 ? [] : [`## ${title}`, '', ...lines];
}

function linesOf(part: Part): readonly string[] {
  if (part === null || (typeof part !== 'string' && 'drawn' in part)) return [];
  if (typeof part === 'string') return [plain(part, 400), ''];
  if ('remark' in part) return [plain(part.remark, 400), ''];
  if ('items' in part) return [...part.items.slice(0, 30).map((item) => `- ${text(item)}`), ''];
  const columns = part.head.flatMap(({ kind }, i) => (kind === 'bar' ? [] : [i]));
  const rows = rowsShown(part, 1);
  const left = leftOut(part, rows.length);
  const line = (cellOf: (column: number) => string) => `| ${columns.map(cellOf).join(' | ')} |`;
  return [
    line((i) => part.head[i]?.title ?? ''),
    line((i) => (part.head[i]?.kind === 'n' ? '---:' : '---')),
    ...rows.map((row) =>
      line((i) => {
        const cell = row[i] ?? '';
        return typeof cell === 'object' && 'drawn' in cell ? '' : text(cell);
      }),
    ),
    '',
    ...(left === null ? [] : [plain(left), '']),
  ];
}

function text(cell: Cell): string {
  return ([cell].flat() as readonly Words[])
    .map((words) => {
      if (typeof words !== 'object') return plain(String(words), 400);
      return 'code' in words ? code(words.code) : plain(words.text, 400);
    })
    .join(' – ');
}
