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

/** The whole style of the report. Dark only on screens: paper is light. */
const STYLE = html`<style>
:root{color-scheme:light;--bg:#fff;--fg:#1c2128;--dim:#59636e;--line:#dfe3e8;--soft:#f5f7f9;
--good:#1a7f37;--accent:#0969da;--bad:#cf222e;--warn:#9a6700;--idle:#6e7781;--odd:#8250df;--track:#e6eaef}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;--bg:#0f141a;--fg:#e4e9ef;--dim:#9aa5b1;--line:#2a323c;
--soft:#171e26;--good:#3fb950;--accent:#58a6ff;--bad:#ff7b72;--warn:#d8a53a;--idle:#8b949e;--odd:#bc8cff;--track:#252e38}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
-webkit-text-size-adjust:100%;overflow-wrap:break-word}
main{max-width:980px;margin:0 auto;padding:36px 20px 48px}
h1{font-size:clamp(1.35rem,1rem + 1.6vw,1.85rem);line-height:1.25;margin:10px 0 6px;letter-spacing:-.01em;text-wrap:balance}
h2{font-size:1.1rem;margin:0 0 10px}
a{text-underline-offset:2px}
h3{font-size:.95rem;margin:18px 0 6px}
p{margin:0 0 10px}
section{margin-top:38px}
code{font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.eyebrow{color:var(--dim);font-size:.85rem}
.dim,figcaption{color:var(--dim);font-size:.87rem}
.pill{display:inline-block;border:1px solid currentColor;border-radius:99px;padding:0 9px;font-size:.8rem;line-height:1.55;
font-weight:600;white-space:nowrap;margin-right:5px}
.good{color:var(--good)}.accent{color:var(--accent)}.bad{color:var(--bad)}.warn{color:var(--warn)}.idle{color:var(--idle)}.odd{color:var(--odd)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(136px,1fr));gap:10px;margin:22px 0 0;padding:0}
.figures div{background:var(--soft);border:1px solid var(--line);border-radius:8px;padding:10px 12px}
.figures dt{color:var(--dim);font-size:.8rem}
.figures dd{margin:0;font-size:1.3rem;font-weight:650;line-height:1.3;font-variant-numeric:tabular-nums}
.figures dt+dd{white-space:nowrap}.figures dd+dd{font-size:.8rem;font-weight:400;color:var(--dim)}
.needs{border:1px solid var(--warn);border-left-width:5px;border-radius:8px;padding:14px 16px;margin-top:24px}
.needs ul{margin:0;padding-left:18px}.needs li+li{margin-top:6px}
.scroll{overflow-x:auto}.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:3px}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th{color:var(--dim);font-weight:600;font-size:.8rem;text-align:left;white-space:nowrap}
th,td{padding:6px 14px 6px 0;border-bottom:1px solid var(--line);vertical-align:top}
th:last-child,td:last-child{padding-right:0}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.k{white-space:nowrap}
.text{min-width:11em;overflow-wrap:anywhere}
.bar{width:22%;min-width:64px}
svg{display:block;width:100%}
.bar svg{height:9px;margin-top:7px}
.scroll+p{margin-top:8px}
figure{margin:0 0 14px}
.strip{height:20px}.lane svg{height:18px}.tall{height:110px}
.lane{display:grid;grid-template-columns:minmax(4.5em,9em) 1fr;gap:12px;align-items:center;padding:3px 0;border-bottom:1px solid var(--line)}
.lane span{font-size:.85rem;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.lane.foot{border:0}.lane .axis span{white-space:normal;overflow:visible}
.plot{position:relative;height:300px;margin:26px 0 0 3.2em}.plot svg{height:100%;overflow:visible}
.plot line{stroke:currentColor;stroke-width:2;vector-effect:non-scaling-stroke}.plot .rule{color:var(--line);stroke-width:1}
.plot .dot{stroke-width:13;stroke-linecap:round}.plot+.axis{margin-left:3.2em}
.plot span,.plot b{position:absolute;font-size:.8rem;line-height:1}
.plot .tick{right:100%;margin:-.5em 8px;color:var(--dim);white-space:nowrap}.plot b{margin:-1.5em 0 0 8px}
.axis{display:flex;gap:12px;justify-content:space-between;color:var(--dim);font-size:.8rem;padding-top:4px}
.legend{display:flex;flex-wrap:wrap;gap:2px 16px;margin:8px 0 0;padding:0;list-style:none;font-size:.85rem;color:var(--dim)}
.legend i{display:inline-block;width:10px;height:10px;border-radius:2px;background:currentColor;margin-right:6px}
.legend b{color:var(--fg);font-weight:600}
.track{fill:var(--track)}
svg .good{fill:var(--good)}svg .accent{fill:var(--accent)}svg .bad{fill:var(--bad)}svg .warn{fill:var(--warn)}
svg .idle{fill:var(--idle)}svg .odd{fill:var(--odd)}svg .soft{fill:var(--accent);fill-opacity:.16}
svg .curve{fill:none;stroke:var(--accent);stroke-width:2;vector-effect:non-scaling-stroke}
footer{margin-top:44px;padding-top:12px;border-top:1px solid var(--line);color:var(--dim);font-size:.82rem}
@media (max-width:600px){main{padding:22px 14px 36px}.wide{display:none}.figures{grid-template-columns:1fr 1fr}
th,td{padding-right:10px}.lane{grid-template-columns:5.5em 1fr}.text{min-width:9em}
.stack thead{display:none}.stack tr{display:flex;flex-wrap:wrap;gap:0 14px;padding:6px 0;border-bottom:1px solid var(--line)}
.stack td{border:0;padding:0}.stack .text{flex-basis:100%}}
@media print{@page{margin:14mm}html,body{font-size:10pt}body{overflow-wrap:anywhere}h1{font-size:16pt}main{max-width:none;padding:0}section{margin-top:22px}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}tr,figure,.needs,.figures div,.lane{break-inside:avoid}
h2,h3{break-after:avoid}.scroll{overflow:visible}thead{display:table-header-group}
table,th{font-size:8.5pt}th,.k{white-space:normal;overflow-wrap:anywhere}.text{min-width:0}th,td{padding-right:9px}.bar{width:14%;min-width:0}.figures{grid-template-columns:repeat(6,1fr)}.figures dd{font-size:12pt}}
</style>`;
