import { moment } from '../../../terminal/format.ts';
import type { Report, ReportIteration } from '../../model.ts';
import { hueOf, leftOut, money, shortened, took } from '../../words.ts';
import { html, type Markup } from '../markup.ts';
import { remark, section } from '../section.ts';
import { type Column, table } from '../table.ts';

const MOST_ITERATIONS = 200;
const MOST_RUNS = 50;

const RUN_COLUMN: Column<ReportIteration> = { title: 'run', kind: 'k', wide: true, cell: ({ run }) => run };

const COLUMNS: readonly Column<ReportIteration>[] = [
  { title: '#', kind: 'n', cell: ({ iteration }) => iteration },
  { title: 'mode', kind: 'k', cell: ({ mode }) => mode },
  { title: 'story', kind: 'k', cell: ({ story }) => shortened(story, 40) },
  {
    title: 'verdict',
    kind: 'k',
    cell: ({ verdict }) => html`<span class="${hueOf(verdict)}">${verdict ?? '–'}</span>`,
  },
  { title: 'time', kind: 'n', cell: ({ durationMs }) => took(durationMs) },
  { title: 'cost', kind: 'n', wide: true, cell: ({ costUsd }) => money(costUsd) },
  {
    title: 'commit',
    kind: 'k',
    wide: true,
    cell: ({ commit }) => (commit === null ? '–' : html`<code>${commit.slice(0, 7)}</code>`),
  },
  { title: 'why', kind: 'text', cell: ({ reason }) => shortened(reason, 160) },
];

/** Each iteration in one row, the last ones of very many. */
export function iterations({ iterations: all, runs }: Report): Markup | null {
  if (all.length === 0) return null;
  const shown = all.slice(-MOST_ITERATIONS);
  return section('Iterations', [
    table('Iterations', runs.length > 1 ? [RUN_COLUMN, ...COLUMNS] : COLUMNS, shown, 'stack'),
    remark(leftOut(shown.length, all.length, 'iterations before these')),
  ]);
}

/** The runs, where there are several. */
export function runs({ runs: all }: Report): Markup | null {
  if (all.length < 2) return null;
  const shown = all.slice(-MOST_RUNS);
  return section('Runs', [
    table(
      'Runs',
      [
        { title: 'run', kind: 'k', cell: ({ run }) => run },
        {
          title: 'started',
          kind: 'k',
          wide: true,
          cell: ({ startedAt }) => (startedAt === null ? '–' : moment(startedAt)),
        },
        { title: 'ended', kind: 'k', cell: ({ reason }) => reason ?? '–' },
        { title: 'iterations', kind: 'n', cell: (run) => run.iterations },
        { title: 'stories done', kind: 'n', wide: true, cell: (run) => `${run.storiesDone} of ${run.storiesTotal}` },
        { title: 'time', kind: 'n', cell: ({ durationMs }) => took(durationMs) },
        { title: 'cost', kind: 'n', cell: ({ costUsd }) => money(costUsd) },
      ],
      shown,
    ),
    remark(leftOut(shown.length, all.length, 'runs before these')),
  ]);
}

/** Warnings and errors of the runs themselves. */
export function notices({ notices: all }: Report): Markup | null {
  if (all.length === 0) return null;
  return section(
    'Warnings',
    table(
      'Warnings',
      [
        { title: 'when', kind: 'k', wide: true, cell: ({ at }) => moment(at) },
        {
          title: 'level',
          kind: 'k',
          cell: ({ level }) => html`<span class="${level === 'error' ? 'bad' : 'warn'}">${level}</span>`,
        },
        { title: 'what', kind: 'text', cell: ({ text }) => shortened(text, 300) },
      ],
      all,
    ),
  );
}
