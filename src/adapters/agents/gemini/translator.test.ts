import { describe, expect, it } from 'vitest';
import { judge } from './translator.ts';

const ended = (exitCode: number | null, rest: { signal?: string; stderr?: string } = {}) => ({
  exitCode,
  signal: null,
  stderr: '',
  ...rest,
});
const failed = (message: string) => ({ type: 'result', status: 'error', error: { type: 'unknown', message } });
const kindOf = (exit: ReturnType<typeof ended>, message: string) =>
  judge({ exit, result: failed(message), answer: '', complaint: null }).error?.kind;

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
    expect(kindOf(ended(status % 256), 'whatever')).toBe(kind);
  });

  it('reads the status from the provider’s own error when the exit code has none', () => {
    expect(kindOf(ended(1), '[API Error: {"error":{"code":503,"message":"busy"}}]')).toBe('network');
    expect(kindOf(ended(1), '[API Error: {"error":{"code":503]')).toBe('api');
  });

  it('does not take words for a status', () => {
    expect(kindOf(ended(1), '[API Error: 429 quota exceeded, rate limit reached]')).toBe('api');
    expect(kindOf(ended(1, { stderr: 'ModelNotFoundError: HTTP 429' }), 'odd')).toBe('api');
  });

  it.each([
    [41, 'auth'],
    [53, 'exhausted'],
    [52, 'crash'],
  ])('knows the client’s own exit code %i, with and without a result', (exitCode, kind) => {
    const exit = ended(exitCode, { stderr: 'Please set an Auth method\n' });
    const { error } = judge({ exit, result: null, answer: '', complaint: null });
    expect(error?.kind).toBe(kind);
    expect(error?.message).toContain('Please set an Auth method');
    if (kind !== 'crash') expect(kindOf(exit, 'whatever')).toBe(kind);
  });

  it('takes an unusable answer for an empty one only when nothing was said', () => {
    const result = { type: 'result', status: 'error' };
    const complaint = 'The model returned an invalid stream';
    expect(judge({ exit: ended(0), result, answer: '', complaint }).error).toEqual({
      kind: 'empty',
      message: complaint,
    });
    expect(judge({ exit: ended(0), result, answer: 'Half a', complaint }).error?.kind).toBe('api');
  });
});
