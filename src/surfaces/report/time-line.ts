import { elapsed } from '../../rules/text/index.ts';
import {
  curve,
  type Drawing,
  type Hue,
  lane,
  legend,
  type Span,
  stackedBar,
  stackedColumns,
  timeScale,
} from './charts.ts';
import { grouped } from './figures.ts';
import { html, type Markup } from './markup.ts';
import type { Report, ReportIteration } from './model.ts';
import { beginAndEnd, hueOf, money, shortened } from './words.ts';

/** Beyond this, single iterations can no longer be distinguished. */
const MOST_SPANS = 300;
const MOST_LANES = 30;
const SLICES = 60;

/** How the work progressed over time, and its result. */
export function timeLine(report: Report): readonly Drawing[] {
  const { iterations, verdicts, time } = report;
  if (iterations.length === 0) return [];
  const pieces = verdicts.map(({ verdict, count }) => ({ label: verdict, hue: hueOf(verdict), value: count }));
  const parts = [
    { label: 'agents', hue: 'accent', value: time.agentMs },
    { label: 'checks', hue: 'good', value: time.checkMs },
    { label: 'waits', hue: 'idle', value: time.waitedMs },
    { label: 'ralph itself', hue: 'warn', value: time.ownMs },
  ] as const;
  const drawn = html`${iterations.length <= MOST_SPANS ? lanes(iterations) : slices(iterations)}${
    pieces.length > 0 ? html`<h3>Verdicts</h3>${stackedBar('Iterations by verdict', pieces, String)}` : null
  }${costCurve(report)}<h3>Where the time went</h3>${stackedBar('Where the time went', parts, elapsed)}`;
  return [{ drawn }];
}

function endOf({ startedAt, durationMs }: ReportIteration): number {
  return startedAt + (durationMs ?? 0);
}

/** A row for each story, a block for each iteration. */
function lanes(iterations: readonly ReportIteration[]): Markup {
  const scale = timeScale(iterations.map((one) => [one.startedAt, endOf(one)]));
  const spanOf = (one: ReportIteration): Span => ({
    from: scale.at(one.startedAt),
    to: scale.at(endOf(one)),
    hue: hueOf(one.verdict),
    title: `#${one.iteration} ${one.mode}: ${one.verdict ?? 'no verdict'}, ${one.durationMs === null ? 'cut off' : elapsed(one.durationMs)}`,
  });
  const byStory = [...grouped(iterations, ({ story }) => story)];
  const shown = byStory.length <= MOST_LANES ? byStory : byStory.slice(0, MOST_LANES - 1);
  const others = byStory.slice(shown.length).flatMap(([, own]) => own);
  const rows = [...shown, ...(others.length > 0 ? [['other stories', others] as const] : [])].map(
    ([story, own]) =>
      html`<div class="lane"><span>${shortened(story, 60)}</span>${lane(`${own.length} iterations in the order of time`, own.map(spanOf))}</div>\n`,
  );
  const [first, last] = [iterations[0]?.startedAt ?? 0, Math.max(...iterations.map(endOf))];
  const [begin, end] = beginAndEnd(first, last);
  const between = scale.shortened ? 'long pauses are drawn shorter' : '';
  return html`<figure>${rows}<div class="lane foot"><span></span><div class="axis"><span>${begin}</span><span>${between}</span><span>${end}</span></div></div>
${legend(VERDICT_LEGEND)}</figure>`;
}

const VERDICT_LEGEND: readonly { readonly label: string; readonly hue: Hue }[] = [
  { label: 'accepted', hue: 'good' },
  { label: 'advanced', hue: 'accent' },
  { label: 'rejected', hue: 'bad' },
  { label: 'no progress', hue: 'warn' },
  { label: 'timed out, agent error', hue: 'odd' },
  { label: 'interrupted, limited, cut off', hue: 'idle' },
];

const HUES: readonly Hue[] = ['good', 'accent', 'bad', 'warn', 'odd', 'idle'];

/** Of very many iterations: the mixture of verdicts, slice by slice. */
function slices(iterations: readonly ReportIteration[]): Markup {
  const size = Math.ceil(iterations.length / SLICES);
  const columns = Array.from({ length: Math.ceil(iterations.length / size) }, (_, i) => {
    const own = iterations.slice(i * size, (i + 1) * size);
    return HUES.map((hue) => ({ hue, value: own.filter(({ verdict }) => hueOf(verdict) === hue).length }));
  });
  return html`<figure>${stackedColumns('Verdicts over the run, from its first iteration to its last', columns)}
<div class="axis"><span>first iteration</span><span>${size} iterations a column</span><span>last iteration</span></div>${legend(VERDICT_LEGEND)}</figure>`;
}

const MOST_POINTS = 200;

function costCurve({ iterations, costUsd }: Report): Markup | null {
  if (costUsd === null || costUsd <= 0 || iterations.length < 3) return null;
  let sum = 0;
  const sums = [0, ...iterations.map((one) => (sum += one.costUsd ?? 0))];
  const every = Math.ceil(sums.length / MOST_POINTS);
  const points = sums.filter((_, i) => i % every === 0 || i === sums.length - 1);
  return html`<h3>Cost</h3><figure>${curve('Cost added up over the iterations', points)}
<div class="axis"><span>${money(0)} at the start</span><span>${money(costUsd)} at the end</span></div></figure>`;
}
