import {
  type EndReason,
  type RunState,
  type RunSummary,
  STATUS_VERSION,
  type StatusFile,
  type Verdict,
} from '../../contracts/index.ts';
import { AWAITS_APPROVAL } from '../backlog/index.ts';
import { sumDollars } from '../text/index.ts';
import type { IterationView, RunView } from './model.ts';

/** What a status tells of all iterations together. */
export interface Totals {
  readonly lastVerdict: Verdict | null;
  readonly verdicts: StatusFile['verdicts'];
  readonly costUsd: number;
}

export const NO_TOTALS: Totals = { lastVerdict: null, verdicts: {}, costUsd: 0 };

export function totalsAfter(before: Totals, iterations: readonly IterationView[]): Totals {
  const verdicts: Partial<Record<Verdict, number>> = { ...before.verdicts };
  for (const { verdict } of iterations) if (verdict !== null) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  return {
    lastVerdict: lastVerdictOf(iterations) ?? before.lastVerdict,
    verdicts,
    costUsd: sumDollars([before.costUsd, ...iterations.map(({ costUsd }) => costUsd ?? 0)]),
  };
}

/**
 * The content of `.ralph/status.json` for a run.
 * @param before of iterations that were taken out of the view
 */
export function statusOf(view: RunView, before = NO_TOTALS): StatusFile {
  const { now, ended } = view;
  const { phase, iteration, mode, agent, tool, waiting } = now;
  return {
    version: STATUS_VERSION,
    run: view.run,
    updatedAt: iso(view.lastEventAt),
    state: ended !== null ? 'ended' : view.betweenSince === null ? 'running' : 'between',
    startedAt: view.startedAt === null ? null : iso(view.startedAt),
    pid: view.pid,
    phase,
    iteration,
    used: view.used,
    maxIterations: view.maxIterations,
    mode,
    story: now.story === null ? null : { id: now.story, title: now.title ?? '' },
    agent,
    tool: tool && { name: tool.name, what: tool.what },
    contextPercent: now.context?.percent ?? null,
    waiting: waiting && { ...waiting, until: waiting.until === null ? null : iso(waiting.until) },
    breaker: view.breaker.state,
    ...totalsAfter(before, view.iterations),
    stories: view.storyCounts,
    ended: ended && { reason: ended.reason, exitCode: ended.exitCode, summary: ended.summary },
  };
}

function lastVerdictOf(iterations: readonly IterationView[]): Verdict | null {
  return iterations.findLast(({ verdict }) => verdict !== null)?.verdict ?? null;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

/** Whether a process works on the run, or waits in it; between two turns no process does. */
export function isLive(state: RunState | null): boolean {
  return state === 'running' || state === 'waiting' || state === 'paused';
}

/** End reasons that need action by the user. */
const AFTER_END: Readonly<Partial<Record<EndReason, string>>> = {
  budget: 'a budget is spent; a new run has its own',
  unavailable: 'its agent cannot be started; `ralph doctor` says why',
  error: 'it failed; see how it ended',
};

/**
 * What the user has to do for a run, as a short sentence; null when nothing. Based on its log: later requests are not
 * in it.
 */
export function needsOf(view: Pick<RunView, 'stories' | 'breaker' | 'ended' | 'now'>, state: RunState): string | null {
  const blocked = view.stories.flatMap((story) => story.blocked ?? []);
  const questions = blocked.flatMap((why) => /^question (Q\d{1,9}): /.exec(why)?.[1] ?? []);
  if (questions.length > 0) return `answer ${listed(questions)}`;
  const held = view.stories.flatMap(({ id, blocked }) => (blocked === AWAITS_APPROVAL ? [id] : []));
  if (held.length > 0) return `approve ${listed(held)}`;
  if (state === 'paused' || (state === 'between' && view.now.waiting?.why === 'pause'))
    return 'paused; it waits until it is resumed';
  if (state === 'cut-off') return 'cut off; `ralph run` recovers it';
  if (view.breaker.state === 'open') return 'the circuit breaker is open; see why, then reset it';
  if (state !== 'ended') return null;
  // A live run continues with the other stories.
  if (blocked.length > 0) return blocked.length === 1 ? '1 story is blocked' : `${blocked.length} stories are blocked`;
  return (view.ended && AFTER_END[view.ended.reason]) ?? null;
}

const MOST_NAMED = 3;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${names.slice(0, MOST_NAMED).join(', ')} and ${more} more` : names.join(', ');
}

export function summaryOf(view: RunView, project: string, state: RunState): RunSummary {
  const { run, startedAt, lastEventAt, now, maxIterations, storyCounts: stories, costUsd, agent, branch, ended } = view;
  const current = view.iterations.findLast(({ iteration }) => iteration === now.iteration);
  return {
    project,
    run,
    state,
    startedAt,
    lastEventAt: lastEventAt === 0 ? null : lastEventAt,
    iteration: now.iteration,
    maxIterations,
    mode: now.mode,
    story: now.story === null ? null : { id: now.story, title: now.title ?? '' },
    waiting: now.waiting && { why: now.waiting.why, until: now.waiting.until },
    lastVerdict: lastVerdictOf(view.iterations),
    stories,
    costUsd,
    agent: current?.agent ?? agent,
    branch,
    ended: ended && { reason: ended.reason, exitCode: ended.exitCode, summary: ended.summary },
    needs: needsOf(view, state),
    problem: null,
  };
}
