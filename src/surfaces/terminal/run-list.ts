import type { RunState, RunSummary } from '../../contracts/catalogue.ts';
import { type Column, renderColumns } from './columns.ts';
import { dollars, moment } from './format.ts';
import type { Paint, Tone } from './paint.ts';
import { oneLine } from './sanitise.ts';

const STATE: Readonly<Record<Exclude<RunState, 'ended'>, readonly [text: string, tone: Tone]>> = {
  running: ['running', 'good'],
  waiting: ['waiting', 'warn'],
  paused: ['paused', 'warn'],
  between: ['between turns', 'accent'],
  'cut-off': ['cut off', 'warn'],
};

const COLUMNS: readonly Column<RunSummary>[] = [
  { title: 'run', text: ({ run }) => run },
  {
    title: 'state',
    text: ({ problem, state, ended }) =>
      problem === null ? (state === 'ended' ? oneLine(ended?.reason ?? 'ended') : STATE[state][0]) : 'unreadable',
    tone: ({ problem, state, ended }) =>
      problem !== null ? 'bad' : state !== 'ended' ? STATE[state][1] : ended?.exitCode === 0 ? 'good' : 'warn',
  },
  { title: 'iterations', text: ({ iteration }) => String(iteration), align: 'right' },
  { title: 'stories', text: ({ stories: { done, total } }) => `${done}/${total} done`, align: 'right' },
  { title: 'cost', text: ({ costUsd }) => (costUsd > 0 ? dollars(costUsd) : '-'), align: 'right' },
  { title: 'started', text: ({ startedAt }) => (startedAt === null ? '-' : moment(startedAt)) },
  { title: '', text: ({ problem, needs, ended }) => oneLine(problem ?? needs ?? ended?.summary ?? ''), flexible: true },
];

/** The runs of a workspace, one line each. Pure. */
export function renderRuns(
  runs: readonly RunSummary[],
  { paint, columns }: { readonly paint: Paint; readonly columns: number },
): readonly string[] {
  return [
    ...renderColumns(COLUMNS, runs, columns, paint),
    '',
    paint('dim', 'ralph log --run RUN shows the iterations of one'),
  ];
}
