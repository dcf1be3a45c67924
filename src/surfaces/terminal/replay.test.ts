import { expect, test } from 'vitest';
import type { RalphEvent } from '../../contracts/index.ts';
import { systemClock } from '../../platform/index.ts';
import { smallRun } from './events.fixture.ts';
import { memoryIo } from './io.fixture.ts';
import { createPace, createReplay, pressKey } from './replay.ts';
import { createRunLog } from './run-log.ts';

function replayOn(io: ReturnType<typeof memoryIo>) {
  const pace = createPace({ clock: systemClock, speed: Number.POSITIVE_INFINITY, longestMs: 0 });
  return createReplay({ io, verbose: false, pace });
}

test('shows the lines of the run and its summary', async () => {
  const [live, again] = [memoryIo(), memoryIo()];
  const log = createRunLog({ io: live, verbose: false, now: () => 0 });
  const replay = replayOn(again);
  for (const event of smallRun) {
    log(event);
    await replay.show(event);
  }
  log.close();
  replay.close();
  expect(again.out().startsWith(live.out())).toBe(true);
  const summary = again.out().slice(live.out().length);
  expect(summary).toContain('OUT OF ITERATIONS: stories are left');
  expect(summary).toContain('2 iterations · 57s · $0.20');
  expect(summary).toContain('3f2a9c1 feat(US-001): Add login');
  expect(summary).toContain('rolled-back work you can restore: 1');
  expect(summary).toContain('ralph run: out of iterations (exit 1)');
});

test('of what is skipped only the head of the run appears', async () => {
  const io = memoryIo();
  const replay = replayOn(io);
  const from = smallRun.findIndex(({ iteration }) => iteration === 2);
  for (const [i, event] of smallRun.entries()) {
    if (i < from) replay.skip(event);
    else await replay.show(event);
  }
  replay.close();
  expect(io.out()).toMatch(/^\S+ ralph 0\.1\.0 · run /);
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
  for (const event of odd) await replay.show(event);
  for (const event of smallRun) await replay.show(event);
  replay.close();
  expect(replay.unreadable()).toBe(2);
  expect(io.out()).toContain('[2/15]');
});

const START = new Date(2026, 0, 1, 10).getTime();

/** A clock that jumps as far as it is asked to sleep, and remembers it; `during` happens in the middle of the next sleep. */
function fakeClock() {
  let now = 5;
  const slept: number[] = [];
  let during: (() => void) | null = null;
  return {
    slept,
    onNextSleep(action: () => void) {
      during = action;
    },
    now: () => now,
    async sleep(ms: number) {
      const action = during;
      during = null;
      const took = action ? ms / 2 : ms;
      now += took;
      slept.push(took);
      action?.();
    },
  };
}

test('the first moment is there at once, the next after its distance divided by the speed', async () => {
  const clock = fakeClock();
  const pace = createPace({ clock, speed: 10, longestMs: 2000 });
  await pace.until(START);
  await pace.until(START + 5000);
  expect(clock.slept).toEqual([500]);
  expect(pace.now()).toBe(START + 5000);
});

test('a long silence is cut, and in it the run’s clock goes as much faster', async () => {
  const clock = fakeClock();
  const pace = createPace({ clock, speed: 10, longestMs: 2000 });
  await pace.until(START);
  clock.onNextSleep(() => expect(pace.now()).toBe(START + 1_800_000));
  await pace.until(START + 3_600_000);
  expect(clock.slept[0]).toBe(1000);
  expect(pace.now()).toBe(START + 3_600_000);
});

test('in full, a silence takes as long as it does', async () => {
  const clock = fakeClock();
  const pace = createPace({ clock, speed: 1, longestMs: Number.POSITIVE_INFINITY });
  await pace.until(START);
  await pace.until(START + 7_200_000);
  expect(clock.slept.reduce((sum, one) => sum + one, 0)).toBe(7_200_000);
});

test('what lies behind, and everything at an endless speed, is not waited for', async () => {
  const clock = fakeClock();
  const pace = createPace({ clock, speed: Number.POSITIVE_INFINITY, longestMs: 2000 });
  for (const at of [START, START + 9000, START - 9000]) await pace.until(at);
  expect(clock.slept).toEqual([]);
});

test('another speed holds from the middle of a wait on', async () => {
  const clock = fakeClock();
  const pace = createPace({ clock, speed: 10, longestMs: 2000 });
  await pace.until(START);
  clock.onNextSleep(() => pressKey('+', pace));
  await pace.until(START + 10_000);
  expect(pace.speed()).toBe(20);
  expect(clock.slept).toEqual([500, 250]);
});

test('a pause holds the clock until the same key ends it', async () => {
  const clock = fakeClock();
  const pace = createPace({ clock, speed: 10, longestMs: 2000 });
  await pace.until(START);
  let held = 0;
  clock.onNextSleep(() => {
    pressKey(' ', pace);
    held = pace.now();
    clock.onNextSleep(() => {
      expect(pace.now()).toBe(held);
      pressKey(' ', pace);
    });
  });
  await pace.until(START + 10_000);
  expect(held).toBe(START + 5000);
  expect(clock.slept.at(-1)).toBe(500);
});

test('n hurries to the next iteration and q ends every wait', async () => {
  const clock = fakeClock();
  const pace = createPace({ clock, speed: 1, longestMs: 2000 });
  await pace.until(START);
  pressKey('n', pace);
  await pace.until(START + 60_000);
  expect(clock.slept).toEqual([]);
  pace.arrive();
  pressKey('q', pace);
  await pace.until(START + 120_000);
  expect(clock.slept).toEqual([]);
  expect(pace.hasQuit()).toBe(true);
});
