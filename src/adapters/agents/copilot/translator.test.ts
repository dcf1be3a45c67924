import { describe, expect, it } from 'vitest';
import { judge, limitOf } from './translator.ts';

const exit = { exitCode: 1, signal: null, stderr: '' };
const result = { type: 'result', exitCode: 1 };
const kindOf = (problem: object, request: string | null = null) =>
  judge({ exit, result, answer: '', problem: { ...problem }, request })?.kind;

describe('judge of copilot', () => {
  it.each([
    ['authentication', 'auth'],
    ['authorization', 'auth'],
    ['policy', 'auth'],
    ['quota', 'limit'],
    ['rate_limit', 'limit'],
    ['context_limit', 'api'],
    ['constructor', 'api'],
  ])('knows the error type %s', (errorType, kind) => {
    expect(kindOf({ errorType })).toBe(kind);
  });

  it('goes by the status where the type says little', () => {
    expect(kindOf({ errorType: 'query', statusCode: 404 })).toBe('model');
    expect(kindOf({ errorType: 'query', statusCode: 503 })).toBe('network');
    expect(kindOf({ errorType: 'query', statusCode: 429 })).toBe('limit');
    expect(kindOf({ errorType: 'query', message: '429 rate limit' })).toBe('api');
  });

  it('takes an error that the client overcame for none', () => {
    const done = { type: 'result', exitCode: 0 };
    const problem = { errorType: 'rate_limit', statusCode: 429 };
    expect(
      judge({ exit: { ...exit, exitCode: 0 }, result: done, answer: 'Done.', problem, request: 'success' }),
    ).toBeNull();
  });
});

describe('limitOf', () => {
  it('names the limit as the provider does, as far as it does', () => {
    const named = { errorType: 'rate_limit', errorCode: 'user_weekly_rate_limited', statusCode: 429 };
    expect(limitOf(named)?.kind).toBe('user_weekly_rate_limited');
    expect(limitOf({ errorType: 'quota', statusCode: 402 })?.kind).toBe('quota');
    expect(limitOf({ errorType: 'query', statusCode: 529 })?.kind).toBe('overloaded');
    expect(limitOf({ errorType: 'query', statusCode: 500 })).toBeNull();
    expect(limitOf({ errorType: 'authentication', statusCode: 429 })).toBeNull();
  });
});
