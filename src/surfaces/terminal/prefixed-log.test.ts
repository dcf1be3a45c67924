import { expect, test } from 'vitest';
import type { EventBody, RalphEvent } from '../../contracts/events.ts';
import { memoryIo } from './io.fixture.ts';
import { prefixedLine, prefixedLog } from './prefixed-log.ts';

const NAMES = ['PRD-1', 'PRD-12', 'a-workspace-with-a-long-name'];

const event = (body: EventBody, iteration = 1): RalphEvent => ({
  ts: '2026-01-01T09:00:00.000Z',
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
    'PRD-1            │ [1/5] implement · US-1 Title',
    'PRD-12           │ [1/5] implement · US-2 Title',
    'a-workspace-wit… │   warning   One',
    'a-workspace-wit… │             Two',
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
