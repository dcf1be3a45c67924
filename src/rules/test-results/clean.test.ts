import { expect, it } from 'vitest';
import { cleanOutput } from './clean.ts';

const lines = (stdout: string, stderr = '') => cleanOutput(stdout, stderr).lines;

it('takes colours and cursor movements away', () => {
  expect(lines('\u001b[1mTests: \u001b[22m\u001b[32m2 passed\u001b[39m\u001b[K')).toEqual(['Tests: 2 passed']);
});

it('gives each state of a progress line a line of its own', () => {
  expect(lines('1 of 2\r2 of 2\r\ndone')).toEqual(['1 of 2', '2 of 2', 'done']);
});

it('reads standard output before standard error', () => {
  expect(lines('out', 'err')).toEqual(['out', 'err']);
});

it.each([
  ['turbo', 'web:test: ', 'api:test: '],
  ['pnpm', 'packages/web test: ', 'packages/api test: '],
  ['lerna', '@shop/web: ', '@shop/api: '],
  ['concurrently', '[web] ', '[api] '],
  ['docker compose', 'web-1  | ', 'api-1  | '],
])('puts the lines of one task beside each other: %s', (_tool, web, api) => {
  const text = [`${web}a`, `${api}x`, `${web}b`, `${api}y`, `${web}c`, `${api}z`].join('\n');
  expect(lines(text)).toEqual(['a', 'b', 'c', 'x', 'y', 'z']);
});

it('takes time stamps of a CI log away', () => {
  const stamp = (seconds: number) => `2026-01-31T12:00:0${seconds}.1234567Z `;
  expect(lines([1, 2, 3].map((each) => `${stamp(each)}line ${each}`).join('\n'))).toEqual([
    'line 1',
    'line 2',
    'line 3',
  ]);
});

it('leaves a summary alone that looks like a prefix', () => {
  const summary = 'Tests:       1 passed, 1 total\n';
  expect(lines(summary.repeat(4)).slice(0, 4)).toEqual(Array.from({ length: 4 }, () => summary.trim()));
});

it('keeps the start and the end of a long output', () => {
  const text = `first\n${'x\n'.repeat(400_000)}last`;
  expect(lines(text).at(0)).toBe('first');
  expect(lines(text).at(-1)).toBe('last');
  expect(lines(text).length).toBeLessThan(20_000);
});
