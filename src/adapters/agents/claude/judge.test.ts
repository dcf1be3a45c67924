import { describe, expect, it } from 'vitest';
import { judge } from './judge.ts';

type Ending = Parameters<typeof judge>[0];

const good = { is_error: false, terminal_reason: 'completed', subtype: 'success', result: 'done' };
const bad = { ...good, is_error: true, terminal_reason: 'api_error' };

function judged(result: Record<string, unknown> | null, rest: Partial<Ending> = {}) {
  return judge({ exitCode: 0, signal: null, stderr: '', apiError: null, rejected: null, result, ...rest });
}

describe('judge', () => {
  it('finds success only where exit, is_error, terminal_reason and result agree', () => {
    expect(judged(good)).toEqual({ error: null, limit: null });
    expect(judged({ ...good, is_error: true }).error).not.toBeNull();
    expect(judged(good, { exitCode: 1 }).error).not.toBeNull();
    expect(judged({ ...good, terminal_reason: 'aborted_tools' }).error).not.toBeNull();
    expect(judged({ ...good, result: ' \n' }).error).toMatchObject({ kind: 'empty' });
    expect(judged(null).error).toMatchObject({ kind: 'empty' });
  });

  it('takes a result without terminal_reason, as earlier clients write it, for completed', () => {
    expect(judged({ is_error: false, result: 'done' }).error).toBeNull();
  });

  it.each([
    [429, null, 'limit'],
    [529, 'server_error', 'limit'],
    [500, 'server_error', 'network'],
    [502, null, 'network'],
    [401, null, 'auth'],
    [403, 'authentication_failed', 'auth'],
    [400, 'billing_error', 'auth'],
    [404, 'model_not_found', 'model'],
    [404, null, 'model'],
    [400, 'invalid_request', 'api'],
    [422, null, 'api'],
    [null, null, 'network'],
    [null, 'authentication_failed', 'auth'],
    [null, 'unknown', 'network'],
  ])('takes status %s with error %s for %s', (status, apiError, kind) => {
    expect(judged({ ...bad, api_error_status: status }, { exitCode: 1, apiError }).error?.kind).toBe(kind);
  });

  it('makes a limit only of structured fields, never of words', () => {
    const words = "You've hit your 5-hour limit · resets 1am. rate_limit 429 overloaded";
    expect(judged({ ...good, result: words })).toEqual({ error: null, limit: null });
    expect(judged({ ...bad, result: words }, { exitCode: 1 })).toMatchObject({
      error: { kind: 'network' },
      limit: null,
    });
    expect(judged(null, { exitCode: 1, stderr: words })).toMatchObject({ error: { kind: 'crash' }, limit: null });
  });

  it('prefers the limit that the provider announced with its reset time', () => {
    const rejected = { status: 'rejected', kind: 'seven_day', resetsAt: 5_000 } as const;
    expect(judged({ ...bad, api_error_status: 429 }, { exitCode: 1, rejected })).toMatchObject({
      error: { kind: 'limit' },
      limit: rejected,
    });
    expect(judged(good, { rejected })).toEqual({ error: null, limit: null });
  });

  it.each([
    ['error_max_turns', 'max_turns', 'exhausted'],
    ['error_max_budget_usd', 'budget_exhausted', 'exhausted'],
    ['error_during_execution', 'aborted_streaming', 'crash'],
    ['success', 'prompt_too_long', 'api'],
    ['success', 'hook_stopped', 'crash'],
  ])('takes %s with %s for %s', (subtype, terminal_reason, kind) => {
    const { error } = judged(
      { subtype, terminal_reason, is_error: true, errors: ['Reached the end'] },
      { exitCode: 1 },
    );
    expect(error?.kind).toBe(kind);
    expect(error?.message).toContain('Reached the end');
  });

  it('explains a process that ended before any result by its last words', () => {
    expect(judged(null, { exitCode: 1, stderr: 'warning\nunknown option --frobnicate\n' }).error).toEqual({
      kind: 'crash',
      message: 'the agent exited with 1 before it gave a result: unknown option --frobnicate',
    });
    expect(judged(null, { exitCode: null, signal: 'SIGKILL' }).error?.message).toBe(
      'the agent was ended by SIGKILL before it gave a result',
    );
  });
});
