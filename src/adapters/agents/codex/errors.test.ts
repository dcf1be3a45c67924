import { describe, expect, it } from 'vitest';
import { readFailure } from './errors.ts';

describe('readFailure', () => {
  it.each([
    ["You've hit your usage limit. Try again later.", 'limit', 'usage_limit'],
    [
      'You’ve hit your usage limit for some-model. Switch to another model now, or try again at 9:15 PM.',
      'limit',
      'usage_limit',
    ],
    ['Selected model is at capacity. Please try a different model.', 'limit', 'overloaded'],
    ['exceeded retry limit, last status: 429 Too Many Requests, request id: 7', 'limit', 'rate_limit'],
    ['unexpected status 529 <unknown status code>: busy', 'limit', 'overloaded'],
    ['unexpected status 502 Bad Gateway: Unknown error', 'network', null],
    ['unexpected status 401 Unauthorized: no', 'auth', null],
    ['unexpected status 404 Not Found: no', 'model', null],
    ['Your access token could not be refreshed. Please log out and sign in again.', 'auth', null],
    ['Your workspace is out of credits. Add credits to continue.', 'auth', null],
    ["The 'some-model' model is not supported when using Codex with a ChatGPT account.", 'model', null],
    ["Codex ran out of room in the model's context window.", 'api', null],
    ['', 'api', null],
  ])('%s', (message, kind, limit) => {
    expect(readFailure(message)).toEqual({
      kind,
      limit: limit === null ? null : { status: 'rejected', kind: limit, resetsAt: null },
    });
  });

  it('takes a template for one only from its first word on', () => {
    for (const message of [
      "the tool said: You've hit your usage limit.",
      'bad request: unexpected status 429',
      '{"error":{"message":"exceeded retry limit, last status: 429"}}',
    ]) {
      expect(readFailure(message)).toEqual({ kind: 'api', limit: null });
    }
  });
});
