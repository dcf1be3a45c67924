import { useMemo } from 'preact/hooks';
import type { RunView } from '../../src/rules/view/model.ts';
import { VERDICT_TONE } from '../../src/surfaces/terminal/words.ts';
import { dollars, elapsed, tokens } from '../text.ts';
import { Chart, type ChartProps } from './chart.tsx';
import { type ChartData, callsByHour, contextUse, costs, phases, tokenKinds, verdicts } from './series.ts';
import { dollarTick, tokenTick } from './ticks.ts';
import { useCalm } from './use-calm.ts';

interface Kind extends Omit<ChartProps, 'data'> {
  readonly of: (view: RunView) => ChartData;
}

/** In seconds: what reads evenly as a duration. */
const TIME_STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 36_000];

const CHARTS: readonly Kind[] = [
  {
    title: 'Cost',
    unit: 'US dollars by iteration, and all so far',
    along: 'Iteration',
    of: costs,
    shape: 'bars-and-line',
    format: dollars,
    tick: dollarTick,
  },
  {
    title: 'Tokens',
    unit: 'by kind and iteration',
    along: 'Iteration',
    of: tokenKinds,
    shape: 'stack',
    format: tokens,
    tick: tokenTick,
  },
  {
    title: 'Context',
    unit: 'percent of the window at most, by iteration',
    along: 'Iteration',
    of: contextUse,
    shape: 'bars',
    format: (value) => `${Math.round(value)} %`,
    max: 100,
  },
  {
    title: 'Time',
    unit: 'by phase and iteration',
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

/** A live run tells something many times a second: its charts are drawn again so often, in ms. */
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
    <figure class="chart">
      <figcaption>
        <h3>Verdicts</h3> <span class="dim">iterations by what came of them</span>
      </figcaption>
      {counts.length === 0 ? (
        <p class="chart-empty">No iteration has ended.</p>
      ) : (
        <ul class="verdict-bars">
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
