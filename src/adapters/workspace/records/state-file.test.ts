import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { JournalEntry, RunRecord } from '../../../contracts/index.ts';
import { messageOf, tempTree } from '../temp-tree.fixture.ts';
import { readJournal, writeJournal } from './journal.ts';
import { newRunId, putBackRunRecord, readRunRecord, writeRunRecord } from './run-record.ts';
import { putBackStateFile } from './state-file.ts';

const HEADER = {
  version: 1,
  run: 'r',
  iteration: 3,
  mode: 'implement',
  story: 'US-001',
  attempt: 1,
  startedAt: 5,
  checkpoint: { head: 'h' },
  trust: { files: {} },
} as const;
const RECORD: RunRecord = {
  version: 1,
  run: 'r',
  startedAt: 1,
  host: 'h',
  pid: 2,
  specDir: 'ralph',
  baseline: null,
  maxIterations: 15,
  ended: null,
};

test('a journal entry is read back as it was written, and replaced by the next', async () => {
  const dir = await tempTree();
  const entry: JournalEntry = { ...HEADER, phase: 'checkpointed' };
  expect(await readJournal(dir)).toBeNull();
  await writeJournal(dir, entry);
  expect(await readJournal(dir)).toEqual(entry);
  await writeJournal(dir, { ...HEADER, phase: 'done', verdict: 'accepted' });
  expect(await readJournal(dir)).toMatchObject({ phase: 'done' });
});

test.each([
  ['', 'it is empty'],
  ['{"version":1,"run":"r","iter', 'it is not a complete JSON object'],
  ['\0\u0001\u0002', 'it is not a complete JSON object'],
  ['[]', 'it is not a complete JSON object'],
  ['{}', "its 'version' is missing or wrong"],
  [JSON.stringify({ ...HEADER, phase: 'asleep' }), "its 'phase' is missing or of the wrong type"],
  [
    JSON.stringify({ ...HEADER, iteration: '3', phase: 'checkpointed' }),
    "its 'iteration' is missing or of the wrong type",
  ],
  [
    JSON.stringify({ ...HEADER, phase: 'agent-ended', afterTree: 't' }),
    "its 'outcome' is missing or of the wrong type",
  ],
  [
    JSON.stringify({ ...HEADER, phase: 'planned', plan: { verdict: 'accepted' } }),
    "its 'plan.rollBack' is missing or of the wrong type",
  ],
])('a damaged journal %j is kept aside and explained', async (text, why) => {
  const dir = await tempTree({ 'journal/lane-0.json': text });
  const path = `${dir}/journal/lane-0.json`;
  expect(await messageOf(readJournal(dir))).toBe(
    `Error: the journal cannot be read\n  where: ${path}\n  why:   ${why}; it is kept as ${path}.bad-1\n  fix:   \`git status\` shows what the interrupted iteration left in the work tree: keep or discard it, then start again; the run continues without this journal`,
  );
  expect(await readFile(`${path}.bad-1`, 'utf8')).toBe(text);
  expect(await readJournal(dir)).toBeNull();
});

test('a second damaged journal does not replace the first one kept', async () => {
  const dir = await tempTree({ 'journal/lane-0.json': 'one' });
  await messageOf(readJournal(dir));
  await writeFile(`${dir}/journal/lane-0.json`, 'two');
  await messageOf(readJournal(dir));
  expect(await readdir(`${dir}/journal`)).toEqual(['lane-0.json.bad-1', 'lane-0.json.bad-2']);
});

test('a journal of a later version is refused and left alone', async () => {
  const text = JSON.stringify({ ...HEADER, version: 2, phase: 'dreamt' });
  const dir = await tempTree({ 'journal/lane-0.json': text });
  expect(await messageOf(readJournal(dir))).toBe(
    `Error: the journal was written by a later version of ralph\n  where: ${dir}/journal/lane-0.json\n  why:   it has format version 2; this ralph knows up to 1 and would misread it\n  fix:   update ralph, then start again`,
  );
  expect(await readFile(`${dir}/journal/lane-0.json`, 'utf8')).toBe(text);
});

