import { expect, test } from 'vitest';
import { aLine, aReset } from './ledger.fixture.ts';
import { acceptedSteps, isAcceptedAsUndone, isUndone, STORY_UNDONE, undoneDetail } from './lost-work.ts';

const step = (...paths: string[]) => ({ run: 'r1', story: 'A', base: '0', commit: '1', paths: new Set(paths) });
const of = (effect: readonly string[], since: readonly string[]) => ({
  effect: new Set(effect),
  since: new Set(since),
});

test('accepted work since the last word of a person counts, rejected work and commits without work do not', () => {
  const old = aLine({ commit: '1', base: '0', workFiles: 1 });
  const work = aLine({ story: 'B', commit: '2', workFiles: 1 });
  const others = [aLine({ verdict: 'rejected', commit: '3', workFiles: 1 }), aLine({ commit: '4' })];
  expect(acceptedSteps([old, work, ...others, aReset('A')])).toEqual([
    { run: 'r1', story: 'B', base: '2^', commit: '2' },
  ]);
});

test('a story is undone when every path that it changed is as before, and not when one is left', () => {
  expect(isUndone([step('a', 'b')], of(['a', 'b'], []))).toBe(true);
  expect(isUndone([step('a', 'b')], of(['a', 'b'], ['b']))).toBe(false);
});

test('what a story changed back itself is no effect', () => {
  expect(isUndone([step('a'), step('a')], of([], []))).toBe(false);
  expect(isUndone([step('a', 'b'), step('a')], of(['b'], ['a']))).toBe(true);
});

test('an accepted finding names its story', () => {
  const finding = { kind: STORY_UNDONE, path: 'a', line: 1, detail: undoneDetail('A'), severity: 'high' } as const;
  const ledger = [aLine({ story: 'B', acceptedWeakenings: [{ ...finding, reason: 'asked for' }] })];
  expect(isAcceptedAsUndone(ledger, 'A')).toBe(true);
  expect(isAcceptedAsUndone(ledger, 'AB')).toBe(false);
});
