import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../contracts/index.ts';
import { saysFinished } from './signals.ts';

function says(text: string, skipReview = false, ok = true): boolean {
  const result = { exitCode: ok ? 0 : 1, signal: null, ok, text, usage: NO_USAGE, costUsd: null, turns: null };
  const outcome = { result: { ...result, sessionId: null, limit: null, error: null } };
  return saysFinished(outcome, { promise: 'COMPLETE', skipReview });
}

const PROMISE = 'The parser reads every field.\n\n<promise>COMPLETE</promise>';
const WORDS = 'The parser reads every field. All acceptance criteria are met.';

describe('a worker that forgot to signal', () => {
  it('is heard by its promise and by words that can mean nothing else', () => {
    expect(says(PROMISE)).toBe(true);
    expect(says(WORDS)).toBe(true);
  });

  it.each([
    'The parser reads every field.',
    'Once everything is done I will write <promise>COMPLETE</promise>, and not before.',
    'All acceptance criteria are met except the last one.',
    'Not all tasks are done: the error messages are left.',
  ])('is not heard where it says less: %s', (text) => {
    expect(says(text)).toBe(false);
  });

  it('needs the promise where no review follows', () => {
    expect(says(PROMISE, true)).toBe(true);
    expect(says(WORDS, true)).toBe(false);
  });

  it('is not heard when its process ended badly', () => {
    expect(says(PROMISE, false, false)).toBe(false);
  });
});
