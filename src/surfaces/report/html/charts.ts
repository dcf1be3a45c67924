import { html, type Markup } from './markup.ts';

/*
 * Charts are stretched to the width they get, so they hold shapes only: what is to be read stands beside them as
 * text, which keeps its size on a phone. Colours are classes, so that they follow the light and dark style.
 */

/** A colour by its meaning; see style.ts. */
export type Hue = 'good' | 'accent' | 'bad' | 'warn' | 'idle' | 'odd';

/** A horizontal bar, filled to `share` (0 to 1) of its track. The figure stands beside it: it is decoration. */
export function bar(share: number, hue: Hue): Markup {
  const width = 100 * Math.min(1, Math.max(0, share));
  return html`<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/><rect class="${hue}" width="${width}" height="8"/></svg>`;
}

export interface Piece {
  readonly label: string;
  readonly hue: Hue;
  readonly value: number;
  /** The value as people read it. */
  readonly shown: string;
}

/** Pieces of a whole side by side, and what they stand for. */
export function stackedBar(title: string, pieces: readonly Piece[]): Markup {
  const total = pieces.reduce((sum, { value }) => sum + value, 0) || 1;
  let x = 0;
  const rects = pieces.map(({ label, hue, value, shown }) => {
    const width = (1000 * value) / total;
    x += width;
    return html`<rect class="${hue}" x="${x - width}" width="${width}" height="20"><title>${label}: ${shown}</title></rect>`;
  });
  return html`<figure><svg class="strip" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img"><title>${title}</title>${rects}</svg>${legend(pieces)}</figure>`;
}

/** What colours stand for, with figures where there are some. */
export function legend(pieces: readonly (Pick<Piece, 'label' | 'hue'> & Partial<Piece>)[]): Markup {
  const items = pieces.map(
    ({ label, hue, shown }) =>
      html`<li><i class="${hue}"></i>${label}${shown === undefined ? null : html` <b>${shown}</b>`}</li>`,
  );
  return html`<ul class="legend">${items}</ul>`;
}

/** Columns of pieces one above the other, from left to right: how the mixture changes over time. */
export function stackedColumns(title: string, columns: readonly (readonly Pick<Piece, 'hue' | 'value'>[])[]): Markup {
  const highest = Math.max(1, ...columns.map((column) => column.reduce((sum, { value }) => sum + value, 0)));
  const step = 1000 / Math.max(1, columns.length);
  const rects = columns.map((column, i) => {
    let y = 100;
    return column
      .filter(({ value }) => value > 0)
      .map(({ hue, value }) => {
        const height = (100 * value) / highest;
        y -= height;
        return html`<rect class="${hue}" x="${i * step}" y="${y}" width="${step * 0.9}" height="${height}"/>`;
      });
  });
  return html`<svg class="tall" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img"><title>${title}</title>${rects}</svg>`;
}

/** A quantity that grows from left to right, the values in order. */
export function curve(title: string, values: readonly number[]): Markup {
  const highest = Math.max(...values) || 1;
  const step = 1000 / Math.max(1, values.length - 1);
  const points = values.map((value, i) => html` ${i * step},${100 - (96 * value) / highest}`);
  return html`<svg class="tall" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img"><title>${title}</title><polygon class="soft" points="0,100${points} 1000,100"/><polyline class="curve" points="${points}"/></svg>`;
}

export interface Span {
  /** 0 to 1000. */
  readonly from: number;
  readonly to: number;
  readonly hue: Hue;
  readonly title: string;
}

/** Below this, a span would be too thin to be seen or touched. */
const THINNEST = 4;

/** One row of a time line. */
export function lane(title: string, spans: readonly Span[]): Markup {
  const rects = spans.map(
    ({ from, to, hue, title: own }) =>
      html`<rect class="${hue}" x="${Math.min(from, 1000 - THINNEST)}" width="${Math.max(THINNEST, to - from)}" height="18"><title>${own}</title></rect>`,
  );
  return html`<svg viewBox="0 0 1000 18" preserveAspectRatio="none" role="img"><title>${title}</title><rect class="track" y="8.5" width="1000" height="1"/>${rects}</svg>`;
}
