import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshRepository, type Repository } from '../../test/support/command-repository.ts';
import { openEventLog, rememberRun } from '../adapters/workspace/index.ts';
import type { RalphEvent } from '../contracts/index.ts';
import { smallRun } from '../surfaces/terminal/events.fixture.ts';

test('ralph log without a run says how to start one', async () => {
  const repo = await freshRepository();
  expect(await repo.ralph('log')).toEqual({ code: 0, out: 'no run yet; start one with: ralph run\n', err: '' });
  expect((await repo.ralph('log', '--run', 'x')).code).toBe(2);
});

async function writeEvents(repo: Repository, run: string, events: readonly RalphEvent[]): Promise<void> {
  const stateDir = join(repo.root, '.git', 'ralph');
  await mkdir(stateDir, { recursive: true });
  await rememberRun(stateDir, run);
  const log = await openEventLog(repo.root, run, { now: () => Date.UTC(2026, 0, 1), sleep: async () => {} });
  for (const { ts: _, run: __, iteration, ...body } of events)
    log.emit(iteration, body as Parameters<typeof log.emit>[1]);
  log.close();
}

test('ralph log tells the last run, and one iteration in full', async () => {
  const repo = await freshRepository();
  await writeEvents(repo, '20260101-100000-abcd', smallRun);
  expect((await repo.ralph('log')).out).toContain('1  implement  US-001  rejected');
  const { out } = await repo.ralph('log', '1');
  expect(out).toMatch(/^\[1\/15\] implement · US-001 Add login\n/);
  expect(out).toContain('tool      Bash npm test');
  expect(out).toContain('.ralph/runs/20260101-100000-abcd/1.log');
  expect(JSON.parse((await repo.ralph('log', '2', '--json')).out)[0]).toMatchObject({ type: 'select', iteration: 2 });
  expect((await repo.ralph('log', '9')).err).toContain('it has 1 to 2');
});

test('what a tool was called with is cut in one iteration as well', async () => {
  const repo = await freshRepository();
  const call = { type: 'tool-call', id: 't1', name: 'StructuredOutput', summary: 'x'.repeat(3000) } as const;
  const long = smallRun.map((event) =>
    event.type === 'agent' && event.event.type === 'tool-call' ? { ...event, event: call } : event,
  );
  await writeEvents(repo, '20260101-100000-abcd', long);
  const { out } = await repo.ralph('log', '1');
  expect(out).toContain('tool      StructuredOutput xxx');
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(200);
});

test('a later start that did nothing does not hide the run that did', async () => {
  const repo = await freshRepository();
  const idle = smallRun.filter(({ iteration }) => iteration === 0);
  await writeEvents(repo, '20260101-100000-abcd', smallRun);
  await writeEvents(repo, '20260101-110000-abcd', idle);
  await writeEvents(repo, '20260101-120000-abcd', idle);
  const { out } = await repo.ralph('log');
  expect(out).toMatch(/^run 20260101-100000-abcd /);
  expect(out).toMatch(/^the later start 20260101-120000-abcd ended at once: OUT OF ITERATIONS.*\(exit 1\)$/m);
  expect(JSON.parse((await repo.ralph('log', '--json')).out)).toMatchObject({
    run: '20260101-100000-abcd',
    later: { run: '20260101-120000-abcd', ended: { reason: 'iterations' } },
  });
  expect((await repo.ralph('log', '2')).out).toContain('.ralph/runs/20260101-100000-abcd/2.log');
  expect((await repo.ralph('log', '--run', '20260101-120000-abcd')).out).toContain('no iterations');
});
