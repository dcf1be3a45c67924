import { expect, test } from 'vitest';
import { smallRun } from './events.fixture.ts';
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
