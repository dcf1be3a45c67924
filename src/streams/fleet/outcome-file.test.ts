import { describe, expect, it } from 'vitest';
import { formatOutcome, parseOutcome } from './outcome-file.ts';

const LAST = {
  submission: 's1',
  n: 3,
  head: 'c1',
  report: { outcome: { kind: 'next' }, used: { costUsd: 0.5, tokens: 10, calls: [1] } },
} as const;

describe('the outcome of a turn, as it travels', () => {
  it('is read as it was written', () => {
    expect(parseOutcome(formatOutcome(LAST), 'PRD-1')).toEqual(LAST);
  });

  it.each([
    '',
    'null',
    '{}',
    formatOutcome(LAST).replace('"version": 1', '"version": 2'),
    formatOutcome(LAST).replace('"next"', '"perhaps"'),
    formatOutcome(LAST).replace('"n": 3', '"n": "3"'),
  ])('is never guessed at: %j', (text) => {
    expect(() => parseOutcome(text, 'PRD-1')).toThrow('the state of stream PRD-1 cannot be read');
  });
});
