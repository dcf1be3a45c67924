import { expect, test } from 'vitest';
import type { RalphEvent } from '../../contracts/index.ts';
import { foldRun, type RunView } from '../../rules/view/index.ts';
import { eventAt, smallRun, usage } from './events.fixture.ts';
import { displayWidth } from './layout.ts';
import { renderLive, renderProgress } from './live-line.ts';
import { plain } from './paint.ts';

const NOTHING_YET = foldRun('r').view();
const advance = (view: RunView, event: RalphEvent): RunView => {
  const fold = foldRun(view.run, view);
  fold.see(event, 0);
  return fold.view();
};
const after = (count: number): RunView => smallRun.slice(0, count).reduce(advance, NOTHING_YET);
const at = (second: number) => new Date(2026, 0, 1, 10, 0, second).getTime();

test('between runs there is no live line', () => {
  expect(renderLive(NOTHING_YET, 0, 80, plain)).toBeNull();
  expect(renderLive(after(smallRun.length), at(60), 80, plain)).toBeNull();
});

test('it tells time, mode, story and the tool in use', () => {
  expect(renderLive(after(9), at(5), 80, plain)?.slice(2)).toBe('[1] 0:03 · implement US-001 · Bash npm test');
});

test('it tells the context in use and, once an agent ended, the cost', () => {
  expect(renderLive(after(11), at(10), 80, plain)).toContain('thinking · context 68.0k');
  expect(renderLive(after(12), at(48), 80, plain)).toContain(
    '[1] 0:46 · implement US-001 · settling · context 68.0k · $0.12',
  );
});

const told = (tokens: number, window: number) => eventAt(8, 1, { type: 'context-use', percent: 0, tokens, window });

test('a share of the context is told once somebody said how large the window is, and anew for each process', () => {
  const state = advance(after(11), told(120_000, 200_000));
  expect(renderLive(state, at(10), 80, plain)).toContain('context 60%');
  const next = eventAt(8, 1, { type: 'agent-start', agent: 'claude', model: 'opus', pid: 13, try: 2 });
  expect(renderLive(advance(state, next), at(9), 80, plain)).not.toContain('context');
  const use = eventAt(9, 1, { type: 'agent', event: { type: 'usage', usage, contextTokens: 50_000 } });
  expect(renderLive([next, use].reduce(advance, state), at(9), 80, plain)).toContain('context 25%');
});

test('the cost is that of the run with what the process at work has told', () => {
  const works = [
    ...smallRun.slice(12, 20),
    eventAt(54, 2, { type: 'agent', event: { type: 'usage', usage, contextTokens: null, costUsd: 0.4 } } as const),
  ].reduce(advance, after(12));
  expect(renderLive(works, at(55), 80, plain)).toMatch(/ · thinking · \$0\.52$/);
});

test('calls that are left count those of earlier runs, as long as they are within the hour', () => {
  const [start, ...rest] = smallRun.slice(0, 9);
  if (start?.type !== 'run-start') throw new Error('the run does not start');
  const limits = {
    maxIterations: 15,
    calls: 5,
    maxCost: null,
    maxTokens: null,
    maxDurationMs: null,
    storyMaxCost: null,
    storyMaxAttempts: 3,
  };
  const recentCalls = [at(0) - 3_597_000, at(0) - 60_000];
  const events = [{ ...start, limits, recentCalls }, ...rest];
  expect(renderLive(events.slice(0, 6).reduce(advance, NOTHING_YET), at(2), 80, plain)).toMatch(/ · 2 calls left$/);
  const state = events.reduce(advance, NOTHING_YET);
  expect(renderLive(state, at(5), 80, plain)).toMatch(/ · 3 calls left$/);
  const fewer = advance(state, eventAt(5, 0, { type: 'limits', limits: { ...limits, calls: 3 } }));
  expect(renderLive(fewer, at(5), 80, plain)).toMatch(/ · 1 call left$/);
});

test('a tool that takes long has a clock of its own', () => {
  expect(renderLive(after(9), at(14), 80, plain)).toContain('Bash npm test');
  expect(renderLive(after(9), at(95), 80, plain)?.slice(2)).toBe('[1] 1:33 · implement US-001 · Bash 1:30 npm test');
});

test('of two tools at once the other one ending changes nothing', () => {
  const state = advance(
    after(9),
    eventAt(6, 1, { type: 'agent', event: { type: 'tool-result', id: 't1', ok: true, summary: '' } }),
  );
  expect(renderLive(state, at(7), 80, plain)).toContain('Bash npm test');
});

test('an agent that is silent for long is not said to think', () => {
  expect(renderLive(after(11), at(7 + 179), 80, plain)).toContain('thinking');
  expect(renderLive(after(11), at(7 + 200), 80, plain)).toContain(' · no sign of life for 3m');
  expect(renderLive(after(9), at(600), 80, plain)).toContain('Bash 9:55 npm test');
});

