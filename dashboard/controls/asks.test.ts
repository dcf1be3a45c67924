import { expect, test } from 'vitest';
import type { RunLimits } from '../../src/contracts/index.ts';
import { answerAsk, limitsAsk, noteAsk } from './asks.ts';

const limits: RunLimits = {
  maxIterations: 10,
  calls: 100,
  maxCost: 5,
  maxTokens: null,
  maxDurationMs: 3_600_000,
  storyMaxCost: null,
  storyMaxAttempts: 3,
};

const shown = Object.fromEntries(limitsAsk('p', limits).fields.map(({ name, value }) => [name, value]));

test('limits are shown in the units of people, and only what was changed is sent', () => {
  expect(shown).toMatchObject({ maxIterations: '10', maxDurationMs: '60', maxTokens: '' });
  const { action } = limitsAsk('p', limits);
  expect(action(shown)).toBe(null);
  expect(action({ ...shown, maxIterations: '20', maxDurationMs: '90', maxCost: '' })).toEqual({
    do: 'limits',
    limits: { maxIterations: 20, maxDurationMs: 5_400_000, maxCost: null },
  });
});

test('what cannot be sent is said before', () => {
  const { problem, text, fields } = limitsAsk('p', limits);
  expect(text).toContain('at once');
  expect(problem?.({ ...shown, maxIterations: '' })).toBe('Iterations: enter a number.');
  expect(problem?.({ ...shown, maxCost: '' })).toBe(null);
  expect(fields.filter(({ required }) => required).map(({ name }) => name)).toEqual([
    'maxIterations',
    'calls',
    'storyMaxAttempts',
  ]);
  expect(limitsAsk('p', null).problem?.({ maxIterations: '' })).toBe(null);
  expect(noteAsk('p').problem?.({ text: 'ü'.repeat(40_000) })).toBe('The note has 80000 bytes; the maximum is 65536.');
  expect(noteAsk('p').problem?.({ text: 'fine\r\n' })).toBe(null);
});

test('an empty note or answer does nothing', () => {
  expect(noteAsk('p').action({ text: ' \n' })).toBe(null);
  const question = { id: 'Q1', story: 'US-001', text: 'Euro or dollar?' };
  expect(answerAsk('p', 'r1', question).action({ text: ' euros ' })).toEqual({
    do: 'answer',
    question: 'Q1',
    text: 'euros',
    run: 'r1',
  });
});
