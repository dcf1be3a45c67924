import { expect, test } from 'vitest';
import { aLine } from '../rules/safeguards/ledger.fixture.ts';
import { callsBefore } from './begin.ts';

test('starts of the last hour count, whichever run made them', () => {
  const now = Date.UTC(2026, 0, 1, 10);
  const ledger = [
    aLine({ run: 'before', calls: [now - 3_600_001, now - 5_000] }),
    aLine({ run: 'this-one-until-its-cut', calls: [now - 2_000] }),
  ];
  const clock = { now: () => now } as Parameters<typeof callsBefore>[0]['clock'];
  expect(callsBefore({ ledger, clock })).toEqual([now - 5_000, now - 2_000]);
});
