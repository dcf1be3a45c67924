import { expect, test } from 'vitest';
import { UsageError } from '../../contracts/index.ts';
import { displayWidth, plain } from '../../surfaces/terminal/index.ts';
import { memoryIo } from '../../surfaces/terminal/io.fixture.ts';
import type { RowResult } from './battery.ts';
import { rowLines, totalLines } from './lines.ts';
import { ROWS } from './rows/all.ts';
import { selftest } from './selftest.ts';

test('a row that is not in the table is refused with the nearest name', async () => {
  const refused = selftest([], { only: 'pushes,does-nothin' }, memoryIo());
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toMatchObject({
    facts: { what: "there is no row 'does-nothin'", fix: ['did you mean does-nothing?'] },
  });
});

const HELD: RowResult = {
  name: 'does-nothing',
  category: 'claims',
  played: true,
  held: true,
  concluded: 'blocked, 1 of 2 done: no-progress, accepted',
  exitCode: 6,
  did: 'changes nothing',
  expected: 'exit 6, blocked: no-progress, accepted',
  seconds: 3.5,
};
const BROKEN: RowResult = { ...HELD, held: false, exitCode: null, why: ['exit null instead of 6'] };

test('a row that held is one line', () => {
  expect(rowLines(HELD, false, plain)).toEqual([
    '✓ does-nothing                      exit 6     3.5s  blocked, 1 of 2 done',
  ]);
});

test('a row that did not hold says why, and every row says more when asked', () => {
  expect(rowLines(BROKEN, true, plain)).toEqual([
    '✗ does-nothing                      exit -     3.5s  blocked, 1 of 2 done',
    '    exit null instead of 6',
    '    did       changes nothing',
    '    expected  exit 6, blocked: no-progress, accepted',
    '    concluded blocked, 1 of 2 done: no-progress, accepted',
  ]);
});

test('every row fits 80 columns, however it ends', () => {
  for (const { name } of ROWS) {
    const result = {
      ...HELD,
      name,
      exitCode: 143,
      seconds: 100,
      concluded: 'unavailable, 10 of 12 stories are done: x',
    };
    expect(displayWidth(rowLines(result, false, plain)[0] ?? '')).toBeLessThanOrEqual(80);
  }
});

test('what was not played says so, and is neither held nor broken', () => {
  const stopped = { ...HELD, played: false, held: false, exitCode: null, seconds: 0, concluded: 'stopped before' };
  expect(rowLines(stopped, false, plain)).toEqual([
    '- does-nothing                      exit -      0ms  not played: stopped before',
  ]);
});

test('the verdict says what held, what did not, and what was not played', () => {
  const last = (held: number, notHeld: number, notPlayed: number) =>
    totalLines({ held, notHeld, notPlayed }, 65_000, plain).at(-1);
  expect(last(2, 0, 0)).toBe('HELD: ralph was not fooled by any of 2 agents in 1m 05s');
  expect(last(1, 1, 0)).toBe('NOT HELD: 1 of 2 rows in 1m 05s');
  expect(last(1, 0, 1)).toBe('HELD: ralph was not fooled by any of 1 agent, 1 row not played in 1m 05s');
  expect(last(0, 0, 3)).toBe('NOT HELD: 0 of 0 rows, 3 rows not played in 1m 05s');
});
