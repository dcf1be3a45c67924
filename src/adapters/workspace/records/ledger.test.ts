import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { LedgerIteration, LedgerReset } from '../../../contracts/index.ts';
import { attemptsOf, lastFailure } from '../../../rules/safeguards/index.ts';
import { aLine } from '../../../rules/safeguards/ledger.fixture.ts';
import { messageOf, tempTree } from '../temp-tree.fixture.ts';
import { appendLedger, archiveLine, readLedger } from './ledger.ts';

const line = (iteration: number, run = 'r'): LedgerIteration => aLine({ run, iteration });
const reset: LedgerReset = { version: 1, kind: 'reset', story: 'US-001', at: 9 };

test('lines are read back in order', async () => {
  const dir = await tempTree();
  expect(await readLedger(dir)).toEqual([]);
  await appendLedger(dir, line(1));
  await appendLedger(dir, reset);
  await appendLedger(dir, line(2));
  expect(await readLedger(dir)).toEqual([line(1), reset, line(2)]);
});

test('the same iteration of the same run is written once, whoever wrote it before', async () => {
  const dir = await tempTree({ 'ledger.jsonl': `${JSON.stringify(line(1))}\n` });
  await appendLedger(dir, { ...line(1), reason: 'again' });
  await appendLedger(dir, line(1, 'other'));
  await appendLedger(dir, line(2));
  await appendLedger(dir, line(2));
  await appendFile(`${dir}/ledger.jsonl`, `${JSON.stringify(line(3))}\n`);
  await appendLedger(dir, line(3));
  expect((await readLedger(dir)).map((l) => (l.kind === 'iteration' ? `${l.run}${l.iteration}` : l.kind))).toEqual([
    'r1',
    'other1',
    'r2',
    'r3',
  ]);
});

test('resets are not iterations: each is written', async () => {
  const dir = await tempTree();
  await appendLedger(dir, reset);
  await appendLedger(dir, reset);
  expect(await readLedger(dir)).toHaveLength(2);
});

test('a torn last line is dropped, and the next append does not glue itself to it', async () => {
  const torn = JSON.stringify(line(2)).slice(0, 40);
  const dir = await tempTree({ 'ledger.jsonl': `${JSON.stringify(line(1))}\n${torn}` });
  expect(await readLedger(dir)).toEqual([line(1)]);
  await appendLedger(dir, line(2));
  expect(await readLedger(dir)).toEqual([line(1), line(2)]);
});

test('a last line that only lacks its newline counts, and the next append ends it', async () => {
  const dir = await tempTree({ 'ledger.jsonl': `${JSON.stringify(line(1))}\n${JSON.stringify(line(2))}` });
  expect(await readLedger(dir)).toEqual([line(1), line(2)]);
  await appendLedger(dir, line(2));
  await appendLedger(dir, line(3));
  expect(await readLedger(dir)).toEqual([line(1), line(2), line(3)]);
});

test('a torn last line is named', async () => {
  const dir = await tempTree({ 'ledger.jsonl': `${JSON.stringify(line(1))}\n{"version":1,` });
  const problems: string[] = [];
  await readLedger(dir, (problem) => problems.push(problem));
  expect(problems).toEqual([`${dir}/ledger.jsonl:2 is dropped: the line is incomplete`]);
});

test.each([
  ['garbage', 'the line is not a JSON object'],
  ['', 'the line is not a JSON object'],
  ['{"version":1,"kind":"party"}', "its 'kind' is missing or of the wrong type"],
  ['{"version":1,"kind":"reset","story":3,"at":1}', "its 'story' is missing or of the wrong type"],
  ['{"version":"1","kind":"reset","story":"a","at":1}', "its 'version' is missing or of the wrong type"],
])('an unreadable line %j in the middle is named', async (bad, why) => {
  const text = `${JSON.stringify(line(1))}\n${bad}\n${JSON.stringify(line(2))}\n`;
  const dir = await tempTree({ 'ledger.jsonl': text });
  const message = `Error: the ledger cannot be read\n  where: ${dir}/ledger.jsonl:2\n  why:   ${why}; attempts and budgets are counted from it, so ralph does not guess\n  fix:   delete or repair that one line (keep a copy); the iterations on the other lines still count`;
  expect(await messageOf(readLedger(dir))).toBe(message);
  expect(await messageOf(appendLedger(dir, line(3)))).toBe(message);
  expect(await readFile(`${dir}/ledger.jsonl`, 'utf8')).toBe(text);
});

test('a line of a later version is refused', async () => {
  const dir = await tempTree();
  await writeFile(`${dir}/ledger.jsonl`, '{"version":7,"kind":"vision"}\n');
  expect(await messageOf(readLedger(dir))).toContain(
    'why:   it has format version 7; this ralph knows up to 1 and would misread it',
  );
});

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
