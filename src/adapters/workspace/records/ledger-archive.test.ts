import { expect, test } from 'vitest';
import { attemptsOf, lastFailure } from '../../../rules/safeguards/index.ts';
import { aLine } from '../../../rules/safeguards/ledger.fixture.ts';
import { tempTree } from '../temp-tree.fixture.ts';
import { appendLedger, archiveLine, readLedger } from './ledger.ts';

test('what was written about a story before its archive is not about the next one of that id', async () => {
  const dir = await tempTree();
  const line = aLine({ story: 'A', verdict: 'rejected', counts: 'bad', stateChanged: false });
  await appendLedger(dir, { ...line, iteration: 1 });
  await appendLedger(dir, { ...line, iteration: 2, story: 'B' });
  await appendLedger(dir, { version: 1, kind: 'reset', story: 'A', at: 5 });
  await appendLedger(dir, archiveLine(['A'], '2026-03-02-x', 7));
  await appendLedger(dir, { ...line, iteration: 3 });
  const ledger = await readLedger(dir);
  expect(ledger.map((one) => ('story' in one ? one.story : ''))).toEqual(['A (2026-03-02-x)', 'B', 'A', 'A']);
  expect(attemptsOf(ledger, 'A')).toBe(1);
  expect(attemptsOf(ledger, 'B')).toBe(1);
  expect(lastFailure(ledger.slice(0, 3), 'A')).toBeNull();
});

test('a story archived twice is told apart by its archives', async () => {
  const dir = await tempTree();
  const line = aLine({ story: 'A' });
  await appendLedger(dir, { ...line, iteration: 1 });
  await appendLedger(dir, archiveLine(['A'], 'first', 1));
  await appendLedger(dir, { ...line, iteration: 2 });
  await appendLedger(dir, archiveLine(['A'], 'second', 2));
  const stories = (await readLedger(dir)).map((one) => ('story' in one ? one.story : ''));
  expect(stories).toEqual(['A (first)', 'A (second)']);
});
