import { displayWidth, truncate } from '../../src/surfaces/terminal/index.ts';
import { type Ink, parseLine, type Span } from './ansi.ts';

/** Pixels; a column of the fonts below is 0.6 of their size wide. */
const FONT_SIZE = 14;
const COLUMN = 8.43;
const LINE = 20;
const MARGIN = 24;
const TITLE_BAR = 38;
const FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace";

/** On a dark window, readable beside light and dark pages alike. */
const INKS: Readonly<Record<Ink, string>> = {
  plain: '#d7dde5',
  red: '#ff8078',
  green: '#6cd58a',
  yellow: '#e8bf5e',
  cyan: '#6cc7e8',
};
const DIM = '#8b96a5';

/**
 * A picture of a terminal window as self-contained SVG: no script, no font or image from elsewhere.
 *
 * @param lines with ANSI styles; longer ones than `columns` end in an ellipsis
 */
export function renderSvg(lines: readonly string[], { title, columns }: { title: string; columns: number }): string {
  const width = Math.ceil(columns * COLUMN) + 2 * MARGIN;
  const height = TITLE_BAR + lines.length * LINE + MARGIN;
  const rows = lines.map((line, row) => renderRow(cutTo(parseLine(line), columns), TITLE_BAR + (row + 1) * LINE));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="#12161d" stroke="#333c49"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (colour, at) => `<circle cx="${MARGIN + at * 20}" cy="20" r="6" fill="${colour}"/>`,
    ),
    `<g font-family="${FONTS}" font-size="${FONT_SIZE}" fill="${INKS.plain}">`,
    `<text x="${width / 2}" y="25" text-anchor="middle" fill="${DIM}">${escapeXml(title)}</text>`,
    ...rows.filter((row) => row !== ''),
    '</g>',
    '</svg>',
  ].join('\n')}\n`;
}

/** Every span stands at its own column and is told its width, so that any monospace font keeps tables straight. */
function renderRow(spans: readonly Span[], y: number): string {
  const parts: string[] = [];
  let column = 0;
  for (const { text, ink, bold, dim } of spans) {
    const words = text.trim();
    const width = displayWidth(words);
    const x = MARGIN + (column + text.search(/\S|$/)) * COLUMN;
    column += displayWidth(text);
    if (width === 0) continue;
    const colour = dim && ink === 'plain' ? DIM : INKS[ink];
    const fill = colour === INKS.plain ? '' : ` fill="${colour}"`;
    const weight = bold ? ' font-weight="bold"' : '';
    parts.push(
      `<tspan x="${x.toFixed(1)}" textLength="${(width * COLUMN).toFixed(1)}"${fill}${weight}>${escapeXml(words)}</tspan>`,
    );
  }
  const blanks = parts.some((part) => part.includes('  ')) ? ' xml:space="preserve"' : '';
  return parts.length === 0 ? '' : `<text y="${y}"${blanks}>${parts.join('')}</text>`;
}

function cutTo(spans: readonly Span[], columns: number): readonly Span[] {
  let left = columns;
  return spans.flatMap((span) => {
    const text = truncate(span.text, left);
    left -= displayWidth(text);
    return text === '' ? [] : [{ ...span, text }];
  });
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
