import { expect, test } from 'vitest';
import { NO_USAGE } from '../../contracts/model.ts';
import { aLine, aReset } from './ledger.fixture.ts';
import { turnUse } from './turn-use.ts';

test('a turn used what its lines say, whatever became of them', () => {
  const usage = { ...NO_USAGE, inputTokens: 3, outputTokens: 4 };
  const lines = [
    aLine({ costUsd: 0.5, usage, calls: [10, 20], run: 'r0' }),
    aReset(),
    aLine({ costUsd: null, usage, calls: [30], verdict: 'interrupted', counts: 'ignored' }),
  ];
  expect(turnUse(lines)).toEqual({ costUsd: 0.5, tokens: 14, calls: [10, 20, 30] });
  expect(turnUse([])).toEqual({ costUsd: 0, tokens: 0, calls: [] });
});
