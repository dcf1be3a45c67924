import { hasShape, type RalphEvent, type RunState, type RunSummary, type WaitReason } from '../../contracts/index.ts';
import {
  dollars,
  elapsed,
  endText,
  moment,
  oneLine,
  outcomeOf,
  reasonText,
  resultIn,
  type Tone,
  WAIT_TEXT,
} from '../../rules/text/index.ts';
import { foldRun, type IterationView, isLive } from '../../rules/view/index.ts';
import { type Column, renderColumns } from './layout.ts';
import { type Event, timeOfDay } from './lines/page.ts';
import type { Paint } from './paint.ts';

/** One iteration in one line. Its verdict is null while it is active, or when it was interrupted. */
type IterationRow = ReturnType<typeof rowOf>;

export interface RunHistory {
  readonly run: string;
  readonly startedAt: string | null;
  readonly agent: string | null;
  readonly branch: string | null;
  readonly iterations: readonly IterationRow[];
  /** Milliseconds waited, by reason. */
  readonly waitedMs: Readonly<Partial<Record<WaitReason, number>>>;
  readonly ended:
    | (Pick<Event<'run-end'>, 'reason' | 'exitCode' | 'summary' | 'stories'> & { readonly lonePrompt: boolean })
    | null;
}

export function runHistory(run: string, events: readonly RalphEvent[]): RunHistory {
  const fold = foldRun(run);
  const known = events.filter(hasShape);
  for (const [i, event] of known.entries()) fold.see(event, i);
  const { startedAt, agent, branch, iterations, ended } = fold.view();
  // A run that was started again is not over.
  const end = ended && known.findLast((event) => event.type === 'run-end');
  const waitedMs: Partial<Record<WaitReason, number>> = {};
  for (const event of known)
    if (event.type === 'wait-end') waitedMs[event.why] = (waitedMs[event.why] ?? 0) + event.waitedMs;
  return {
    run,
    startedAt: startedAt === null ? null : new Date(startedAt).toISOString(),
    agent,
    branch,
    iterations: iterations.map(rowOf),
    waitedMs,
    ended: end ? endOf(end) : null,
  };
}

function endOf({ reason, exitCode, summary, stories, lonePrompt }: Event<'run-end'>): RunHistory['ended'] {
  return { reason, exitCode, summary, stories, lonePrompt: lonePrompt === true };
}

function rowOf({
  iteration,
  mode,
  story,
  title,
  verdict,
  reason,
  agent,
  startedAt,
  claim,
  error,
  durationMs,
  costUsd,
  added,
  commit,
  rescue,
}: IterationView) {
  const row = { iteration, mode, story, title, verdict, claim, error, reason, agent, durationMs, costUsd };
  return { ...row, startedAt: new Date(startedAt).toISOString(), added, commit: commit?.id ?? null, rescue };
}

const columnsOf = (isUnderWay: (row: IterationRow) => boolean): readonly Column<IterationRow>[] => [
  { title: '#', text: (row) => String(row.iteration), align: 'right' },
  { title: 'at', text: (row) => timeOfDay(row.startedAt) },
  { title: 'mode', text: (row) => row.mode },
  { title: 'story', text: (row) => oneLine(row.story) },
  {
    title: 'verdict',
    text: (row) => resultIn(row)?.text ?? (isUnderWay(row) ? 'under way' : 'cut off'),
    tone: (row) => resultIn(row)?.tone ?? (isUnderWay(row) ? 'accent' : 'warn'),
  },
  { title: 'time', text: (row) => (row.durationMs === null ? '-' : elapsed(row.durationMs)), align: 'right' },
  { title: 'cost', text: (row) => dollars(row.costUsd), align: 'right' },
  { title: 'commit', text: (row) => row.commit?.slice(0, 7) ?? '-', tone: () => 'accent' },
  { title: 'why', text: (row) => reasonText(row.reason), flexible: true },
];

/** On a narrow terminal the reason needs their room. */
const WIDE_ONLY: ReadonlySet<string> = new Set(['cost', 'commit', 'time']);
const NARROW = 110;

function fitting<Row>(columns: readonly Column<Row>[], width: number): readonly Column<Row>[] {
  return width < NARROW ? columns.filter(({ title }) => !WIDE_ONLY.has(title)) : columns;
}

const AGENT_COLUMN: Column<IterationRow> = { title: 'agent', text: (row) => oneLine(row.agent ?? '-') };

