import {
  LEDGER_VERSION,
  type LedgerAnswer,
  type LedgerIteration,
  type LedgerLine,
  type LedgerReset,
  NO_USAGE,
} from '../../contracts/index.ts';

/** A ledger line of story `A`; tests name only the fields they are about. */
export function aLine(fields: Partial<LedgerIteration> = {}): LedgerIteration {
  return {
    version: LEDGER_VERSION,
    kind: 'iteration',
    run: 'r1',
    iteration: 1,
    story: 'A',
    mode: 'implement',
    verdict: 'accepted',
    counts: 'good',
    stateChanged: false,
    state: null,
    blocked: null,
    reason: 'because',
    error: null,
    startedAt: 0,
    durationMs: 1000,
    costUsd: null,
    usage: NO_USAGE,
    agent: 'scripted',
    model: null,
    commit: null,
    subject: null,
    workFiles: 0,
    rescue: null,
    checks: [],
    violations: [],
    failure: null,
    ...fields,
  };
}

export function aReset(story = 'A'): LedgerReset {
  return { version: LEDGER_VERSION, kind: 'reset', story, at: 0 };
}

export function aCircuitReset(): LedgerLine {
  return { version: LEDGER_VERSION, kind: 'circuit-reset', at: 0 };
}

export function anAnswer(question: string, fields: Partial<LedgerAnswer> = {}): LedgerAnswer {
  return { version: LEDGER_VERSION, kind: 'answer', question, story: 'A', text: 'do that', at: 0, ...fields };
}

/** An iteration whose agent failed with this message. */
export function aCrash(message: string): LedgerIteration {
  return aBadLine({ verdict: 'agent-error', error: { kind: 'crash', message } });
}

/** An iteration that failed. */
export function aBadLine(fields: Partial<LedgerIteration> = {}): LedgerIteration {
  return aLine({ verdict: 'rejected', counts: 'bad', ...fields });
}
