import { expect, test } from 'vitest';
import type { AgentEvent, RalphEvent } from '../../src/contracts/index.ts';
import { queryText } from '../api.ts';
import { openTranscript } from './open-transcript.ts';
import { linesUntil, type ReadLines, readEnough } from './pages.ts';
import { breakable, plainText, shortened, split } from './plain.ts';
import { rowsOf, shows } from './row.tsx';
import { HEADLINES, say } from './say.ts';
import { ALL_KINDS, typesOf } from './toolbar.tsx';
import { append, HELD, lineBefore, NOTHING, prepend } from './window.ts';

const envelope = { ts: '2026-01-01T00:00:00.000Z', run: '20260101-000000-aaaa', iteration: 1 };
const agent = (event: AgentEvent): RalphEvent => ({ ...envelope, type: 'agent', event });
const call = (id: string) => agent({ type: 'tool-call', id, name: 'Bash', summary: `run ${id}` });
const result = (id: string) => agent({ type: 'tool-result', id, ok: true, summary: `did ${id}` });

test('results go to their calls, also when they come late and in another order', () => {
  const rows = rowsOf([
    [1, call('a')],
    [2, call('b')],
    [3, result('b')],
    [4, result('a')],
    [5, result('lost')],
  ]);
  expect(rows.map((row) => [row.line, row.result?.line ?? null])).toEqual([
    [1, 4],
    [2, 3],
    [5, null],
  ]);
  expect(shows(rows[0]!, 4)).toBe(true);
});

test('what a log of another version or a stranger wrote does not throw', () => {
  const odd = (fields: object) => say({ ...envelope, ...fields } as unknown as RalphEvent);
  expect(odd({ type: 'from-tomorrow' })).toBeNull();
  expect(odd({ type: '__proto__' })).toBeNull();
  expect(odd({ type: 'verdict' })?.label).toBe('unreadable');
  expect(odd({ type: 'agent' })?.label).toBe('unreadable');
});

test('every type that says something can be chosen', () => {
  const types = typesOf(ALL_KINDS).split(',');
  const silent = ['backlog', 'limits', 'baseline', 'checkpoint', 'check-start'];
  expect(HEADLINES.filter((type) => !types.includes(type) && !silent.includes(type))).toEqual([]);
});

test('controls and escape sequences are gone, indentation stays', () => {
  expect(plainText('\u001b[31mred\u001b[0m\n  in\u202e\u0000\n')).toBe('red\n  in');
});

test('long text is cut at a line, and says that it was', () => {
  expect(shortened('a\nb\nc', 2)).toEqual({ text: 'a\nb', cut: true });
  expect(shortened('a\nb', 2)).toEqual({ text: 'a\nb', cut: false });
  expect(shortened('a', 0)).toEqual({ text: '', cut: true });
  expect(shortened('x'.repeat(1_000_000), 3).text.length).toBeLessThan(5000);
});

test('no line is endless', () => {
  expect(
    Math.max(
      ...breakable('x'.repeat(9000))
        .split('\n')
        .map((line) => line.length),
    ),
  ).toBe(2000);
});

test('hits are every second part, in any case', () => {
  expect(split('One one two', 'ONE')).toEqual(['', 'One', ' ', 'one', ' two']);
  expect(split('nothing', 'x')).toEqual(['nothing']);
});

test('the window stays small and knows what it let go of', () => {
  const lines = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => [from + i, call(`${from + i}`)] as const);
  const grown = append(append(NOTHING, lines(100, HELD), true, 100 + HELD), lines(100 + HELD, 10), false, 110 + HELD);
  expect(grown.events).toHaveLength(HELD);
  expect([lineBefore(grown), grown.moreBefore, grown.moreAfter, grown.after]).toEqual([110, true, false, 110 + HELD]);
  const back = prepend(grown, lines(50, 60), false);
  expect([back.events[0]![0], back.events.length, back.moreBefore, back.moreAfter]).toEqual([50, HELD, false, true]);
  expect(back.after).toBe(back.events.at(-1)![0] + 1);
});

test('a search that the server breaks off goes on from there', async () => {
  const asked: (number | undefined)[] = [];
  const read: ReadLines = async ({ from }) => {
    asked.push(from);
    if (from === undefined) return { events: [], next: 500 };
    return from === 500 ? { events: [[700, call('a')]], next: 900 } : { events: [[950, call('b')]], next: 960 };
  };
  expect((await readEnough(read, { count: 2 })).events.map(([line]) => line)).toEqual([700, 950]);
  expect(asked).toEqual([undefined, 500, 900]);
});

test('lines that arrive while the end of a log is being read are shown', async () => {
  const log = [call('a')].map((event, line) => [line, event] as const);
  const read: ReadLines = async ({ from = 0, backwards }) => ({ events: backwards ? [] : log.slice(from), next: null });
  const transcript = openTranscript(read, { iteration: null, types: '' }, () => null);
  const end = transcript.toEnd();
  void transcript.grown(1, true);
  await end;
  await expect.poll(() => transcript.window.value.events).toEqual(log);
});

test('a replay reads nothing that comes later', async () => {
  const read: ReadLines = async ({ from = 0 }) => ({
    events: [0, 1, 2].map((i) => [from + i, { ...call('a'), ts: new Date(1000 * (from + i)).toISOString() }] as const),
    next: from + 3,
  });
  const page = await linesUntil(read, () => ({ line: 12, at: 11_000 }))({ from: 10 });
  expect(page.events.map(([line]) => line)).toEqual([10, 11]);
  expect(page.next).toBeNull();
});

test('an address names only what was asked', () => {
  expect(queryText({ from: 0, backwards: true, q: 'a&b' })).toBe('from=0&backwards=1&q=a%26b');
  expect(queryText({ backwards: false, q: '' })).toBe('');
});