/** The agent matters only where several took turns. */
function columnsFor(iterations: readonly IterationRow[], goesOn: boolean): readonly Column<IterationRow>[] {
  const columns = columnsOf((row) => goesOn && row === iterations.at(-1));
  const agents = new Set(iterations.flatMap(({ agent }) => agent ?? []));
  return agents.size > 1 ? [...columns.slice(0, 4), AGENT_COLUMN, ...columns.slice(4)] : columns;
}

function waitedText(waitedMs: RunHistory['waitedMs']): string {
  const parts = Object.entries(waitedMs).map(([why, ms]) => `${elapsed(ms)} (${WAIT_TEXT[why as WaitReason]})`);
  return `waited ${parts.join(', ')}`;
}

function endLine({ reason, exitCode, stories, lonePrompt }: NonNullable<RunHistory['ended']>, paint: Paint): string {
  const { text, tone } = outcomeOf(reason, lonePrompt, stories);
  return `${paint(tone, text)} (exit ${exitCode})`;
}

/** A run without iterations, in one line below the one that has some. Pure. */
export function renderIdleRun({ run, ended }: RunHistory, { paint }: { readonly paint: Paint }): string {
  const what = ended ? `ended at once: ${endLine(ended, paint)}` : 'has no iteration yet';
  return `the later start ${run} ${what}`;
}

/** The state of a run without an end in its log. */
const GOES_ON: Readonly<Record<RunState, readonly [Tone, string]>> = {
  running: ['good', 'under way (ralph status)'],
  waiting: ['warn', 'under way: it waits (ralph status)'],
  paused: ['warn', 'under way: it is paused; ralph resume continues'],
  between: ['accent', 'between two turns: it waits for the next one (ralph stream status)'],
  'cut-off': ['warn', 'cut off; `ralph run` continues it'],
  ended: ['warn', 'ended'],
};

/**
 * A run at a glance, one line per iteration. Pure.
 * @param options.state whether it is live, by the files in its work tree
 */
export function renderRunHistory(
  history: RunHistory,
  options: { readonly paint: Paint; readonly columns: number; readonly state: RunState },
): readonly string[] {
  const { run, agent, branch, iterations, waitedMs, ended } = history;
  const { paint, columns, state } = options;
  const facts = [
    `run ${run}`,
    ...(agent ? [`agent ${oneLine(agent)}`] : []),
    ...(branch ? [`branch ${oneLine(branch)}`] : []),
  ];
  return [
    facts.join(' · '),
    '',
    ...(iterations.length === 0
      ? ['no iterations']
      : renderColumns(fitting(columnsFor(iterations, isLive(state)), columns), iterations, columns, paint)),
    ...(Object.keys(waitedMs).length > 0 ? [waitedText(waitedMs)] : []),
    '',
    ended ? endLine(ended, paint) : paint(...GOES_ON[state]),
    ...(iterations.length === 0
      ? []
      : [paint('dim', '`ralph log N` shows one iteration, `--full` everything that its agent did')]),
  ];
}

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
      problem !== null
        ? 'unreadable'
        : state !== 'ended'
          ? STATE[state][0]
          : ended === null
            ? 'ended'
            : endText(ended.reason),
    tone: ({ problem, state, ended }) =>
      problem !== null ? 'bad' : state !== 'ended' ? STATE[state][1] : ended?.exitCode === 0 ? 'good' : 'warn',
  },
  { title: 'iterations', text: ({ iteration }) => String(iteration), align: 'right' },
  { title: 'stories', text: ({ stories: { done, total } }) => `${done}/${total} done`, align: 'right' },
  { title: 'cost', text: ({ costUsd }) => (costUsd > 0 ? dollars(costUsd) : '-'), align: 'right' },
  { title: 'started', text: ({ startedAt }) => (startedAt === null ? '-' : moment(startedAt)) },
  { title: '', text: ({ problem, needs, ended }) => oneLine(problem ?? needs ?? ended?.summary ?? ''), flexible: true },
];

export function renderRuns(
  runs: readonly RunSummary[],
  { paint, columns }: { readonly paint: Paint; readonly columns: number },
): readonly string[] {
  return [
    ...renderColumns(
      columns < NARROW ? COLUMNS.filter(({ title }) => title !== 'cost' && title !== 'started') : COLUMNS,
      runs,
      columns,
      paint,
    ),
    '',
    paint('dim', 'ralph log --run RUN shows the iterations of one'),
  ];
}
