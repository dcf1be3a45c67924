import type { RunState } from '../../contracts/catalogue.ts';
import type { RalphEvent } from '../../contracts/events.ts';
import type { EndReason, Mode, Verdict } from '../../contracts/model.ts';
import type { WaitReason } from '../../contracts/state/run-record.ts';
import { hasShape } from '../../rules/view/event-shape.ts';
import { isLive } from '../../rules/view/is-live.ts';
import { type Column, renderColumns } from './columns.ts';
import { dollars, elapsed } from './format.ts';
import type { Paint, Tone } from './paint.ts';
import { oneLine } from './sanitise.ts';
import { outcomeOf, VERDICT_TONE, WAIT_TEXT } from './words.ts';

/** One iteration in one line. */
export interface IterationRow {
  readonly iteration: number;
  readonly mode: Mode;
  readonly story: string;
  readonly title: string;
  /** null while it goes on, or when it was cut off. */
  readonly verdict: Verdict | null;
  readonly reason: string;
  /** Who did it; null while it has not started. */
  readonly agent: string | null;
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  readonly commit: string | null;
  readonly rescue: string | null;
}

export interface RunHistory {
  readonly run: string;
  readonly startedAt: string | null;
  readonly agent: string | null;
  readonly branch: string | null;
  readonly iterations: readonly IterationRow[];
  /** Milliseconds waited, by what was waited for. */
  readonly waitedMs: Readonly<Partial<Record<WaitReason, number>>>;
  readonly ended: {
    readonly reason: EndReason;
    readonly exitCode: number;
    readonly summary: string;
    readonly stories: { readonly total: number; readonly done: number };
    readonly lonePrompt: boolean;
  } | null;
}

/** What a run's events amount to; those that are not what they say are left out. Pure. */
export function runHistory(run: string, events: readonly RalphEvent[]): RunHistory {
  const rows = new Map<number, IterationRow>();
  let history: RunHistory = {
    run,
    startedAt: null,
    agent: null,
    branch: null,
    iterations: [],
    waitedMs: {},
    ended: null,
  };
  for (const event of events.filter(hasShape)) {
    if (event.type === 'run-start') {
      // A resumed run has several starts; it began with the first and is not over once it started again.
      history = {
        ...history,
        startedAt: history.startedAt ?? event.ts,
        agent: event.agent,
        branch: event.branch,
        ended: null,
      };
    } else if (event.type === 'run-end') {
      const { reason, exitCode, summary, stories, lonePrompt = false } = event;
      history = { ...history, ended: { reason, exitCode, summary, stories, lonePrompt } };
    } else if (event.type === 'wait-end') {
      const before = history.waitedMs[event.why] ?? 0;
      history = { ...history, waitedMs: { ...history.waitedMs, [event.why]: before + event.waitedMs } };
    } else {
      const row = withEvent(rows.get(event.iteration), event);
      if (row) rows.set(event.iteration, row);
    }
  }
  return { ...history, iterations: [...rows.values()].sort((a, b) => a.iteration - b.iteration) };
}

function withEvent(row: IterationRow | undefined, event: RalphEvent): IterationRow | undefined {
  if (event.type === 'select') {
    const { iteration, mode, story, title } = event;
    return {
      iteration,
      mode,
      story,
      title,
      verdict: null,
      reason: '',
      agent: null,
      durationMs: null,
      costUsd: null,
      commit: null,
      rescue: null,
    };
  }
  if (!row) return undefined;
  switch (event.type) {
    case 'agent-start':
      return { ...row, agent: event.agent };
    case 'verdict':
      return { ...row, verdict: event.verdict, reason: event.reason };
    case 'commit':
      return { ...row, commit: event.commit };
    case 'rollback':
      return { ...row, rescue: event.rescue };
    case 'iteration-end':
      return { ...row, durationMs: event.durationMs, costUsd: event.costUsd };
    default:
      return row;
  }
}

const columnsOf = (isUnderWay: (row: IterationRow) => boolean): readonly Column<IterationRow>[] => [
  { title: '#', text: (row) => String(row.iteration), align: 'right' },
  { title: 'mode', text: (row) => row.mode },
  { title: 'story', text: (row) => oneLine(row.story) },
  {
    title: 'verdict',
    text: (row) => row.verdict ?? (isUnderWay(row) ? 'under way' : 'cut off'),
    tone: (row) => (row.verdict ? VERDICT_TONE[row.verdict] : isUnderWay(row) ? 'accent' : 'warn'),
  },
  { title: 'time', text: (row) => (row.durationMs === null ? '-' : elapsed(row.durationMs)), align: 'right' },
  { title: 'cost', text: (row) => dollars(row.costUsd), align: 'right' },
  { title: 'commit', text: (row) => row.commit?.slice(0, 7) ?? '-', tone: () => 'accent' },
  { title: 'why', text: (row) => oneLine(row.reason), flexible: true },
];

const AGENT_COLUMN: Column<IterationRow> = { title: 'agent', text: (row) => oneLine(row.agent ?? '-') };

/** Who did what is a question only where several agents took turns. */
function columnsFor(iterations: readonly IterationRow[], goesOn: boolean): readonly Column<IterationRow>[] {
  const columns = columnsOf((row) => goesOn && row === iterations.at(-1));
  const agents = new Set(iterations.flatMap(({ agent }) => agent ?? []));
  return agents.size > 1 ? [...columns.slice(0, 3), AGENT_COLUMN, ...columns.slice(3)] : columns;
}

function waitedText(waitedMs: RunHistory['waitedMs']): string {
  const parts = Object.entries(waitedMs).map(([why, ms]) => `${elapsed(ms)} (${WAIT_TEXT[why as WaitReason]})`);
  return `waited ${parts.join(', ')}`;
}

function endText({ reason, exitCode, stories, lonePrompt }: NonNullable<RunHistory['ended']>, paint: Paint): string {
  const { text, tone } = outcomeOf(reason, lonePrompt, stories);
  return `${paint(tone, text)} (exit ${exitCode})`;
}

/** A run without iterations, in one line below the one that has some. Pure. */
export function renderIdleRun({ run, ended }: RunHistory, { paint }: { readonly paint: Paint }): string {
  const what = ended ? `ended at once: ${endText(ended, paint)}` : 'has no iteration yet';
  return `the later start ${run} ${what}`;
}

/** How a run stands that has no end in its log. */
const GOES_ON: Readonly<Record<RunState, readonly [Tone, string]>> = {
  running: ['good', 'under way (ralph status)'],
  waiting: ['warn', 'under way: it waits (ralph status)'],
  paused: ['warn', 'under way: it is paused; ralph resume goes on'],
  between: ['accent', 'between two turns: it waits for the next one (ralph stream status)'],
  'cut-off': ['warn', 'cut off: it neither ended nor lives; ralph run goes on with it'],
  ended: ['warn', 'ended'],
};

/**
 * A run at a glance, one line per iteration. Pure.
 * @param options.state whether it lives, by what it left in its work tree
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
      : renderColumns(columnsFor(iterations, isLive(state)), iterations, columns, paint)),
    ...(Object.keys(waitedMs).length > 0 ? [waitedText(waitedMs)] : []),
    '',
    ended ? endText(ended, paint) : paint(...GOES_ON[state]),
    ...(iterations.length === 0 ? [] : [paint('dim', 'ralph log N shows one iteration in full')]),
  ];
}
