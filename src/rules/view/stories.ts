import {
  type AddedTokens,
  type AgentEvent,
  NO_USAGE,
  ownValue,
  type RalphEvent,
  type StoryRow,
  type StoryState,
} from '../../contracts/index.ts';
import { addCost, addUsage, sumDollars } from '../text/index.ts';
import type { IterationView, RunView, StoryView, TestRunView } from './model.ts';

type Counts = RunView['storyCounts'];

const NO_COUNTS: Counts = { total: 0, done: 0, blocked: 0 };

/** States that the events name like the review states, and two others. */
const STATES: Readonly<Record<string, StoryState>> = {
  open: 'to do',
  needs_review: 'needs review',
  changes_requested: 'changes requested',
  approved: 'done',
  done: 'done, unreviewed',
  blocked: 'blocked',
};

/** The stories according to the events; continues from those that an earlier fold saw. */
export function storyBoard(from?: Pick<RunView, 'stories' | 'storyCounts'>) {
  const rows = new Map<string, StoryRow>((from?.stories ?? []).map((story) => [story.id, rowOf(story)]));
  let counts = from?.storyCounts ?? NO_COUNTS;

  function put(row: StoryRow): void {
    const before = rows.get(row.id);
    if (before) counts = moved(counts, before.state, row.state);
    rows.set(row.id, row);
  }

  function takeBacklog({ whole, stories, removed }: Extract<RalphEvent, { type: 'backlog' }>): void {
    if (whole) rows.clear();
    for (const id of removed) rows.delete(id);
    for (const story of stories) rows.set(story.id, rowOf(story));
    counts = countRows(rows.values());
  }

  return {
    see(event: RalphEvent): void {
      if (event.type === 'run-start' || event.type === 'run-end') counts = event.stories;
      else if (event.type === 'backlog') takeBacklog(event);
      else if (event.type === 'story') {
        const row = rows.get(event.story);
        const state = ownValue(STATES, event.to);
        if (row && state) put({ ...row, state, blocked: state === 'blocked' ? event.reason : null });
      }
    },
    counts: () => counts,
    /** The stories as they are now with the data of the iterations, put together when first asked for. */
    view(iterations: readonly IterationView[]): () => readonly StoryView[] {
      const now = [...rows.values()];
      let views: readonly StoryView[] | null = null;
      return () => {
        views ??= withWork(now, iterations);
        return views;
      };
    },
  };
}

function rowOf({ id, title, state, priority, dependsOn, reviewCount, blocked }: StoryRow): StoryRow {
  return { id, title, state, priority, dependsOn, reviewCount, blocked };
}

const isDone = (state: StoryState) => state === 'done' || state === 'done, unreviewed';

function moved({ total, done, blocked }: Counts, from: StoryState, to: StoryState): Counts {
  return {
    total,
    done: done + Number(isDone(to)) - Number(isDone(from)),
    blocked: blocked + Number(to === 'blocked') - Number(from === 'blocked'),
  };
}

function countRows(rows: Iterable<StoryRow>): Counts {
  const counts = { total: 0, done: 0, blocked: 0 };
  for (const { state } of rows) {
    counts.total += 1;
    if (isDone(state)) counts.done += 1;
    if (state === 'blocked') counts.blocked += 1;
  }
  return counts;
}

function withWork(rows: readonly StoryRow[], iterations: readonly IterationView[]): readonly StoryView[] {
  const work = new Map<string, IterationView[]>();
  for (const iteration of iterations) {
    const own = work.get(iteration.story);
    if (own) own.push(iteration);
    else work.set(iteration.story, [iteration]);
  }
  return rows.map((row) => {
    const own = work.get(row.id) ?? [];
    return {
      ...row,
      iterations: own.length,
      costUsd: sumDollars(own.map(({ costUsd }) => costUsd ?? 0)),
      durationMs: own.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
      lastVerdict: own.findLast(({ verdict }) => verdict !== null)?.verdict ?? null,
    };
  });
}

/**
 * The row of an iteration after one of its events. Rows begin with `select`, or with the verdict if the log lost that.
 * @param line the event's line
 * @returns undefined while the iteration is unknown
 */
export function rowAfter(
  row: IterationView | undefined,
  event: RalphEvent,
  at: number,
  line: number,
): IterationView | undefined {
  const begun = begins(row, event) ? freshRow(event, at, line) : row;
  if (begun === undefined) return undefined;
  const after = changed(begun, event, at);
  return { ...after, to: line + 1 };
}

type Beginning = Extract<RalphEvent, { type: 'select' | 'verdict' }>;

function begins(row: IterationView | undefined, event: RalphEvent): event is Beginning {
  return event.type === 'select' || (event.type === 'verdict' && row === undefined);
}

