import { rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { RalphEvent } from '../../contracts/index.ts';
import type { Overview, RunSnapshot } from './api.ts';
import { HEADER, says, type TestDashboard, testDashboard } from './dashboard.fixture.ts';
import { type Message, messagesOf } from './sse.fixture.ts';

async function watch(server: TestDashboard, path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await server.get(path, { authorization: `Bearer ${server.token}`, ...headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  return messagesOf(response);
}

async function texts(next: () => Promise<Message>, count: number): Promise<string[]> {
  const found: string[] = [];
  while (found.length < count) {
    const { id, data } = await next();
    found.push(`${id} ${(data as Extract<RalphEvent, { type: 'agent' }> & { event: { text: string } }).event.text}`);
  }
  return found;
}

test('a stream begins where it is told to, goes on live, and is taken up again without gap or double', async () => {
  const server = await testDashboard();
  await server.log(says('one'), says('two'), says('three'));
  const snapshot = (await (await server.get(server.run)).json()) as RunSnapshot;
  expect([snapshot.lines, snapshot.project.id, snapshot.view.run]).toEqual([4, server.project, snapshot.view.run]);
  const all = await watch(server, `${server.run}/stream`);
  expect(await texts(all, 3)).toEqual(['2 one', '3 two', '4 three']);
  const live = await watch(server, `${server.run}/stream?after=${snapshot.lines}`);
  await server.log(says('four'), says('line\nbreak'));
  expect(await texts(live, 2)).toEqual(['5 four', '6 line\nbreak']);
  expect(await texts(all, 2)).toEqual(['5 four', '6 line\nbreak']);
  const again = await watch(server, `${server.run}/stream?after=0`, { 'last-event-id': '4' });
  expect(await texts(again, 2)).toEqual(['5 four', '6 line\nbreak']);
});

test('lines that hold no event are passed over, and half a line waits', async () => {
  const server = await testDashboard();
  await server.log(says('one'));
  const torn = JSON.stringify({ ts: '2026-01-01T09:00:00.000Z', run: 'r', iteration: 1, ...says('torn') });
  await writeFile(server.logFile, `garbage\n\n{"a":1}\n${torn.slice(0, 40)}`, { flag: 'a' });
  const next = await watch(server, `${server.run}/stream`);
  expect(await texts(next, 1)).toEqual(['2 one']);
  await writeFile(server.logFile, `${torn.slice(40)}\n`, { flag: 'a' });
  expect(await texts(next, 1)).toEqual(['6 torn']);
});

test('a log that is replaced resets whoever watches, and so does a place that it does not have', async () => {
  const server = await testDashboard();
  await server.log(says('old'), says('older'));
  const next = await watch(server, `${server.run}/stream`);
  await texts(next, 2);
  await rm(server.logFile);
  await writeFile(server.logFile, HEADER);
  await server.log(says('new'));
  expect(await next()).toEqual({ id: '0', event: 'reset', data: {} });
  expect(await texts(next, 1)).toEqual(['2 new']);
  const far = await watch(server, `${server.run}/stream?after=900`);
  expect([(await far()).event, await texts(far, 1)]).toEqual(['reset', ['2 new']]);
});

test('many thousand events reach everybody in order, however many come at once', async () => {
  const server = await testDashboard();
  const readers = await Promise.all([0, 0, 0].map((after) => watch(server, `${server.run}/stream?after=${after}`)));
  const wanted = Array.from({ length: 6_000 }, (_, n) => `${n + 2} ${n} ${'x'.repeat(500)}`);
  for (let n = 0; n < 6_000; n += 1_000) {
    await server.log(...Array.from({ length: 1_000 }, (_, k) => says(`${n + k} ${'x'.repeat(500)}`)));
  }
  const seen = await Promise.all(readers.map((next) => texts(next, 6_000)));
  for (const one of seen) expect(one).toEqual(wanted);
});

test('lines are found by iteration, kind and text, forwards and backwards, page by page', async () => {
  const server = await testDashboard();
  await server.log(
    ...Array.from({ length: 10 }, (_, n) => ({ ...says(n % 2 ? 'An APPLE' : 'a pear'), iteration: 0 })),
    { type: 'notice', level: 'info', text: 'an apple a day', iteration: 0 },
  );
  const find = async (query: string) => {
    const page = (await (await server.get(`${server.run}/lines?${query}`)).json()) as {
      events: [number, RalphEvent][];
      next: number | null;
    };
    return [page.events.map(([line]) => line), page.next];
  };
  expect(await find('')).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], null]);
  expect(await find('q=apple')).toEqual([[2, 4, 6, 8, 10, 11], null]);
  expect(await find('types=notice')).toEqual([[11], null]);
  expect(await find('types=agent:text,tools&q=apple&count=2')).toEqual([[2, 4], 5]);
  expect(await find('types=agent:text&q=apple&count=2&from=5')).toEqual([[6, 8], 9]);
  expect(await find('backwards=1&count=3')).toEqual([[9, 10, 11], 9]);
  expect(await find('backwards=1&count=3&from=9')).toEqual([[6, 7, 8], 6]);
  expect(await find('backwards=1&count=300&from=3')).toEqual([[1, 2], null]);
  expect(await find('iteration=9')).toEqual([[], null]);
  expect(await find('q=tool-call')).toEqual([[], null]);
});

test('the overview comes at once, and again when something changed', async () => {
  const server = await testDashboard();
  const next = await watch(server, '/api/overview/stream');
  const first = (await next()) as Message & { data: Overview };
  expect([first.event, first.data.version, first.data.projects.map(({ id }) => id)]).toEqual([
    'overview',
    '1.2.3',
    [server.project],
  ]);
  // Nothing has happened in it yet.
  expect(first.data.runs).toEqual([]);
  await server.log({ type: 'notice', level: 'info', text: 'hello' });
  const second = (await next()) as Message & { data: Overview };
  expect(second.data.runs[0]?.lastEventAt).toBe(Date.parse('2026-01-01T09:00:00.000Z'));
});

test('metrics name the run, its state and its verdicts', async () => {
  const server = await testDashboard();
  await server.log({ type: 'notice', level: 'info', text: 'hello' });
  const answer = await server.get('/metrics', { cookie: server.cookie });
  expect(answer.headers.get('content-type')).toContain('text/plain');
  const text = await answer.text();
  expect(text).toContain(
    `ralph_run_state{project="project",project_id="${server.project}",run="20260101-090000-abcd",state="cut-off"} 1`,
  );
  expect(text).toMatch(/ralph_verdicts\{[^}]*verdict="accepted"\} 0/);
  expect(text).toMatch(/ralph_run_last_event_time_seconds\{[^}]*\} 1767258000/);
});
