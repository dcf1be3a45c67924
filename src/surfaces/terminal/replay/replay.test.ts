import { expect, test } from 'vitest';
import type { RalphEvent } from '../../../contracts/events.ts';
import { systemClock } from '../../../platform/clock.ts';
import { foldRun } from '../../../rules/view/fold.ts';
import { smallRun } from '../events.fixture.ts';
import { memoryIo } from '../io.fixture.ts';
import { createRunLog } from '../run-log.ts';
import { createPace } from './pace.ts';
import { createReplay } from './replay.ts';

function replayOn(io: ReturnType<typeof memoryIo>) {
  const pace = createPace({ clock: systemClock, speed: Number.POSITIVE_INFINITY, longestMs: 0 });
  return createReplay({ io, verbose: false, pace, fold: foldRun('20260101-100000-abcd') });
}

test('shows the lines of the run and its summary', async () => {
  const [live, again] = [memoryIo(), memoryIo()];
  const log = createRunLog({ io: live, verbose: false, now: () => 0 });
  const replay = replayOn(again);
  for (const [i, event] of smallRun.entries()) {
    log(event);
    await replay.show(event, i + 1);
  }
  log.close();
  replay.close();
  expect(again.out().startsWith(live.out())).toBe(true);
  const summary = again.out().slice(live.out().length);
  expect(summary).toContain('OUT OF ITERATIONS: stories are left');
  expect(summary).toContain('2 iterations · 57s · $0.20');
  expect(summary).toContain('3f2a9c1 feat(US-001): Add login');
  expect(summary).toContain('rolled-back work you can restore: 1');
  expect(summary).toContain('ralph run: iterations (exit 1)');
});

test('of what is skipped only the head of the run appears', async () => {
  const io = memoryIo();
  const replay = replayOn(io);
  const from = smallRun.findIndex(({ iteration }) => iteration === 2);
  for (const [i, event] of smallRun.entries()) {
    if (i < from) replay.skip(event, i + 1);
    else await replay.show(event, i + 1);
  }
  replay.close();
  expect(io.out()).toMatch(/^ralph 0\.1\.0 · run /);
  expect(io.out()).toContain('[2/15] implement');
  expect(io.out()).not.toContain('[1/15]');
});

test('events that nobody knows, or that lack everything, are counted and left out', async () => {
  const io = memoryIo();
  const replay = replayOn(io);
  const odd = [
    { ts: '2026-01-01T10:00:00.000Z', run: 'r', iteration: 1, type: 'from-the-future' },
    { ts: '2026-01-01T10:00:00.000Z', run: 'r', iteration: 1, type: 'check' },
  ] as unknown as readonly RalphEvent[];
  for (const event of odd) await replay.show(event, 1);
  for (const [i, event] of smallRun.entries()) await replay.show(event, i + 3);
  replay.close();
  expect(replay.unreadable()).toBe(2);
  expect(io.out()).toContain('[2/15]');
});
