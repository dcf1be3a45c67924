import { describe, expect, it } from 'vitest';
import { readStream } from '../conformance.fixture.ts';
import { copilot } from './adapter.ts';

/** The end of a process whose session had this problem. */
const ended = (problem: object, { exitCode = 1, request = '', content = '' } = {}) =>
  readStream(
    copilot,
    [
      { type: 'session.error', data: problem },
      { type: 'model.call_final_result', data: { result: request } },
      { type: 'assistant.message', data: { content } },
      { type: 'result', exitCode },
    ],
    { exitCode },
  );
const kindOf = (problem: object) => ended(problem).error?.kind;

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
    const problem = { errorType: 'rate_limit', statusCode: 429 };
    expect(ended(problem, { exitCode: 0, request: 'success', content: 'Done.' }).error).toBeNull();
  });
});

describe('its limit', () => {
  it('names the limit as the provider does, as far as it does', () => {
    const named = { errorType: 'rate_limit', errorCode: 'user_weekly_rate_limited', statusCode: 429 };
    expect(ended(named).limit?.kind).toBe('user_weekly_rate_limited');
    expect(ended({ errorType: 'quota', statusCode: 402 }).limit?.kind).toBe('quota');
    expect(ended({ errorType: 'query', statusCode: 529 }).limit?.kind).toBe('overloaded');
    expect(ended({ errorType: 'query', statusCode: 500 }).limit).toBeNull();
    expect(ended({ errorType: 'authentication', statusCode: 429 }).limit).toBeNull();
  });
});