test('where the line is narrow the tool has the room of what the header says already', () => {
  const call = { type: 'tool-call', id: 't9', name: 'Bash', summary: 'npm run test -- --coverage src/login' } as const;
  const state = advance(after(11), eventAt(8, 1, { type: 'agent', event: call }));
  expect(renderLive(state, at(30), 80, plain)?.slice(2)).toBe(
    '[1] 0:28 · Bash 0:22 npm run test -- --coverage src/login · context 68.0k',
  );
  expect(renderLive(state, at(30), 120, plain)).toContain(' · implement US-001 · Bash 0:22 npm run');
});

test('a silent agent is told to be stopped at its idle timeout', () => {
  const start = { type: 'agent-start', agent: 'a', model: null, pid: 1, try: 1, idleTimeoutMs: 600_000 } as const;
  const state = advance(after(5), eventAt(3, 1, start));
  expect(renderLive(state, at(3 + 240), 80, plain)).toContain('no sign of life for 4m, stopped at 10m');
});

test('what failed counts down to the next try', () => {
  const again = { type: 'transient', try: 1, reason: 'r', delayMs: 30_000, rescue: null } as const;
  const state = advance(after(12), eventAt(48, 1, again));
  expect(renderLive(state, at(61), 80, plain)).toContain(' · waiting to try again 0:17');
  const retry = { type: 'retry', attempt: 2, delayMs: 8_000, reason: 'overloaded' } as const;
  const told = advance(after(9), eventAt(6, 1, { type: 'agent', event: retry }));
  expect(renderLive(told, at(10), 80, plain)).toContain(' · waiting for the provider 0:04');
  const back = advance(told, eventAt(11, 1, { type: 'agent', event: { type: 'text', text: 'hello' } }));
  expect(renderLive(back, at(12), 80, plain)).toContain(' · thinking');
});

test('the window that the start of the agent or its session tells is used at once', () => {
  const usageEvent = eventAt(7, 1, { type: 'agent', event: { type: 'usage', usage, contextTokens: 50_000 } });
  const start = { type: 'agent-start', agent: 'a', model: 'm', pid: 1, try: 1, window: 200_000 } as const;
  const byStart = [eventAt(3, 1, start), usageEvent].reduce(advance, after(5));
  expect(renderLive(byStart, at(8), 80, plain)).toContain('context 25%');
  const session = { type: 'session', sessionId: 's', model: 'm[1m]', version: null, window: 1_000_000 } as const;
  const bySession = [eventAt(4, 1, { type: 'agent', event: session }), usageEvent].reduce(advance, after(6));
  expect(renderLive(bySession, at(8), 80, plain)).toContain('context 5%');
});

test('what comes after the agent is said by its own name', () => {
  expect(renderLive(after(13), at(49), 80, plain)).toContain('[1] 0:47 · implement US-001 · check npm test');
  expect(renderLive(after(14), at(51), 80, plain)).toContain('[1] 0:49 · implement US-001 · settling');
  expect(renderLive(after(16), at(52), 80, plain)).toContain('[1] 0:50 · implement US-001 · concluding');
});

test('however long the command, the line does not wrap and keeps its figures', () => {
  const long = eventAt(8, 1, {
    type: 'agent',
    event: { type: 'tool-call', id: 't9', name: 'Bash', summary: '日本'.repeat(200) },
  });
  const line = renderLive(advance(after(11), long), at(10), 60, plain) ?? '';
  expect(displayWidth(line)).toBeLessThan(60);
  expect(line).toMatch(/… · context 68\.0k$/);
});

test.each([
  [80, '[1] 0:46 · implement US-001 · settling · context 68.0k · $0.12'],
  [58, '[1] 0:46 · implement US-001 · settling · context 68.0k'],
  [40, '[1] 0:46 · settling · context 68.0k'],
  [20, '[1] 0:46 · settl…'],
])('at %i columns the least important figures are left out first', (columns, text) => {
  const line = renderLive(after(12), at(48), columns, plain) ?? '';
  expect(displayWidth(line)).toBeLessThan(columns);
  expect(line.slice(2)).toBe(text);
});

test('a log without a live line tells the same, and nothing while it waits', () => {
  expect(renderProgress(after(12), at(48))).toBe('[1] 0:46 · implement US-001 · settling · context 68.0k · $0.12');
  expect(renderProgress(NOTHING_YET, at(48))).toBeNull();
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
  expect(renderLive(paused, at(60), 80, plain)).toBe('⏸ paused; ralph resume continues');
  expect(displayWidth(renderLive(paused, at(60), 20, plain) ?? '')).toBeLessThan(20);
});
