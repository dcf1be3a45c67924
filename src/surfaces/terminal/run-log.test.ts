import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EventBody, RalphEvent } from '../../contracts/index.ts';
import { eventAt, smallRun } from './events.fixture.ts';
import { memoryIo } from './io.fixture.ts';
import { createRunLog, jsonSink, prefixedLine, prefixedLog } from './run-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Controls in a form that one can read, and match. */
const visible = (text: string) => text.replaceAll('\u001b', '␛').replaceAll('\r', '␍');

const now = () => new Date(2026, 0, 1, 10, 1).getTime();

test('where output is no terminal there are plain lines and no timer', () => {
  const io = memoryIo();
  const log = createRunLog({ io, verbose: false, now });
  smallRun.forEach(log);
  expect(vi.getTimerCount()).toBe(0);
  log.close();
  expect(visible(io.out())).not.toMatch(/[␛␍]/);
  expect(io.out()).toContain('\n10:00:02 [1/15] implement · US-001 Add login\n');
  expect(
    io
      .out()
      .split('\n')
      .filter((line) => line !== '' && !/^\d\d:\d\d:\d\d /.test(line)),
  ).toEqual([]);
});

test('on a terminal the live line is erased before a lasting line', () => {
  const io = memoryIo({ isTTY: true, env: { NO_COLOR: '1' } });
  const log = createRunLog({ io, verbose: false, now });
  smallRun.slice(0, 9).forEach(log);
  const before = io.out().length;
  vi.advanceTimersByTime(130);
  expect(visible(io.out().slice(before))).toMatch(/^␍␛\[2K. \[1\] 0:58 · implement US-001 · Bash 0:55 npm test$/);
  smallRun.slice(9, 12).forEach(log);
  expect(visible(io.out().slice(before))).toMatch(/␍␛\[2K {2}says {6}I look around/);
  log.close();
});

test('a live line that a narrower terminal broke in several is erased whole', () => {
  const terminal = { isTTY: true, env: { NO_COLOR: '1' }, columns: 80 };
  const memory = memoryIo(terminal);
  let columns = 80;
  const io = Object.defineProperty(memory, 'columns', { get: () => columns });
  const log = createRunLog({ io, verbose: false, now });
  smallRun.slice(0, 9).forEach(log);
  vi.advanceTimersByTime(130);
  columns = 20;
  const before = memory.out().length;
  smallRun.slice(9, 12).forEach(log);
  // 49 columns are three lines of 20.
  expect(visible(memory.out().slice(before))).toMatch(/^␍␛\[2K(␛\[1A␛\[2K){2} {2}says/);
  log.close();
});

test('closing erases the live line and leaves no timer', () => {
  const io = memoryIo({ isTTY: true });
  const log = createRunLog({ io, verbose: false, now });
  smallRun.slice(0, 9).forEach(log);
  vi.advanceTimersByTime(130);
  log.close();
  expect(io.out().endsWith('\r\u001b[2K')).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('a dumb terminal gets no live line', () => {
  const io = memoryIo({ isTTY: true, env: { TERM: 'dumb' } });
  createRunLog({ io, verbose: false, now });
  expect(vi.getTimerCount()).toBe(0);
});

test('a long quoted line is cut on a terminal and whole elsewhere', () => {
  const text = 'x'.repeat(300);
  const event = {
    ...smallRun[0],
    type: 'agent',
    iteration: 1,
    event: { type: 'tool-call', id: '1', name: 'Bash', summary: text },
  } as (typeof smallRun)[number];
  const [pipe, terminal] = [memoryIo(), memoryIo({ isTTY: true, env: { TERM: 'dumb' } })];
  for (const io of [pipe, terminal]) createRunLog({ io, verbose: true, now })(event);
  expect(pipe.out()).toContain(text);
  expect(terminal.out().trimEnd()).toHaveLength(80);
});

const limitWait = { type: 'wait', why: 'limit', until: now() + 25_000, text: 'claude is at its limit' } as const;

test('where output is no terminal a wait tells the time left now and then, until it is over', () => {
  const io = memoryIo();
  const start = Date.now();
  const log = createRunLog({ io, verbose: false, now: () => now() + Date.now() - start });
  log(eventAt(60, 0, limitWait));
  const before = io.out().length;
  vi.advanceTimersByTime(24_000);
  expect(io.out().slice(before)).toMatch(/^10:01:05 {13}00:00:20 until \S+\n10:01:15 {13}00:00:10 until \S+\n$/);
  log(eventAt(84, 0, { type: 'wait-end', why: 'limit', waitedMs: 24_000 }));
  expect(vi.getTimerCount()).toBe(0);
  log.close();
});

test('where output is no terminal an agent that works in silence is told of every five minutes', () => {
  const io = memoryIo();
  const start = Date.now();
  const log = createRunLog({
    io,
    verbose: false,
    now: () => new Date(2026, 0, 1, 10, 0, 7).getTime() + Date.now() - start,
  });
  smallRun.slice(0, 11).forEach(log);
  const before = io.out().length;
  vi.advanceTimersByTime(299_000);
  expect(io.out().slice(before)).toBe('');
  vi.advanceTimersByTime(301_000);
  expect(io.out().slice(before)).toBe(
    [
      '10:05:07   at work   [1] 5:05 · implement US-001 · no sign of life for 5m · context 68.0k',
      '10:10:07   at work   [1] 10:05 · implement US-001 · no sign of life for 10m · context 68.0k',
      '',
    ].join('\n'),
  );
  smallRun.slice(11).forEach(log);
  expect(vi.getTimerCount()).toBe(0);
});

test('a log that is closed in the middle of a wait leaves no timer', () => {
  const log = createRunLog({ io: memoryIo(), verbose: false, now });
  log(eventAt(60, 0, limitWait));
  expect(vi.getTimerCount()).toBe(1);
  log.close();
  expect(vi.getTimerCount()).toBe(0);
});

test('on a terminal the live line alone counts down', () => {
  const io = memoryIo({ isTTY: true, env: { NO_COLOR: '1' } });
  const start = Date.now();
  const log = createRunLog({ io, verbose: false, now: () => now() + Date.now() - start });
  log(eventAt(60, 0, limitWait));
  vi.advanceTimersByTime(12_000);
  expect(visible(io.out())).toMatch(/␍␛\[2K⏸ 00:00:13 until \S+ · usage limit$/);
  expect(io.out().split('\n')).toHaveLength(3);
  log.close();
});

test('--json prints every event as one line', () => {
  const io = memoryIo();
  smallRun.forEach(jsonSink(io));
  const lines = io.out().trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(smallRun);
});

test('what a comment adds stands below the lines of its event, above the live line', () => {
  const io = memoryIo({ isTTY: true, env: { NO_COLOR: '1' } });
  const log = createRunLog({
    io,
    verbose: false,
    now,
    comment: (event) => (event.type === 'check-start' ? ['Now the checks.'] : []),
  });
  smallRun.slice(0, 12).forEach(log);
  vi.advanceTimersByTime(130);
  const before = io.out().length;
  smallRun.slice(12, 13).forEach(log);
  expect(io.out().slice(before)).toBe('\r\u001b[2KNow the checks.\n');
  log.close();
});

const NAMES = ['PRD-1', 'PRD-12', 'a-workspace-with-a-long-name'];

const event = (body: EventBody, iteration = 1): RalphEvent => ({
  ts: new Date(2026, 0, 1, 9).toISOString(),
  run: 'r',
  iteration,
  ...body,
});

const select = (story: string): RalphEvent =>
  event({ type: 'select', mode: 'implement', story, title: 'Title', attempt: 1, reviewCount: 0, used: 0, limit: 5 });

function logged(io: ReturnType<typeof memoryIo>, events: readonly (readonly [string, RalphEvent])[]): string {
  const logOf = prefixedLog({ io, verbose: false, now: () => 0, names: NAMES });
  const sinks = new Map(NAMES.map((name) => [name, logOf(name)]));
  for (const [name, one] of events) sinks.get(name)?.(one);
  for (const sink of sinks.values()) sink.close();
  return io.out();
}

test('each line says whose it is, and none is empty', () => {
  const out = logged(memoryIo(), [
    ['PRD-1', select('US-1')],
    ['PRD-12', select('US-2')],
    ['a-workspace-with-a-long-name', event({ type: 'notice', level: 'warning', text: 'One\nTwo' })],
  ]);
  expect(out.split('\n')).toEqual([
    'PRD-1            │ 09:00:00 [1/5] implement · US-1 Title',
    'PRD-12           │ 09:00:00 [1/5] implement · US-2 Title',
    'a-workspace-wit… │ 09:00:00   warning   One',
    'a-workspace-wit… │ 09:00:00             Two',
    '',
  ]);
});

test('on a terminal lines are as wide as it is, with colours and without a live line', () => {
  const io = memoryIo({ isTTY: true, columns: 60, env: { TERM: 'xterm' } });
  const out = logged(io, [['PRD-1', event({ type: 'notice', level: 'warning', text: 'words '.repeat(30) })]]);
  expect(out).toContain('\u001b[36mPRD-1');
  expect(out).not.toContain('\r');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no columns.
  const widths = out.split('\n').map((line) => line.replace(/\u001b\[\d+m/g, '').length);
  expect(Math.max(...widths)).toBeLessThanOrEqual(60);
});

test('a line that no event tells has the same prefix, and a hostile name is one line', () => {
  expect(prefixedLine(['PRD-1', 'PRD-12'], 'PRD-1', 'waits', memoryIo())).toBe('PRD-1  │ waits');
  const line = prefixedLine(['a\nb\u001b[2J'], 'a\nb\u001b[2J', 'waits', memoryIo());
  expect(line).not.toContain('\n');
  expect(line).not.toContain('\u001b');
});
