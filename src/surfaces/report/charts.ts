import { html, type Markup } from './markup.ts';

/*
 * Charts are stretched to the available width, so they hold shapes only: text is beside them, where it keeps its size
 * on a phone. Colours are classes, so that they follow the light and dark style.
 */

/** A colour by its meaning; see style.ts. */
export type Hue = 'good' | 'accent' | 'bad' | 'warn' | 'idle' | 'odd';

/** A chart as a part of a section or a cell: formats other than HTML leave it out. */
export interface Drawing {
  readonly drawn: Markup;
}

/** A horizontal bar, filled to `share` (0 to 1) of its track. It is decoration: the figure is beside it. */
export function bar(share: number, hue: Hue): Drawing {
  const width = 100 * Math.min(1, Math.max(0, share));
  const drawn = html`<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/><rect class="${hue}" width="${width}" height="8"/></svg>`;
  return { drawn };
}

interface Piece {
  readonly label: string;
  readonly hue: Hue;
  readonly value: number;
}

/** Pieces of a whole side by side, and a legend with their values as `shown` writes them. */
export function stackedBar(title: string, all: readonly Piece[], shown: (value: number) => string): Markup {
  const pieces = all.filter(({ value }) => value > 0);
  const total = pieces.reduce((sum, { value }) => sum + value, 0) || 1;
  let x = 0;
  const rects = pieces.map(({ label, hue, value }) => {
    const width = (1000 * value) / total;
    x += width;
    return html`<rect class="${hue}" x="${x - width}" width="${width}" height="20"><title>${label}: ${shown(value)}</title></rect>`;
  });
  return html`<figure><svg class="strip" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img"><title>${title}</title>${rects}</svg>${legend(pieces, shown)}</figure>`;
}

/** The meaning of colours, with values where there are any. */
export function legend(
  pieces: readonly (Pick<Piece, 'label' | 'hue'> & Partial<Piece>)[],
  shown: (value: number) => string = String,
): Markup {
  const items = pieces.map(
    ({ label, hue, value }) =>
      html`<li><i class="${hue}"></i>${label}${value === undefined ? null : html` <b>${shown(value)}</b>`}</li>`,
  );
  return html`<ul class="legend">${items}</ul>`;
}

/** Columns of stacked pieces, from left to right: how the mixture changes over time. */
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

interface Dot {
  readonly hue: Hue;
  /** 0 to 1: from left to right, from the bottom to the top, and the ends of an interval through it. */
  readonly x: number;
  readonly y: number;
  readonly ends: readonly [low: number, high: number];
}

/** Dots nearer than this share one label. */
const NEAR = { x: 0.05, y: 0.06 };

/** Numbered dots with intervals, in a square from 0 to 100 %, and a line of steps from dot to dot. */
export function dots(title: string, all: readonly Dot[], steps: readonly Dot[]): Markup {
  const at = (share: number) => 1000 * (1 - share);
  const across = (x: number) => 1000 * x;
  const labels: { readonly dot: Dot; text: string }[] = [];
  for (const [i, dot] of all.entries()) {
    const near = labels.find(({ dot: { x, y } }) => Math.abs(x - dot.x) < NEAR.x && Math.abs(y - dot.y) < NEAR.y);
    if (near) near.text += `, ${i + 1}`;
    else labels.push({ dot, text: String(i + 1) });
  }
  const path = steps.map(({ x, y }, i) => html` ${across(x)},${at(steps[i - 1]?.y ?? y)} ${across(x)},${at(y)}`);
  const end = html` 1000,${at(steps.at(-1)?.y ?? 0)}`;
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return html`<div class="plot"><svg viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img"><title>${title}</title>${ticks.map(
    (tick) => html`<line class="rule" x2="1000" y1="${at(tick)}" y2="${at(tick)}"/>`,
  )}${steps.length > 0 ? html`<polyline class="curve" points="${path}${end}"/>` : null}${all.map(
    ({ hue, x, y, ends: [low, high] }) =>
      html`<line class="${hue}" x1="${across(x)}" x2="${across(x)}" y1="${at(low)}" y2="${at(high)}"/><line class="dot ${hue}" x1="${across(x)}" x2="${across(x)}" y1="${at(y)}" y2="${at(y)}"/>`,
  )}</svg>${ticks.map((tick) => html`<span class="tick" style="top:${at(tick) / 10}%">${100 * tick} %</span>`)}${labels.map(
    ({ dot: { x, y }, text }) => html`<b style="left:${across(x) / 10}%;top:${at(y) / 10}%">${text}</b>`,
  )}</div>`;
}

export interface Span {
  /** 0 to 1000. */
  readonly from: number;
  readonly to: number;
  readonly hue: Hue;
  readonly title: string;
}

/** A narrower span would be too thin to see or touch. */
const THINNEST = 4;

export function lane(title: string, spans: readonly Span[]): Markup {
  const rects = spans.map(
    ({ from, to, hue, title: own }) =>
      html`<rect class="${hue}" x="${Math.min(from, 1000 - THINNEST)}" width="${Math.max(THINNEST, to - from)}" height="18"><title>${own}</title></rect>`,
  );
  return html`<svg viewBox="0 0 1000 18" preserveAspectRatio="none" role="img"><title>${title}</title><rect class="track" y="8.5" width="1000" height="1"/>${rects}</svg>`;
}

/** Places moments on a line from 0 to 1000. */
interface TimeScale {
  at(epochMs: number): number;
  /** Idle times are drawn shorter than they were. */
  readonly shortened: boolean;
}

/** A pause longer than this share of all work is drawn at this length: a night must not squeeze the day. */
const LONGEST_GAP = 0.08;

/** The scale for spans of work, epoch ms each, that may overlap. Pure. */
export function timeScale(spans: readonly (readonly [from: number, to: number])[]): TimeScale {
  const busy = merged(spans);
  const work = busy.reduce((sum, [from, to]) => sum + (to - from), 0);
  const longest = Math.max(1, work * LONGEST_GAP);
  const starts: number[] = [];
  let length = 0;
  let before: number | undefined;
  let shortened = false;
  for (const [from, to] of busy) {
    const gap = before === undefined ? 0 : from - before;
    shortened ||= gap > longest;
    length += Math.min(gap, longest);
    starts.push(length);
    length += to - from;
    before = to;
  }
  const at = (epochMs: number): number => {
    const i = busy.findLastIndex(([from]) => from <= epochMs);
    const [from, to] = busy[i] ?? [epochMs, epochMs];
    return (1000 * ((starts[i] ?? 0) + Math.min(epochMs, to) - from)) / Math.max(1, length);
  };
  return { at, shortened };
}

function merged(spans: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const sorted = spans.toSorted(([a], [b]) => a - b);
  const all: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = all.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else all.push([from, Math.max(from, to)]);
  }
  return all;
}
