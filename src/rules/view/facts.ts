import type { RalphEvent } from '../../contracts/index.ts';
import type { RunView } from './model.ts';

/** The parts of the view that seldom change and are independent. */
export type Facts = Pick<RunView, keyof typeof NO_FACTS>;

export const NO_FACTS = {
  startedAt: null,
  starts: 0,
  version: null,
  specDir: null,
  backlog: null,
  agent: null,
  model: null,
  isolation: null,
  branch: null,
  pid: null,
  lonePrompt: false,
  maxIterations: 0,
  used: 0,
  limits: null,
  estimate: null,
  breaker: { state: 'closed', reason: '', evidence: [], fix: [] },
  waitedMs: 0,
  betweenSince: null,
  betweenMs: 0,
  exit: { falseCompletions: 0, stopRefusals: 0, signals: null, condition: null },
  ended: null,
} satisfies Partial<RunView>;

/** The facts after an event; the same object when it changed none. */
export function factsAfter(before: Facts, event: RalphEvent, at: number): Facts {
  const facts = isTakenUp(before, event) ? takenUp(before, at) : before;
  switch (event.type) {
    case 'run-start':
      return started(facts, event, at);
    case 'limits':
      return { ...facts, limits: event.limits, maxIterations: event.limits.maxIterations };
    case 'estimate': {
      const { iterationsNeeded: iterations, costUsd, enough } = event;
      return { ...facts, estimate: { iterations, costUsd, enough } };
    }
    case 'select':
      return { ...facts, used: event.used ?? facts.used, maxIterations: event.limit ?? facts.maxIterations };
    case 'verdict':
      // Counted as in the ledger: an iteration that ended for reasons outside the story is free.
      return event.verdict === 'interrupted' || event.verdict === 'limited'
        ? facts
        : { ...facts, used: facts.used + 1 };
    case 'circuit': {
      const { to: state, reason, evidence, fix } = event;
      return { ...facts, breaker: { state, reason, evidence, fix } };
    }
    case 'wait-end':
      return { ...facts, waitedMs: facts.waitedMs + event.waitedMs };
    case 'turn-end':
      // A turn that could do nothing except report that does not change the time between turns.
      return { ...facts, betweenSince: facts.betweenSince ?? at };
    case 'run-end': {
      const { reason, exitCode, summary, needs = [] } = event;
      return { ...facts, ended: { at, reason, exitCode, summary, needs } };
    }
    default: {
      const exit = exitAfter(facts.exit, event);
      return exit === facts.exit ? facts : { ...facts, exit };
    }
  }
}

/** Whether this event ends the time between two turns: any except `turn-end` does. */
export function isTakenUp({ betweenSince }: Pick<Facts, 'betweenSince'>, event: RalphEvent): boolean {
  return betweenSince !== null && event.type !== 'turn-end';
}

function takenUp(facts: Facts, at: number): Facts {
  const { betweenSince, betweenMs } = facts;
  return { ...facts, betweenSince: null, betweenMs: betweenMs + Math.max(0, at - (betweenSince ?? at)) };
}

/** A resumed run has several starts: it began with the first, and is no longer over once it started again. */
function started(facts: Facts, start: Extract<RalphEvent, { type: 'run-start' }>, at: number): Facts {
  const { ralph: version, specDir, backlog, agent, model, isolation, branch, pid, maxIterations } = start;
  return {
    ...facts,
    ...{ version, specDir, backlog, agent, model, isolation, branch, pid, maxIterations },
    startedAt: facts.startedAt ?? at,
    starts: facts.starts + 1,
    lonePrompt: start.lonePrompt === true,
    limits: start.limits ?? facts.limits,
    breaker:
      start.breaker === undefined || start.breaker === facts.breaker.state
        ? facts.breaker
        : { state: start.breaker, reason: '', evidence: [], fix: [] },
    ended: null,
  };
}

function exitAfter(exit: RunView['exit'], event: RalphEvent): RunView['exit'] {
  switch (event.type) {
    case 'false-completion':
      return { ...exit, falseCompletions: exit.falseCompletions + 1 };
    case 'stop-refused':
      return { ...exit, stopRefusals: exit.stopRefusals + 1 };
    case 'signals': {
      const { done, completion, testOnly, confidence } = event.signals;
      return { ...exit, signals: { done, completion, testOnly, confidence } };
    }
    case 'exit-condition':
      return { ...exit, condition: event.reason === '' ? event.name : `${event.name}: ${event.reason}` };
    default:
      return exit;
  }
}
