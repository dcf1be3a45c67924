import { PATTERNS } from './pattern.ts';
import { Plot, type Shape } from './plot.tsx';
import type { ChartData } from './series.ts';
import type { Tick } from './ticks.ts';

export interface ChartProps {
  readonly title: string;
  /** What its numbers are, e.g. `US dollars`. */
  readonly unit: string;
  /** What is counted along the bottom: the head of the table's first column. */
  readonly along: string;
  readonly data: ChartData;
  readonly shape: Shape;
  readonly format: (value: number) => string;
  readonly max?: number;
  readonly tick?: Tick;
  /** Steps that its axis may have; else those of decimal numbers. */
  readonly steps?: readonly number[];
}

/** Rows of the table at most: it is for reading. */
const MOST_ROWS = 500;

/** A chart, and the same as a table for whoever does not see it. */
export function Chart({ title, unit, along, data, shape, format, ...axis }: ChartProps) {
  const { labels, series } = data;
  const isEmpty = labels.length === 0 || series.every(({ values }) => values.every((value) => !value));
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3> <span class="dim">{unit}</span>
      </figcaption>
      {isEmpty ? (
        <p class="chart-empty">Nothing to count.</p>
      ) : (
        <>
          <div role="img" aria-label={`${title}, ${unit}: ${inWords(data, format)}`}>
            <Plot data={data} shape={shape} format={format} height={200} {...axis} />
          </div>
          {series.length > 1 && (
            <ul class="legend">
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
    <section class="chart-table" aria-label={`${title} as a table`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{along}</th>
            {series.map(({ name }) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
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
      return `${name} at last ${format(known.at(-1) ?? 0)}, at most ${format(highest)}`;
    })
    .join('; ');
}
