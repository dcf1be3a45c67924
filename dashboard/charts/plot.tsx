import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { isPlausible } from '../text.ts';
import { type ChartData, type Series, stacked, type Tick } from './series.ts';

/** `bars` are side by side or stacked; `line` is drawn over them, on its own axis. */
export type Shape = 'bars' | 'stack' | 'bars-and-line';

interface PlotProps {
  readonly data: ChartData;
  readonly shape: Shape;
  /** A value as people read it. */
  readonly format: (value: number) => string;
  readonly height: number;
  /** The largest possible value, if there is one. */
  readonly max?: number;
  /** A value of the axis by its step; default: `format`. */
  readonly tick?: Tick;
  readonly steps?: readonly number[];
}

/** Draws numbers on a canvas; redraws when its size or the theme changes. */
export function Plot({ data, shape, format, height, max, tick, steps }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let plot: uPlot | null = null;
    const draw = () => {
      plot?.destroy();
      const width = Math.floor(element.clientWidth);
      plot =
        width < 40
          ? null
          : new uPlot(options({ data, shape, format, height, max, tick, steps, width }), drawn(data, shape), element);
    };
    draw();
    const resized = new ResizeObserver(() => {
      const width = Math.floor(element.clientWidth);
      if (plot === null) draw();
      else if (width !== plot.width && width >= 40) plot.setSize({ width, height });
    });
    resized.observe(element);
    const themed = new MutationObserver(draw);
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      resized.disconnect();
      themed.disconnect();
      plot?.destroy();
    };
  }, [data, shape, format, height, max, tick, steps]);

  return <div class="plot" ref={box} aria-hidden="true" />;
}

interface Drawing extends Omit<PlotProps, 'max' | 'tick' | 'steps'> {
  readonly max: number | undefined;
  readonly tick: Tick | undefined;
  readonly steps: readonly number[] | undefined;
  readonly width: number;
}

function options({ data, shape, format, height, max, tick, steps, width }: Drawing): uPlot.Options {
  const { labels, series } = data;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const ink = colour('--dim');
  const grid = { stroke: colour('--line'), width: 1 };
  const font = `11px ${style.getPropertyValue('--font')}`;
  const ground = colour('--panel');
  const text = (_: uPlot, ticks: readonly number[], __: number, ___: number, step: number) =>
    ticks.map((value) => (tick === undefined ? format(value) : tick(value, step)));
  const withLine = shape === 'bars-and-line';
  const top = (_: uPlot, __: number, highest: number): [number, number] => [0, max ?? Math.max(highest * 1.05, 1e-6)];
  return {
    width,
    height,
    legend: { show: false },
    padding: [10, withLine ? 0 : 10, 0, 0],
    cursor: { show: false },
    scales: {
      x: { time: false, range: () => [-0.6, labels.length - 0.4] },
      y: { range: top },
      sum: { range: top },
    },
    axes: [
      {
        stroke: ink,
        font,
        size: 26,
        grid: { show: false },
        ticks: { show: false },
        // There is nothing between iterations: whole numbers only.
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000],
        space: Math.max(34, 8 * Math.max(...labels.map((label) => label.length), 1)),
        values: (_, ticks) => ticks.map((tick) => labels[tick] ?? ''),
      },
      {
        stroke: ink,
        font,
        size: 56,
        grid,
        ticks: { show: false },
        values: text,
        space: 28,
        ...(steps && { incrs: [...steps] }),
      },
      ...(withLine
        ? [
            {
              scale: 'sum',
              side: 1 as const,
              stroke: ink,
              font,
              size: 56,
              grid: { show: false },
              ticks: { show: false },
              values: text,
              space: 28,
            },
          ]
        : []),
    ],
    series: [{}, ...inDrawingOrder(series, shape).map((one, i) => drawnSeries(one, i))],
  };

  function drawnSeries(one: Series, i: number): uPlot.Series {
    if (withLine && i === 1) {
      return {
        label: one.name,
        scale: 'sum',
        stroke: colour(one.colour),
        width: 2,
        dash: [6, 3],
        points: { show: labels.length < 30, size: 5 },
      };
    }
    const pattern = PATTERNS[series.indexOf(one)] ?? 'solid';
    return {
      label: one.name,
      stroke: colour(one.colour),
      width: 1,
      fill: (plot) => fillOf(plot.ctx, pattern, colour(one.colour), ground),
      paths: BARS,
      points: { show: false },
    };
  }
}

const BARS = uPlot.paths.bars?.({ size: [0.7, 38] }) ?? (() => null);

/** The whole of a stack is drawn first, and its parts over it. */
function inDrawingOrder<T>(series: readonly T[], shape: Shape): readonly T[] {
  return shape === 'stack' ? [...series].reverse() : series;
}

function drawn({ labels, series }: ChartData, shape: Shape): uPlot.AlignedData {
  const drawable = series.map((one) => ({ ...one, values: one.values.map(plausible) }));
  const values = shape === 'stack' ? stacked(drawable) : drawable.map((one) => one.values);
  return [
    labels.map((_, i) => i),
    ...inDrawingOrder<readonly (number | null)[]>(values, shape).map((one) => [...one]),
  ] as uPlot.AlignedData;
}

/** A value that no axis could show is not drawn. */
function plausible(value: number | null): number | null {
  return value !== null && isPlausible(value) ? value : null;
}

/** Distinguish the parts of a stack without their colours. */
export const PATTERNS = ['solid', 'lines', 'dots', 'cross'] as const;
type Pattern = (typeof PATTERNS)[number];

const SIZE = 6;

/** A fill for a canvas: the colour, with lines or dots of the background in it. */
function fillOf(context: CanvasRenderingContext2D, pattern: Pattern, colour: string, ground: string) {
  if (pattern === 'solid') return colour;
  const scale = Math.max(1, Math.round(devicePixelRatio));
  const tile = document.createElement('canvas');
  tile.width = SIZE * scale;
  tile.height = SIZE * scale;
  const paint = tile.getContext('2d');
  if (paint === null) return colour;
  paint.scale(scale, scale);
  paint.fillStyle = colour;
  paint.fillRect(0, 0, SIZE, SIZE);
  paint.strokeStyle = ground;
  paint.fillStyle = ground;
  paint.lineWidth = 1.4;
  DRAW[pattern](paint);
  return context.createPattern(tile, 'repeat') ?? colour;
}

const DRAW: Readonly<Record<Exclude<Pattern, 'solid'>, (paint: CanvasRenderingContext2D) => void>> = {
  lines: (paint) => diagonals(paint, [-1, 1]),
  dots(paint) {
    paint.beginPath();
    paint.arc(SIZE / 2, SIZE / 2, 1.3, 0, 2 * Math.PI);
    paint.fill();
  },
  cross(paint) {
    paint.fillRect(0, SIZE / 2 - 0.7, SIZE, 1.4);
    paint.fillRect(SIZE / 2 - 0.7, 0, 1.4, SIZE);
  },
};

/** Drawn beyond the tile's edge as well, so that tiles join. */
function diagonals(paint: CanvasRenderingContext2D, shifts: readonly number[]): void {
  paint.beginPath();
  for (const shift of [0, ...shifts.map((one) => one * SIZE)]) {
    paint.moveTo(shift, SIZE);
    paint.lineTo(shift + SIZE, 0);
  }
  paint.stroke();
}
