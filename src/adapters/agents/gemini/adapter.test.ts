import { describe, expect, it } from 'vitest';
import { readStream } from '../conformance.fixture.ts';
import { gemini } from './adapter.ts';

const failed = (message: string) => ({ type: 'result', status: 'error', error: { type: 'unknown', message } });
const kindOf = (exitCode: number, message: string, stderr = '') =>
  readStream(gemini, [failed(message)], { exitCode, stderr }).error?.kind;

describe('judge of gemini', () => {
  it.each([
    [429, 'limit'],
    [529, 'limit'],
    [401, 'auth'],
    [403, 'auth'],
    [404, 'model'],
    [400, 'api'],
    [500, 'network'],
    [503, 'network'],
  ])('reads HTTP %i from the lowest byte of it, which is the exit code', (status, kind) => {
    expect(kindOf(status % 256, 'whatever')).toBe(kind);
  });

  it('reads the status from the provider’s own error when the exit code has none', () => {
    expect(kindOf(1, '[API Error: {"error":{"code":503,"message":"busy"}}]')).toBe('network');
    expect(kindOf(1, '[API Error: {"error":{"code":503]')).toBe('api');
  });

  it('does not take words for a status', () => {
    expect(kindOf(1, '[API Error: 429 quota exceeded, rate limit reached]')).toBe('api');
    expect(kindOf(1, 'odd', 'ModelNotFoundError: HTTP 429')).toBe('api');
  });

  it.each([
    [41, 'auth'],
    [53, 'exhausted'],
    [52, 'crash'],
  ])('knows the client’s own exit code %i, with and without a result', (exitCode, kind) => {
    const stderr = 'Please set an Auth method\n';
    const { error } = readStream(gemini, [], { exitCode, stderr });
    expect(error?.kind).toBe(kind);
    expect(error?.message).toContain('Please set an Auth method');
    if (kind !== 'crash') expect(kindOf(exitCode, 'whatever', stderr)).toBe(kind);
  });

  it('takes an unusable answer for an empty one only when nothing was said', () => {
    const message = 'The model returned an invalid stream';
    const end = [
      { type: 'error', message },
      { type: 'result', status: 'error' },
    ];
    expect(readStream(gemini, end).error).toEqual({ kind: 'empty', message });
    const half = { type: 'message', role: 'assistant', content: 'Half a' };
    expect(readStream(gemini, [half, ...end]).error?.kind).toBe('api');
  });
});
