import { expect, test } from 'vitest';
import { eventAt, smallRun } from './events.fixture.ts';
import { renderLive } from './live-line.ts';
import { advance, INITIAL_STATE, type LogState } from './log-state.ts';
import { plain } from './paint.ts';
import { displayWidth } from './width.ts';

const after = (count: number): LogState => smallRun.slice(0, count).reduce(advance, INITIAL_STATE);
const at = (second: number) => Date.UTC(2026, 0, 1, 10, 0, second);

test('between runs there is no live line', () => {
  expect(renderLive(INITIAL_STATE, 0, 80, plain)).toBeNull();
  expect(renderLive(after(smallRun.length), at(60), 80, plain)).toBeNull();
});

test('it tells time, mode, story and the tool in use', () => {
  expect(renderLive(after(9), at(5), 80, plain)?.slice(2)).toBe('0:03 · implement US-001 · Bash npm test');
});

test('it tells the context in use and, once an agent ended, the cost', () => {
  expect(renderLive(after(11), at(10), 80, plain)).toContain('thinking · context 34%');
  expect(renderLive(after(12), at(48), 80, plain)).toContain(
    '0:01 · implement US-001 · settling · context 34% · $0.12',
  );
});

test('a context beyond the usual window is told in tokens', () => {
  expect(renderLive({ ...after(9), contextTokens: 412_000 }, at(5), 80, plain)).toContain('context 412.0k');
});

test('however long the command, the line does not wrap and keeps its figures', () => {
  const line = renderLive({ ...after(11), doing: `Bash ${'日本'.repeat(200)}` }, at(10), 60, plain) ?? '';
  expect(displayWidth(line)).toBeLessThan(60);
  expect(line).toMatch(/… · context 34%$/);
});

test('a wait counts down, and gives way to what comes after it', () => {
  const waiting = advance(
    after(18),
    eventAt(52, 0, { type: 'wait', why: 'limit', until: at(69), text: 'claude is at its limit' }),
  );
  const clock = new Date(at(69)).toTimeString().slice(0, 8);
  expect(renderLive(waiting, at(52), 80, plain)).toBe(`⏸ 00:00:17 until ${clock} · usage limit`);
  const over = advance(waiting, eventAt(69, 0, { type: 'wait-end', why: 'limit', waitedMs: 17_000 }));
  expect(renderLive(over, at(69), 80, plain)).toBeNull();
});

test('a pause says how to go on', () => {
  const paused = advance(after(18), eventAt(52, 0, { type: 'wait', why: 'pause', until: null, text: 'paused' }));
  expect(renderLive(paused, at(60), 80, plain)).toBe('⏸ paused; ralph resume goes on');
  expect(displayWidth(renderLive(paused, at(60), 20, plain) ?? '')).toBeLessThan(20);
});
