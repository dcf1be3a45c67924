import type { AgentEvent } from '../../contracts/agent.ts';
import type { RalphEvent } from '../../contracts/events.ts';
import { type Mode, NO_USAGE } from '../../contracts/model.ts';
import { addCost, addUsage } from '../usage.ts';
import type { IterationView } from './model.ts';

/**
 * The row of an iteration after one of its events. Rows begin with `select`; where the log lost that, with the verdict.
 * @param line of the event
 * @returns undefined while nothing is known of the iteration
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
    blocked: null,
    durationMs: null,
    agentMs: 0,
    checkMs: 0,
    costUsd: null,
    usage: NO_USAGE,
    earlier: null,
    turns: null,
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
      // The agent that waits for it tells the whole of its time when it ends.
      const isBeside = row.earlier !== null;
      return {
        ...row,
        agentMs: row.agentMs - (isBeside ? took : 0),
        checkMs: row.checkMs + took,
        checks,
        tests: (tests && counted(tests)) ?? row.tests,
      };
    }
    case 'test-verdict':
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
      // Its process died with the run.
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

function spent({ costUsd, usage }: IterationView): NonNullable<IterationView['earlier']> {
  return { costUsd, usage };
}

/** What agents tell are running totals of their process. */
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
    turns: end.turns === null ? row.turns : (row.turns ?? 0) + end.turns,
  };
}

/** A run of tests whose output does not count them says nothing about how many there are. */
function counted({
  passed,
  failed,
}: {
  readonly passed: number | null;
  readonly failed: number | null;
}): IterationView['tests'] {
  return passed === null && failed === null ? null : { passed: passed ?? 0, failed: failed ?? 0 };
}

/** The name of what an iteration is about, for the modes that stories are in when it starts. */
export const STATE_IN_MODE = {
  implement: 'to do',
  review: 'needs review',
  'review-fix': 'changes requested',
} as const satisfies Record<Mode, string>;
