import { expect, it } from 'vitest';
import { limitText } from './limit-words.ts';

it.each([
  ['maxCost', 0.3, '--max-cost $0.30'],
  ['maxDurationMs', 7_200_000, '--max-duration 2h 00m'],
  ['calls', 200, '--calls 200 per hour'],
  ['maxTokens', null, '--max-tokens none'],
] as const)('%s %j reads as it is typed, with its amount', (limit, value, text) => {
  expect(limitText(limit, value)).toBe(text);
});
