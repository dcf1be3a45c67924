import { expect, test } from 'vitest';
import type { EventBody } from '../../contracts/index.ts';
import { egressLog } from './egress.ts';

const REFUSAL = { host: 'evil.example', port: 443, reason: 'not on the list' };

function logAt(clock: { time: number }) {
  const told: EventBody[] = [];
  const log = egressLog((body) => told.push(body), { now: () => clock.time } as never);
  return { told, log };
}

test('the first refusal of a host is told at once, a flood of it as a count', () => {
  const clock = { time: 1_000 };
  const { told, log } = logAt(clock);
  for (let i = 0; i < 500; i += 1) log.refused(REFUSAL);
  expect(told).toEqual([{ type: 'egress-refused', ...REFUSAL, times: 1 }]);
  clock.time += 30_000;
  log.refused(REFUSAL);
  expect(told[1]).toEqual({ type: 'egress-refused', ...REFUSAL, times: 500 });
});

test('what was counted since is told at the end, and then the host is new again', () => {
  const { told, log } = logAt({ time: 1_000 });
  log.refused(REFUSAL);
  log.refused(REFUSAL);
  log.refused({ ...REFUSAL, port: 22 });
  log.flush();
  log.refused(REFUSAL);
  expect(told.map((event) => event.type === 'egress-refused' && [event.port, event.times])).toEqual([
    [443, 1],
    [22, 1],
    [443, 1],
    [443, 1],
  ]);
});

test('made-up names without end cost no memory', () => {
  const { told, log } = logAt({ time: 1_000 });
  for (let i = 0; i < 5_000; i += 1) log.refused({ ...REFUSAL, host: `${i}.example` });
  expect(told).toHaveLength(1_000);
});