function freshRow(event: Beginning, at: number, line: number): IterationView {
  const { iteration, mode, story } = event;
  return {
    iteration,
    mode,
    story,
    title: event.type === 'select' ? event.title : '',
    attempt: event.type === 'select' ? event.attempt : 0,
    startedAt: at,
    endedAt: null,
    agent: null,
    model: null,
    verdict: null,
    reason: '',
    claim: null,
    error: null,
    blocked: null,
    durationMs: null,
    agentMs: 0,
    checkMs: 0,
    costUsd: null,
    usage: NO_USAGE,
    earlier: null,
    turns: null,
    added: null,
    contextPercent: null,
    commit: null,
    rescue: null,
    denials: 0,
    tests: null,
    testsSaid: null,
    checks: { ok: 0, red: 0 },
    from: line,
    to: line + 1,
  };
}

function changed(row: IterationView, event: RalphEvent, at: number): IterationView {
  switch (event.type) {
    case 'agent-start':
      return { ...row, agent: event.agent, model: event.model ?? row.model, earlier: spent(row) };
    case 'agent':
      return withAgentEvent(row, event.event);
    case 'agent-end':
      return withProcessEnd(row, event);
    case 'check': {
      const { ok, durationMs, tests, known } = event.result;
      const checks = { ok: row.checks.ok + (ok ? 1 : 0), red: row.checks.red + (ok ? 0 : 1) };
      const took = known ? 0 : durationMs;
      // The agent that waits for the check reports its whole duration at its end.
      const isBeside = row.earlier !== null;
      return {
        ...row,
        agentMs: row.agentMs - (isBeside ? took : 0),
        checkMs: row.checkMs + took,
        checks,
        tests: (tests && counted(tests)) ?? row.tests,
      };
    }
    case 'test-result':
      return { ...row, testsSaid: counted(event) ?? row.testsSaid };
    case 'denied':
      return { ...row, denials: row.denials + 1 };
    case 'context-use':
      return { ...row, contextPercent: Math.max(row.contextPercent ?? 0, event.percent) };
    case 'verdict':
      return { ...row, verdict: event.verdict, reason: event.reason, claim: event.claim };
    case 'story':
      return event.story === row.story ? { ...row, blocked: event.to === 'blocked' ? event.reason : null } : row;
    case 'commit':
      return { ...row, commit: { id: event.commit, subject: event.subject, files: event.files } };
    case 'rollback':
      return { ...row, rescue: event.rescue ?? row.rescue };
    case 'recovered':
      // The iteration's process died with the run.
      return { ...row, rescue: event.rescue ?? row.rescue, earlier: null };
    case 'iteration-end':
      return {
        ...row,
        endedAt: at,
        durationMs: event.durationMs,
        costUsd: event.costUsd ?? row.costUsd,
        earlier: null,
      };
    default:
      return row;
  }
}

const spent = ({ costUsd, usage }: IterationView): NonNullable<IterationView['earlier']> => ({ costUsd, usage });

/** Agents report running totals of their process. */
function withAgentEvent(row: IterationView, event: AgentEvent): IterationView {
  if (event.type === 'session') return { ...row, model: row.model ?? event.model };
  if (event.type !== 'usage') return row;
  const earlier = row.earlier ?? spent(row);
  const { costUsd } = event;
  return {
    ...row,
    earlier,
    usage: addUsage(earlier.usage, event.usage),
    costUsd: costUsd === undefined ? row.costUsd : addCost(earlier.costUsd, costUsd),
  };
}

function withProcessEnd(row: IterationView, end: Extract<RalphEvent, { type: 'agent-end' }>): IterationView {
  const earlier = row.earlier ?? spent(row);
  return {
    ...row,
    agentMs: row.agentMs + end.durationMs,
    usage: addUsage(earlier.usage, end.usage),
    costUsd: addCost(earlier.costUsd, end.costUsd),
    earlier: null,
    error: end.error?.kind ?? null,
    turns: end.turns === null ? row.turns : (row.turns ?? 0) + end.turns,
    added: sumOf(row.added, end.added),
    model: end.model ?? row.model,
    contextPercent: mostOf(row.contextPercent, end.context),
  };
}

function mostOf(percent: number | null, context: { tokens: number; window: number } | undefined): number | null {
  if (context === undefined || context.window === 0) return percent;
  return Math.max(percent ?? 0, Math.floor((100 * context.tokens) / context.window));
}

function sumOf(one: AddedTokens | null, other: AddedTokens | undefined): AddedTokens | null {
  if (one === null || other === undefined) return other ?? one;
  return {
    story: one.story + other.story,
    prompt: one.prompt + other.prompt,
    tools: one.tools + other.tools,
    hooks: one.hooks + other.hooks,
  };
}

/** A test run whose output has no counts says nothing about the number of tests. */
function counted({ passed, failed }: Pick<TestRunView, 'passed' | 'failed'>): IterationView['tests'] {
  return passed === null && failed === null ? null : { passed: passed ?? 0, failed: failed ?? 0 };
}
