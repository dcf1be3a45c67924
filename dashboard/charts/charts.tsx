import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { VERDICT_TONE } from '../../src/rules/text/index.ts';
import type { RunView } from '../../src/rules/view/index.ts';
import { Heads } from '../parts/problem.tsx';
import { dollars, elapsed, tokens } from '../text.ts';
import { PATTERNS, Plot, type Shape } from './plot.tsx';
import {
  type ChartData,
  callsByHour,
  contextUse,
  costs,
  dollarTick,
  phases,
  type Tick,
  tokenKinds,
  tokenTick,
  verdicts,
} from './series.ts';

interface Kind extends Omit<ChartProps, 'data'> {
  readonly of: (view: RunView) => ChartData;
}

/** In seconds: steps that read evenly as a duration. */
const TIME_STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 36_000];

const CHARTS: readonly Kind[] = [
  {
    title: 'Cost',
    unit: 'US dollars per iteration, and in total',
    along: 'Iteration',
    of: costs,
    shape: 'bars-and-line',
    format: dollars,
    tick: dollarTick,
  },
  {
    title: 'Tokens',
    unit: 'by kind, per iteration',
    along: 'Iteration',
    of: tokenKinds,
    shape: 'stack',
    format: tokens,
    tick: tokenTick,
  },
  {
    title: 'Context',
    unit: 'peak percent of the window, per iteration',
    along: 'Iteration',
    of: contextUse,
    shape: 'bars',
    format: (value) => `${Math.round(value)} %`,
    max: 100,
  },
  {
    title: 'Time',
    unit: 'by phase, per iteration',
    along: 'Iteration',
    of: phases,
    shape: 'stack',
    format: (seconds) => elapsed(seconds * 1000),
    steps: TIME_STEPS,
  },
  {
    title: 'Calls',
    unit: 'agents started per hour',
    along: 'Hour',
    of: callsByHour,
    shape: 'bars',
    format: (value) => (Number.isInteger(value) ? String(value) : ''),
  },
];

/** A live run changes many times a second: its charts are redrawn at this interval, in ms. */
const DRAW_MS = 1000;

/** The run in charts: cost, tokens, context, time, calls and verdicts. */
export function Charts({ view: latest }: { readonly view: RunView }) {
  const view = useCalm(latest, DRAW_MS);
  const drawn = useMemo(() => CHARTS.map(({ of, ...chart }) => ({ ...chart, data: of(view) })), [view]);
  return (
    <div class="charts">
      {drawn.map((chart) => (
        <Chart key={chart.title} {...chart} />
      ))}
      <Verdicts view={view} />
    </div>
  );
}

function Verdicts({ view }: { readonly view: RunView }) {
  const counts = verdicts(view);
  const most = counts[0]?.count ?? 1;
  return (
    <figure class="chart panel stack-2">
      <figcaption>
        <h3>Verdicts</h3> <span class="dim note">iterations by verdict</span>
      </figcaption>
      {counts.length === 0 ? (
        <p class="chart-empty dim">No iteration has ended.</p>
      ) : (
        <ul class="verdict-bars stack-2">
          {counts.map(({ verdict, count }) => (
            <li key={verdict}>
              <span>{verdict}</span>
              <span class="bar" aria-hidden="true">
                <span class={`fill ${VERDICT_TONE[verdict] ?? 'dim'}`} style={{ width: `${(100 * count) / most}%` }} />
              </span>
              <span class="count">{count}</span>
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

interface ChartProps {
  readonly title: string;
  readonly unit: string;
  /** The unit along the bottom: the head of the table's first column. */
  readonly along: string;
  readonly data: ChartData;
  readonly shape: Shape;
  readonly format: (value: number) => string;
  readonly max?: number;
  readonly tick?: Tick;
  /** Steps that its axis may have; default: those of decimal numbers. */
  readonly steps?: readonly number[];
}

/** Maximum rows of the table: it is for reading. */
const MOST_ROWS = 500;

/** A chart, and its data as a table for people who cannot see it. */
function Chart({ title, unit, along, data, shape, format, ...axis }: ChartProps) {
  const { labels, series } = data;
  const isEmpty = labels.length === 0 || series.every(({ values }) => values.every((value) => !value));
  return (
    <figure class="chart panel stack-2">
      <figcaption>
        <h3>{title}</h3> <span class="dim note">{unit}</span>
      </figcaption>
      {isEmpty ? (
        <p class="chart-empty dim">Nothing to count.</p>
      ) : (
        <>
          <div role="img" aria-label={`${title}, ${unit}: ${inWords(data, format)}`}>
            <Plot data={data} shape={shape} format={format} height={200} {...axis} />
          </div>
          {series.length > 1 && (
            <ul class="legend dim">
              {series.map(({ name, colour }, i) => (
                <li key={name}>
                  <span
                    class={`swatch ${shape === 'bars-and-line' && i === 1 ? 'dashed' : (PATTERNS[i] ?? 'solid')}`}
                    style={{ color: `var(${colour})` }}
                  />
                  {name}
                </li>
              ))}
            </ul>
          )}
          <details>
            <summary>As a table</summary>
            <Table along={along} data={data} format={format} title={title} />
          </details>
        </>
      )}
    </figure>
  );
}

function Table({
  along,
  data: { labels, series },
  format,
  title,
}: Pick<ChartProps, 'along' | 'data' | 'format' | 'title'>) {
  const first = Math.max(0, labels.length - MOST_ROWS);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="chart-table number" aria-label={`${title} as a table`} tabIndex={0}>
      <table>
        <Heads heads={[along, ...series.map(({ name }) => name)]} />
        <tbody>
          {labels.slice(first).map((label, i) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {series.map(({ name, values }) => {
                const value = values[first + i];
                return <td key={name}>{value === null || value === undefined ? '–' : format(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The last and the highest value of each series. */
function inWords({ series }: ChartData, format: (value: number) => string): string {
  return series
    .map(({ name, values }) => {
      const known = values.filter((value) => value !== null);
      const highest = known.reduce((a, b) => Math.max(a, b), 0);
      return `${name} last ${format(known.at(-1) ?? 0)}, highest ${format(highest)}`;
    })
    .join('; ');
}

/** A rapidly changing value, sampled at an interval. */
function useCalm<T>(latest: T, everyMs: number): T {
  const [shown, setShown] = useState(latest);
  const newest = useRef(latest);
  newest.current = latest;
  useEffect(() => {
    const timer = setInterval(() => setShown(() => newest.current), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return shown;
}
