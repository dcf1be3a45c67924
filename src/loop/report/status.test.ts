import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openEventLog } from '../../adapters/workspace/index.ts';
import type { EventBody, RalphEvent } from '../../contracts/index.ts';
import { aRunStart } from '../../contracts/run-start.fixture.ts';
import { systemClock } from '../../platform/index.ts';
import { followStatus } from './status.ts';

const RUN = '20261121-233015-k3f9';
const roots: string[] = [];
afterEach(async () => {
  for (const root of roots.splice(0)) await rm(root, { recursive: true, force: true });
});

async function place(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'ralph-status-'));
  roots.push(root);
  return root;
}

const at = (iteration: number, body: EventBody): RalphEvent => ({
  ts: '2026-01-01T00:00:00.000Z',
  run: RUN,
  iteration,
  ...body,
});
const start: EventBody = aRunStart({
  branch: null,
  pid: 7,
});
const select: EventBody = { type: 'select', mode: 'review', story: 'US-001', title: 'One', attempt: 1, reviewCount: 0 };
const said = async (root: string) => JSON.parse(await readFile(`${root}/.ralph/status.json`, 'utf8'));

test('the file says at once what a glance cares about', async () => {
  const root = await place();
  const status = await followStatus({ root, run: RUN, resumed: false, continues: false });
  status.see(at(0, start));
  status.see(at(3, select));
  await status.settled();
  expect(await said(root)).toMatchObject({
    version: 2,
    state: 'running',
    pid: 7,
    phase: 'checkpoint',
    iteration: 3,
    mode: 'review',
    story: { id: 'US-001', title: 'One' },
  });
});

test('a start that is refused leaves no trace', async () => {
  const root = await place();
  const status = await followStatus({ root, run: RUN, resumed: false, continues: false });
  status.see(at(0, { type: 'notice', level: 'warning', text: 'dirty' }));
  await status.settled();
  await expect(said(root)).rejects.toThrow('ENOENT');
});

test('a thousand tool calls are one write, and the last of them is in it', async () => {
  const root = await place();
  const status = await followStatus({ root, run: RUN, resumed: false, continues: false });
  status.see(at(0, start));
  status.see(at(1, select));
  for (let i = 0; i < 1_000; i++) {
    const event = { type: 'tool-call', id: `${i}`, name: 'Bash', summary: `command ${i}` } as const;
    status.see(at(1, { type: 'agent', event }));
  }
  await status.settled();
  expect((await said(root)).tool).toEqual({ name: 'Bash', what: 'command 999' });
});

test('a run that goes on counts what it did before', async () => {
  const root = await place();
  const log = await openEventLog(root, RUN, systemClock);
  log.emit(1, select);
  log.emit(1, { type: 'iteration-end', durationMs: 5, costUsd: 0.25 });
  log.close();
  const status = await followStatus({ root, run: RUN, resumed: true, continues: false });
  status.see(at(0, start));
  status.see(at(2, select));
  await status.settled();
  expect(await said(root)).toMatchObject({ iteration: 2, costUsd: 0.25 });
});

test('a turn that goes on knows what its process saw before, and reads the log again where somebody else wrote to it', async () => {
  const root = await place();
  const log = await openEventLog(root, RUN, systemClock);
  const turn = async (bodies: readonly (readonly [number, EventBody])[], continues: boolean) => {
    const status = await followStatus({ root, run: RUN, resumed: continues, continues });
    for (const [iteration, body] of bodies) status.see(log.emit(iteration, body));
    await status.settled();
    return said(root);
  };
  const end: EventBody = { type: 'turn-end', next: 'next', until: null, why: null, text: '' };
  await turn(
    [
      [0, start],
      [1, select],
      [0, end],
    ],
    false,
  );
  expect(
    await turn(
      [
        [2, select],
        [0, end],
      ],
      true,
    ),
  ).toMatchObject({ pid: 7, phase: 'between', iteration: 2 });
  log.emit(5, { ...select, used: 4 });
  expect(await turn([[0, end]], true)).toMatchObject({ pid: 7, phase: 'between', iteration: 5 });
  log.close();
});
