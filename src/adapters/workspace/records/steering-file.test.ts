import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { signedLine } from '../../../../test/support/signed-line.ts';
import { type SteeringEntry, UsageError } from '../../../contracts/index.ts';
import { adoptSteering, appendSteering, followSteering, readSteering, type SteeringRequest } from './steering-file.ts';

let dir: string;
let file: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralph-steering-'));
  file = join(dir, 'steering.jsonl');
});
afterEach(() => rmSync(dir, { recursive: true }));

/** A line as a person's command writes it. */
const signed = (entry: object, stateDir = dir) => signedLine(stateDir, entry);

const note = (text: string, at = 1000): SteeringRequest => ({ kind: 'note', text, at });

test('nobody said anything: there are no entries, and no file is made', async () => {
  expect(await readSteering(dir)).toEqual([]);
  expect(() => readFileSync(file)).toThrow('ENOENT');
});

test('what was said comes back whole and in order', async () => {
  const requests: readonly SteeringRequest[] = [
    note('first\n\tsecond é'),
    { kind: 'pause', run: 'r1', at: 1001 },
    { kind: 'resume', run: 'r1', at: 1002 },
    { kind: 'stop', run: 'r1', now: true, at: 1003 },
    { kind: 'limits', run: 'r1', limits: { maxCost: 5, maxTokens: null }, at: 1004 },
    { kind: 'answer', question: 'Q1', text: 'yes', at: 1005 },
  ];
  const written: SteeringEntry[] = [];
  for (const request of requests) written.push(await appendSteering(join(dir, 'git', 'ralph'), request));
  expect(await readSteering(join(dir, 'git', 'ralph'))).toEqual(written);
  expect(written).toMatchObject(requests.map((request) => ({ version: 1, ...request })));
});

test('ids are unique and sort by time', async () => {
  const at = Date.UTC(2026, 10, 22, 9, 59, 59, 999);
  const entries = await Promise.all([at - 1, at, at, at + 1].map((time) => appendSteering(dir, note('x', time))));
  const ids = entries.map(({ id }) => id);
  expect(new Set(ids).size).toBe(4);
  const [before = '', one = '', other = '', after = ''] = ids;
  for (const id of [one, other]) {
    expect(before < id).toBe(true);
    expect(id < after).toBe(true);
  }
});

test('many at once tear no line', async () => {
  const texts = Array.from({ length: 40 }, (_, i) => `${i} ${'x'.repeat(30_000)}`);
  await Promise.all(texts.map((text) => appendSteering(dir, note(text))));
  const said = (await readSteering(dir)).map((entry) => ('text' in entry ? entry.text : ''));
  expect(said.sort()).toEqual(texts.sort());
});

test('a text that may not be passed on is refused, and nothing is written', async () => {
  await expect(appendSteering(dir, note('\u001b[2J'))).rejects.toThrow(UsageError);
  await expect(appendSteering(dir, note('x'.repeat(70_000)))).rejects.toThrow('70000 bytes');
  await expect(appendSteering(dir, { kind: 'answer', question: 'Q1', text: ' ', at: 0 })).rejects.toThrow('is empty');
  expect(await readSteering(dir)).toEqual([]);
});

test('lines that cannot be read are reported and skipped', async () => {
  await appendSteering(dir, note('before'));
  const bad = [
    'no json',
    '[]',
    '{"version":2,"kind":"note"}',
    '{"version":1,"kind":"shout"}',
    '{"version":1,"kind":"toString","id":"x","at":1}',
    '{"version":1,"kind":{"toString":[]},"id":"x","at":1}',
    '{"version":1,"kind":"note","id":"x","at":1}',
    '{"version":1,"kind":"limits","id":"x","at":1,"run":"r1","limits":null}',
  ];
  appendFileSync(file, `${bad.join('\n')}\n`);
  await appendSteering(dir, note('after'));
  const problems: string[] = [];
  const entries = await readSteering(dir, (problem) => problems.push(problem));
  expect(entries).toMatchObject([{ text: 'before' }, { text: 'after' }]);
  expect(problems.map((problem) => problem.replace(/^.*jsonl:/, ''))).toEqual([
    '2 is refused: it is not a JSON object',
    '3 is refused: it is not a JSON object',
    '4 is refused: its version is not 1',
    "5 is refused: 'shout' is not a known kind of entry",
    "6 is refused: 'toString' is not a known kind of entry",
    `7 is refused: '{"toString":[]}' is not a known kind of entry`,
    "8 is refused: its 'text' is missing or of the wrong type",
    "9 is refused: its 'limits' is missing or of the wrong type",
  ]);
});

