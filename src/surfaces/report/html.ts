import { moment } from '../../rules/text/index.ts';
import type { Drawing } from './charts.ts';
import { html, type Markup, type Part as MarkupPart, textOf } from './markup.ts';
import {
  addressOf,
  type Cell,
  leftOut,
  type Page,
  type Part,
  rowsShown,
  type Section,
  type Table,
  type Words,
} from './page.ts';
import { STYLE } from './style.ts';

/** One self-contained HTML page: no script, nothing to fetch; everything an agent wrote is text. Pure. */
export function renderHtml(page: Page): string {
  const { project, label, command, whole, sections, ralph, generatedAt } = page;
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${project}: ${label} · ${command}</title>
${STYLE}
</head>
<body><main>
${head(page)}${sections.map((one) => section(one, whole))}
<footer>Written by ralph ${ralph} on ${moment(generatedAt)}; times are those of the machine that wrote it (${zone(generatedAt)}).</footer>
</main></body>
</html>
`);
}

/** What it is about, how it ended, and the key figures. */
function head({ command, project, about, sentence, tone, label, facts, figures }: Page): Markup {
  const shown = figures.map(
    ([title, value, more]) =>
      html`<div><dt>${title}</dt><dd>${value}</dd>${more === '' ? null : html`<dd>${more}</dd>`}</div>`,
  );
  return html`<header><div class="eyebrow">${command} · <b>${project}</b> · ${about}</div>
<h1>${sentence}</h1>
<p class="dim"><span class="pill ${tone}">${label}</span> ${facts.join(' · ')}</p>
<dl class="figures">${shown}</dl></header>`;
}

function section({ title, parts, urgent }: Section, whole: string): Markup {
  const body = parts.map((part) => markupOf(part, title, whole));
  return html`\n<section${urgent ? html` class="needs"` : null}><h2>${title}</h2>${body}</section>`;
}

function markupOf(part: Part, title: string, whole: string): MarkupPart {
  if (part === null) return null;
  if (typeof part === 'string') return html`<p>${part}</p>`;
  if ('remark' in part) return html`<p class="dim">${part.remark}</p>`;
  if ('items' in part) return html`<ul>${part.items.map((item) => html`<li>${cell(item)}</li>`)}</ul>`;
  return 'drawn' in part ? part.drawn : table(title, part, whole);
}

/** A table that scrolls on its own where it is too wide, with the keyboard too; its label is for screen readers. */
function table(label: string, all: Table, whole: string): MarkupPart {
  const classes = all.head.map(({ kind, wide }) => [kind ?? '', wide ? 'wide' : ''].join(' ').trim());
  const head = all.head.map(({ title }, i) =>
    title === ''
      ? html`<td class="${classes[i] ?? ''}"></td>`
      : html`<th scope="col" class="${classes[i] ?? ''}">${title}</th>`,
  );
  const rows = rowsShown(all, 0);
  const left = leftOut(all, rows.length, whole);
  const line = (row: Table['rows'][number]) =>
    html`<tr>${row.map((one, i) => html`<td class="${classes[i] ?? ''}">${cell(one)}</td>`)}</tr>\n`;
  return html`<div class="scroll ${all.stack ? 'stack' : 'rows'}" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${head}</tr></thead><tbody>
${rows.map(line)}</tbody></table></div>${left === null ? null : html`<p class="dim">${left}</p>`}`;
}

function cell(one: Cell | Drawing): MarkupPart {
  if (typeof one === 'object' && 'drawn' in one) return one.drawn;
  const lines = [one].flat() as readonly Words[];
  return lines.map((words, i) => (i === 0 ? wordsOf(words) : html`<br>${wordsOf(words)}`));
}

function wordsOf(words: Words): MarkupPart {
  if (typeof words !== 'object') return words;
  if ('code' in words) return html`<code>${words.code}</code>`;
  if (words.link === undefined) return html`<span class="${words.look}">${words.text}</span>`;
  return html`<a class="${words.look}" href="./${addressOf(words.link)}">${words.text}</a>`;
}

/** `UTC+02:00`, at that moment. */
function zone(epochMs: number): string {
  const minutes = -new Date(epochMs).getTimezoneOffset();
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0');
  return `UTC${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}
