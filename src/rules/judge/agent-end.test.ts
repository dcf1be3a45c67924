import { describe, expect, it } from 'vitest';
import { type AgentError, type AgentResult, NO_USAGE } from '../../contracts/index.ts';
import { agentEndOf, endWith, stoppedFromOutside } from './agent-end.ts';

const CRASH: AgentError = { kind: 'crash', message: 'it broke' };

function failed(result: Partial<AgentResult>): AgentResult {
  return {
    exitCode: null,
    signal: null,
    ok: false,
    text: '',
    usage: NO_USAGE,
    costUsd: null,
    turns: null,
    sessionId: null,
    limit: null,
    error: CRASH,
    ...result,
  };
}

const ended = (result: Partial<AgentResult>) => ({ stopped: null, result: failed(result) });

describe("an agent's own end", () => {
  it.each([
    ['exit 130', { exitCode: 130 }, 'interrupted'],
    ['SIGINT', { signal: 'SIGINT' }, 'interrupted'],
    ['exit 143', { exitCode: 143 }, 'terminated'],
    ['SIGTERM', { signal: 'SIGTERM' }, 'terminated'],
  ] as const)('by %s interrupts the iteration, and the run as well', (_name, result, reason) => {
    expect(agentEndOf(ended(result))).toBe('interrupted');
    expect(stoppedFromOutside(ended(result))).toBe(reason);
  });

  it.each([
    ['exit 124', { exitCode: 124 }, 'timed-out'],
    ['exit 1', { exitCode: 1 }, 'error'],
    ['SIGKILL', { signal: 'SIGKILL' }, 'error'],
    ['exit 0 without success, as of clients that catch SIGTERM', { exitCode: 0 }, 'error'],
    ['success', { exitCode: 0, ok: true, error: null }, 'ok'],
  ] as const)('by %s is no interruption', (_name, result, end) => {
    expect(agentEndOf(ended(result))).toBe(end);
    expect(stoppedFromOutside(ended(result))).toBeNull();
  });

  it('leaves the reason to the loop where the loop stopped it', () => {
    const result = failed({ exitCode: 143 });
    expect(agentEndOf({ stopped: 'idle-timeout', result })).toBe('timed-out');
    expect(agentEndOf({ stopped: 'stopped', result })).toBe('interrupted');
    for (const stopped of ['idle-timeout', 'stopped', 'interrupted'] as const)
      expect(stoppedFromOutside({ stopped, result })).toBeNull();
    const overrun = { budget: 'story-cost', spent: 1, limit: 1 } as const;
    expect(agentEndOf({ stopped: null, result, overrun })).toBe('interrupted');
    expect(stoppedFromOutside({ stopped: null, result, overrun })).toBeNull();
  });

  it("is the provider's where the provider refused, though time was up as well", () => {
    const limit = { status: 'rejected', kind: 'five_hour', resetsAt: null } as const;
    expect(agentEndOf(ended({ exitCode: 124, limit }))).toBe('limited');
    expect(agentEndOf(ended({ exitCode: 127, error: { kind: 'unavailable', message: '' } }))).toBe('limited');
  });
});

describe('an end without a word, or without a connection', () => {
  const endedBy = (kind: 'empty' | 'network') =>
    ended({ exitCode: kind === 'empty' ? 0 : 1, error: { kind, message: kind } });

  it('is judged by what was done before it', () => {
    for (const kind of ['empty', 'network'] as const) {
      expect(endWith(endedBy(kind), { hasClaim: false, hasWork: true })).toBe('ok');
      expect(endWith(endedBy(kind), { hasClaim: true, hasWork: true })).toBe('error');
    }
    expect(endWith(endedBy('empty'), { hasClaim: false, hasWork: false })).toBe('error');
    expect(endWith(endedBy('network'), { hasClaim: false, hasWork: false })).toBe('limited');
  });
});
