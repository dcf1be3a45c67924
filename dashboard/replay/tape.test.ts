import { expect, test } from 'vitest';
import type { EventBody, RalphEvent } from '../../src/contracts/index.ts';
import { momentAt, openTape } from './tape.ts';

const RUN = '20260101-000000-aaaa';
const at = (second: number, iteration: number, body: EventBody): RalphEvent => ({
  ts: new Date(second * 1000).toISOString(),
  run: RUN,
  iteration,
  ...body,
});
const select = (second: number): RalphEvent =>
  at(second, second, { type: 'select', mode: 'implement', story: 'US-001', title: 't', attempt: 1, reviewCount: 0 });

test('the run is as it was at any moment, whichever way one goes', () => {
  const tape = openTape(RUN);
  tape.add(Array.from({ length: 2000 }, (_, i) => [i + 1, select(i + 1)] as const));
  const iterations = (ms: number) => tape.viewAt(ms).iterations.length;
  expect([iterations(0), iterations(1500), iterations(2_000_000), iterations(700_000), iterations(3000)]).toEqual([
    0, 1, 2000, 700, 3,
  ]);
  expect(tape.linesAt(3000)).toEqual({ from: 3, to: 4 });
  expect(tape.linesAt(2_000_000)).toEqual({ from: 2000, to: null });
});

test('the same moment has the same view', () => {
  const tape = openTape(RUN);
  tape.add([[1, select(1)]]);
  expect(tape.viewAt(5000)).toBe(tape.viewAt(9000));
});

test('a place between two headlines is found with few questions', async () => {
  let asked = 0;
  const moment = await momentAt({ from: 0, to: 1_000_000 }, 600_000, async (line) => {
    asked++;
    return line;
  });
  expect(moment.line).toBeGreaterThan(600_000);
  expect(moment.line).toBeLessThan(600_400);
  expect(asked).toBeLessThan(20);
});
