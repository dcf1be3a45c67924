import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { EventBody } from '../../../contracts/index.ts';
import { listRuns } from '../projects.ts';
import { messageOf, tempTree } from '../temp-tree.fixture.ts';
import { readEvents, readIndex } from './event-file.ts';
import { openEventLog } from './events.ts';

const RUN = '20261121-233015-k3f9';
const clock = { now: () => Date.UTC(2026, 10, 21), sleep: async () => {} };
const secret = ['gh', 'p_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('');
const notice = (text: string): EventBody => ({ type: 'notice', level: 'info', text });
const select = (story: string): EventBody => ({
  type: 'select',
  mode: 'implement',
  story,
  title: 't',
  attempt: 1,
  reviewCount: 0,
});
const verdict = (story: string): EventBody => ({
  type: 'verdict',
  verdict: 'accepted',
  mode: 'implement',
  story,
  claim: 'ready',
  reason: 'r',
  counts: 'good',
  attempts: 0,
});
const bytes = (text: string) => new TextEncoder().encode(text);

async function iterate(log: Awaited<ReturnType<typeof openEventLog>>, iteration: number) {
  log.emit(iteration, select(`US-00${iteration}`));
  log.agentOutput(iteration, bytes('hello\n'));
  log.emit(iteration, verdict(`US-00${iteration}`));
  log.emit(iteration, { type: 'iteration-end', durationMs: 5, costUsd: 0.5 });
}

test('events are read back, all or those of one iteration', async () => {
  const root = await tempTree();
  const log = await openEventLog(root, RUN, clock);
  const first = log.emit(0, notice('one'));
  await iterate(log, 1);
  await iterate(log, 2);
  log.close();
  expect(first).toEqual({
    ts: '2026-11-21T00:00:00.000Z',
    run: RUN,
    iteration: 0,
    type: 'notice',
    level: 'info',
    text: 'one',
  });
  expect((await readEvents(root, RUN)).map((e) => e.type)).toEqual([
    'notice',
    'select',
    'verdict',
    'iteration-end',
    'select',
    'verdict',
    'iteration-end',
  ]);
  expect(await listRuns(root)).toEqual([RUN]);
});

test('the index has one line per iteration, and its offsets cut out exactly its events', async () => {
  const root = await tempTree();
  const log = await openEventLog(root, RUN, clock);
  await iterate(log, 1);
  log.emit(0, notice('between'));
  await iterate(log, 2);
  log.close();
  const index = await readIndex(root, RUN);
  expect(index).toHaveLength(2);
  expect(index[1]).toMatchObject({
    iteration: 2,
    mode: 'implement',
    story: 'US-002',
    verdict: 'accepted',
    durationMs: 5,
    costUsd: 0.5,
  });
  const file = await readFile(`${root}/.ralph/runs/${RUN}/events.jsonl`);
  const lines = file.subarray(index[1]?.start, index[1]?.end).toString().trimEnd().split('\n');
  const second = (await readEvents(root, RUN)).filter(({ iteration }) => iteration === 2);
  expect(lines.map((line) => JSON.parse(line))).toEqual(second);
});

test('the log starts with its version, once, also after a resume that found a torn line', async () => {
  const root = await tempTree();
  const path = `${root}/.ralph/runs/${RUN}/events.jsonl`;
  const first = await openEventLog(root, RUN, clock);
  first.emit(0, notice('one'));
  first.close();
  await appendFile(path, '{"ts":"2026-11-21T0');
  expect(await readEvents(root, RUN)).toHaveLength(1);
  const second = await openEventLog(root, RUN, clock);
  second.emit(0, notice('two'));
  second.close();
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  expect(lines[0]).toBe(`{"type":"log","version":1,"run":"${RUN}"}`);
  expect(lines.filter((line) => line.includes('"type":"log"'))).toHaveLength(1);
  expect((await readEvents(root, RUN)).map((e) => (e.type === 'notice' ? e.text : ''))).toEqual(['one', 'two']);
});

test('garbage lines are left out, a later version is refused, a missing log is empty', async () => {
  const root = await tempTree({
    [`.ralph/runs/${RUN}/events.jsonl`]:
      '{"type":"log","version":1}\nrubbish\n[]\n3\n{"ts":"2026-01-01","run":"r","iteration":1,"type":"later"}\n',
  });
  expect(await readEvents(root, RUN)).toHaveLength(1);
  await writeFile(`${root}/.ralph/runs/${RUN}/events.jsonl`, '{"type":"log","version":2}\n');
  expect(await messageOf(readEvents(root, RUN))).toContain(
    'Error: the event log was written by a later version of ralph',
  );
  expect(await readEvents(root, '20260101-000000-none')).toEqual([]);
});

test('secrets reach neither the events nor the agent log', async () => {
  const root = await tempTree();
  const log = await openEventLog(root, RUN, clock);
  const event = log.emit(1, notice(`key ${secret}`));
  log.agentOutput(1, bytes(`first ${secret.slice(0, 20)}`));
  log.agentOutput(1, bytes(`${secret.slice(20)} last\nsecond`));
  log.close();
  expect(event).toMatchObject({ text: 'key [redacted]' });
  expect(await readFile(`${root}/.ralph/runs/${RUN}/events.jsonl`, 'utf8')).toContain('"text":"key [redacted]"');
  expect(await readFile(`${root}/.ralph/runs/${RUN}/1.log`, 'utf8')).toBe('first [redacted] last\nsecond\n');
});

test('an agent that deletes the state folder costs at most the rest of that iteration', async () => {
  const root = await tempTree();
  const log = await openEventLog(root, RUN, clock);
  log.emit(1, select('US-001'));
  await rm(`${root}/.ralph`, { recursive: true });
  log.emit(1, notice('lost'));
  await iterate(log, 2);
  log.close();
  expect((await readEvents(root, RUN)).map((e) => e.iteration)).toEqual([2, 2, 2]);
});

test('nothing is thrown when events cannot be written', async () => {
  const root = await tempTree();
  const log = await openEventLog(root, RUN, clock);
  await rm(`${root}/.ralph`, { recursive: true });
  await writeFile(`${root}/.ralph`, 'in the way');
  expect(log.emit(1, select('US-001')).type).toBe('select');
  log.agentOutput(1, bytes('x\n'));
  log.close();
});

test('a state folder that cannot be written is one clear error at the start', async () => {
  const root = await tempTree({ '.ralph': 'a file in the way' });
  const message = await messageOf(openEventLog(root, RUN, clock));
  expect(message).toContain(`Error: the event log cannot be written\n  where: ${root}/.ralph/runs/${RUN}\n  why:   E`);
  expect(message).toContain('fix:   make room, or make .ralph/runs/ a folder you may write');
});

test('the agent log keeps characters whole, splits no private key, and bounds what it holds back', async () => {
  const root = await tempTree();
  const euro = bytes('a€b\n');
  const log = await openEventLog(root, RUN, clock);
  log.agentOutput(1, euro.subarray(0, 2));
  log.agentOutput(1, euro.subarray(2));
  log.agentOutput(1, bytes('-----BEGIN PRIVATE KEY-----\nMIIEvQ\n'));
  log.agentOutput(1, bytes('IBADAN\n-----END PRIVATE KEY-----\nafter\n'));
  log.agentOutput(1, bytes('y'.repeat(3 * 1024 * 1024)));
  log.close();
  const text = await readFile(`${root}/.ralph/runs/${RUN}/1.log`, 'utf8');
  expect(text.slice(0, 40)).toMatch(/^a€b\n\[redacted\]\n\[redacted\]\nafter\nyyy/);
  expect(text.match(/y/g)).toHaveLength(3 * 1024 * 1024);
});
