import { mkdir, writeFile } from 'node:fs/promises';
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
  expect((await repo.ralph('log')).out).toMatch(/^1 {2}\S+ {2}implement {2}US-001 {2}rejected/m);
  const { out } = await repo.ralph('log', '1');
  expect(out).toMatch(/^\S+ \[1\/15\] implement · US-001 Add login\n/);
  expect(out).toContain('tool      Bash npm test');
  expect(out).toContain('ralph log 1 --full');
  expect(JSON.parse((await repo.ralph('log', '2', '--json')).out)[0]).toMatchObject({ type: 'select', iteration: 2 });
  expect((await repo.ralph('log', '9')).err).toContain('it has 1 to 2');
});

test('ralph log N --full has what the agent said, its calls and their results, then what became of it', async () => {
  const repo = await freshRepository();
  const run = '20260101-100000-abcd';
  await writeEvents(repo, run, smallRun);
  const whole = await repo.ralph('log', '1', '--full');
  expect(whole.out).toMatch(
    /I look around\.\nThen I write\.\n {2}Read src\/app\.ts\n {2}Bash npm test\n {4}✗ exit 1\n/,
  );
  expect(whole.out).toMatch(/verdict +rejected/);
  const block = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test', timeout: 5 } };
  const wire = { type: 'assistant', message: { content: [block] } };
  await writeFile(join(repo.root, '.ralph', 'runs', run, '1.log'), `${JSON.stringify(wire)}\n`);
  const { out } = await repo.ralph('log', '1', '--full');
  expect(out).toContain('  Bash npm test\n    timeout: 5\n');
  expect(out).not.toContain('Read src');
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
  expect((await repo.ralph('log', '2')).out).toContain('ralph log 2 --full');
  expect((await repo.ralph('log', '--run', '20260101-120000-abcd')).out).toContain('no iterations');
});