test('while a journal is replaced a reader finds the old entry or the new one, never a part', async () => {
  const dir = await tempTree();
  const big = 'x'.repeat(200_000);
  const entry = (iteration: number): JournalEntry => ({ ...HEADER, iteration, trust: { big }, phase: 'checkpointed' });
  await writeJournal(dir, entry(0));
  let writing = true;
  const writer = (async () => {
    for (let i = 1; i <= 20; i++) await writeJournal(dir, entry(i));
    writing = false;
  })();
  let last = 0;
  while (writing) {
    const iteration = (await readJournal(dir))?.iteration ?? -1;
    await nextTurn();
    expect(iteration).toBeGreaterThanOrEqual(last);
    last = iteration;
  }
  await writer;
});

test('the run record is read back, and a damaged one is kept aside', async () => {
  const dir = await tempTree();
  expect(await readRunRecord(dir)).toBeNull();
  await writeRunRecord(dir, RECORD);
  expect(await readRunRecord(dir)).toEqual(RECORD);
  await writeFile(`${dir}/run.json`, '{"version":1}');
  expect(await messageOf(readRunRecord(dir))).toContain(
    `why:   its 'run' is missing or of the wrong type; it is kept as ${dir}/run.json.bad-1`,
  );
});

test('run ids sort by time and differ within one second', () => {
  const now = Date.UTC(2026, 10, 21, 23, 30, 15);
  expect(newRunId(now)).toMatch(/^20261121-233015-[a-z0-9]{4}$/);
  expect(newRunId(now) < newRunId(now + 1000)).toBe(true);
  expect(new Set(Array.from({ length: 50 }, () => newRunId(now))).size).toBeGreaterThan(45);
});

test('a state file that is as it should be is left alone', async () => {
  const dir = await tempTree({ 'ledger.jsonl': 'a\n' });
  expect(await putBackStateFile(`${dir}/ledger.jsonl`, Buffer.from('a\n'))).toBe(false);
  expect(await putBackStateFile(`${dir}/none.jsonl`, null)).toBe(false);
  expect(await readdir(dir)).toEqual(['ledger.jsonl']);
});

test.each([
  ['changed', (path: string) => writeFile(path, 'b\n')],
  ['a folder', (path: string) => mkdir(path)],
  ['a link to the same bytes', (path: string) => symlink(`${path}.twin`, path)],
])('a state file that is %s is put back, and what was there is kept', async (_, spoil) => {
  const dir = await tempTree({ 'ledger.jsonl.twin': 'a\n' });
  await spoil(`${dir}/ledger.jsonl`);
  expect(await putBackStateFile(`${dir}/ledger.jsonl`, Buffer.from('a\n'))).toBe(true);
  expect(await readFile(`${dir}/ledger.jsonl`, 'utf8')).toBe('a\n');
  expect(await readdir(dir)).toEqual(['ledger.jsonl', 'ledger.jsonl.bad-1', 'ledger.jsonl.twin']);
});

test('a state file that should not be is taken away, and kept', async () => {
  const dir = await tempTree({ 'ledger.jsonl': 'forged\n' });
  expect(await putBackStateFile(`${dir}/ledger.jsonl`, null)).toBe(true);
  expect(await readdir(dir)).toEqual(['ledger.jsonl.bad-1']);
});

test('a run record is written again only where the file says something else', async () => {
  const dir = await tempTree();
  await writeRunRecord(dir, RECORD);
  expect(await putBackRunRecord(dir, RECORD)).toBeNull();
  await writeRunRecord(dir, { ...RECORD, maxIterations: 99 });
  expect(await putBackRunRecord(dir, RECORD)).toBe(`${dir}/run.json`);
  expect(await readRunRecord(dir)).toEqual(RECORD);
});