test.each([
  ['that nobody signed', async (line: string) => line.replace(/,"mac":"[^"]*"/, '')],
  ['that was changed', async (line: string) => line.replace('"US-1"', '"US-2"')],
  ['whose time was changed', async (line: string) => line.replace('"at":1000', '"at":2000')],
  [
    'that was signed for another work tree',
    async (line: string) => {
      const { mac: _, ...entry } = JSON.parse(line);
      return signed(entry, join(dir, 'other'));
    },
  ],
  ['with a signature of the wrong form', async (line: string) => line.replace(/"mac":"[^"]*"/, '"mac":{"length":64}')],
])('a line %s is refused and told', async (_, forge) => {
  await appendSteering(dir, { kind: 'story', story: 'US-1', decision: 'approve', at: 1000 });
  const line = readFileSync(file, 'utf8').trim();
  writeFileSync(file, `${await forge(line)}\n`);
  const problems: string[] = [];
  expect(await readSteering(dir, (problem) => problems.push(problem))).toEqual([]);
  expect(problems).toEqual([expect.stringContaining("is not signed by a user's `ralph` command")]);
});

test('a line that is repeated is obeyed once', async () => {
  await appendSteering(dir, { kind: 'stop', run: 'r1', now: true, at: 1000 });
  const line = readFileSync(file, 'utf8');
  await appendSteering(dir, { kind: 'resume', run: 'r1', at: 1001 });
  appendFileSync(file, line);
  const problems: string[] = [];
  const kinds = (await readSteering(dir, (problem) => problems.push(problem))).map(({ kind }) => kind);
  expect(kinds).toEqual(['stop', 'resume']);
  expect(problems).toEqual([expect.stringContaining('it repeats an earlier line')]);
});

test('the key is made once, by however many processes, and only its owner reads it', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, i) => appendSteering(dir, note(String(i)))));
  expect(await readSteering(dir)).toHaveLength(20);
  const folder = join(process.env['XDG_STATE_HOME'] ?? '', 'ralph', 'control');
  const keys = readdirSync(folder).filter((name) => name.startsWith('words-'));
  expect(keys.every((name) => (statSync(join(folder, name)).mode & 0o777) === 0o600)).toBe(true);
  expect(readdirSync(folder).filter((name) => name.includes('ralph-tmp'))).toEqual([]);
});

test('what was checked elsewhere is signed anew for the work tree that takes it over', async () => {
  await appendSteering(join(dir, 'one'), note('mind the gap'));
  const entries = await readSteering(join(dir, 'one'));
  await adoptSteering(join(dir, 'two'), entries);
  expect(await readSteering(join(dir, 'two'))).toEqual(entries);
});

test('a line that is being written counts once it is whole', async () => {
  await appendSteering(dir, note('whole'));
  const line = `\n${signed({ version: 1, kind: 'note', id: '2', at: 1, text: 'late' })}\n`;
  appendFileSync(file, line.slice(0, 30));
  const problems: string[] = [];
  expect(await readSteering(dir, (problem) => problems.push(problem))).toHaveLength(1);
  expect(problems).toEqual([]);
  appendFileSync(file, line.slice(30));
  expect(await readSteering(dir)).toMatchObject([{ text: 'whole' }, { text: 'late' }]);
});

test('a follower is told what is there at first, then every change, and nothing once it is closed', async () => {
  const seen: (readonly string[])[] = [];
  const said = async (text: string, count: number) => {
    await appendSteering(dir, note(text));
    await vi.waitFor(() => expect(seen).toHaveLength(count), { timeout: 600_000 });
  };
  await appendSteering(dir, note('one'));
  const follower = followSteering(dir, (entries) =>
    seen.push(entries.map((entry) => ('text' in entry ? entry.text : ''))),
  );
  try {
    await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 600_000 });
    await said('two', 2);
    await said('three', 3);
  } finally {
    follower.close();
  }
  expect(seen).toEqual([['one'], ['one', 'two'], ['one', 'two', 'three']]);
  await appendSteering(dir, note('four'));
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(seen).toHaveLength(3);
});

test('a follower waits for a file that is not there, and bears with one that goes away', async () => {
  const seen: number[] = [];
  const folder = join(dir, 'later');
  const follower = followSteering(folder, (entries) => seen.push(entries.length));
  try {
    mkdirSync(folder);
    await appendSteering(folder, note('x'));
    await vi.waitFor(() => expect(seen).toEqual([1]), { timeout: 600_000 });
    rmSync(folder, { recursive: true });
    await vi.waitFor(() => expect(seen).toEqual([1, 0]), { timeout: 600_000 });
  } finally {
    follower.close();
  }
});
