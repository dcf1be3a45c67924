import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const fixture = new URL('./small-heap.fixture.ts', import.meta.url).pathname;

/** Megabytes of the space for young objects after much short-lived garbage. */
function youngSpace(...args: readonly string[]): number {
  return Number(execFileSync(process.execPath, ['--import', 'tsx', fixture, ...args], { encoding: 'utf8' }));
}

test('garbage does not make the heap grow', () => {
  expect(youngSpace('small')).toBeLessThan(youngSpace() / 2);
});
