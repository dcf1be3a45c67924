import { addressOf, type Cell, leftOut, type Page, type Part, rowsShown, type Section, type Words } from './page.ts';
import { code, plain } from './words.ts';

/** GitHub refuses comments of more than 65,536 characters. */
const MOST_CHARACTERS = 60_000;

/** The report for a pull request: GitHub's Markdown, no HTML, short enough for a comment. Pure. */
export function renderMarkdown(page: Page): string {
  const { sections, ralph, command, whole: flag } = page;
  const whole = [...head(page), ...sections.flatMap((one) => section(one, flag))];
  const end = `Written by ralph ${ralph}.`;
  const kept = whole.slice(0, fitting(whole, MOST_CHARACTERS - 200));
  const cut = whole.length - kept.length;
  return `${[...kept, ...(cut > 0 ? ['', `${cut} lines did not fit: \`${command}\` writes all of them.`, ''] : []), end].join('\n')}\n`;
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

function head({ project, label, sentence, about, facts, figures }: Page): readonly string[] {
  const shown = figures.map(([title, value, more]) => `${title}: ${value}${more && ` (${more})`}`);
  const line = [about, ...facts, ...shown].map((fact) => plain(fact)).join(' · ');
  return [`# ${plain(project)}: ${label}`, '', `**${plain(sentence, 400)}**`, '', line, ''];
}

function section({ title, parts }: Section, whole: string): readonly string[] {
  const lines = parts.flatMap((part) => linesOf(part, whole));
  return lines.length === 0 ? [] : [`## ${title}`, '', ...lines];
}

function linesOf(part: Part, whole: string): readonly string[] {
  if (part === null || (typeof part !== 'string' && 'drawn' in part)) return [];
  if (typeof part === 'string') return [plain(part, 400), ''];
  if ('remark' in part) return [plain(part.remark, 400), ''];
  if ('items' in part) return [...part.items.slice(0, 30).map((item) => `- ${text(item)}`), ''];
  const columns = part.head.flatMap(({ kind }, i) => (kind === 'bar' ? [] : [i]));
  const rows = rowsShown(part, 1);
  const left = leftOut(part, rows.length, whole);
  const line = (cellOf: (column: number) => string) => `| ${columns.map(cellOf).join(' | ')} |`;
  return [
    line((i) => plain(part.head[i]?.title ?? '')),
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
      if ('code' in words) return code(words.code);
      const shown = plain(words.text, 400);
      return words.link === undefined ? shown : `[${shown}](<./${addressOf(words.link)}>)`;
    })
    .join(' – ');
}
