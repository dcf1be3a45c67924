import { describe, expect, test } from 'vitest';
import { schedule } from './schedule.ts';

type ScheduleInput = Parameters<typeof schedule>[0];
type Scheduled = ScheduleInput['streams'][number];

const NOW = 1_000_000;

const ready = (stream: string, since: number, turns = 0): Scheduled => ({
  stream,
  state: 'ready',
  turns,
  since,
  until: null,
});

const resting = (stream: string, until: number | null): Scheduled => ({ ...ready(stream, 0), state: 'later', until });

function ask(streams: readonly Scheduled[], change: Partial<ScheduleInput> = {}) {
  return schedule({
    streams,
    working: 0,
    capacity: 2,
    concurrency: null,
    rate: null,
    heldUntil: null,
    now: NOW,
    ...change,
  });
}

describe('who goes next', () => {
  test('is who waited longest, as many as there are places', () => {
    const streams = [ready('young', 900), ready('old', 100), ready('middle', 500)];
    expect(ask(streams)).toEqual({ start: ['old', 'middle'], wakeAt: null });
    expect(ask(streams, { working: 1 }).start).toEqual(['old']);
    expect(ask(streams, { working: 2 }).start).toEqual([]);
    expect(ask(streams, { capacity: 9, concurrency: 1 }).start).toEqual(['old']);
  });

  test('is, of two that waited equally long, who had fewer turns, then who came first', () => {
    expect(ask([ready('b', 5, 2), ready('a', 5, 1), ready('c', 5, 1)], { capacity: 3 }).start).toEqual(['a', 'c', 'b']);
  });

  test('is also one whose rest is over, as if it had waited since then', () => {
    const streams = [ready('waits', 500), resting('rested', 400), resting('rests', NOW + 60)];
    expect(ask(streams)).toEqual({ start: ['rested', 'waits'], wakeAt: NOW + 60 });
  });

  test('is nobody that only a person lets go on, or that has ended', () => {
    const over = (['working', 'done', 'cancelled', 'failed'] as const).map((state) => ({ ...ready(state, 0), state }));
    expect(ask([resting('asks', null), ...over])).toEqual({ start: [], wakeAt: null });
  });

  test('is nobody while a limit that all share holds them', () => {
    expect(ask([ready('a', 1), resting('b', NOW + 90)], { heldUntil: NOW + 50 })).toEqual({
      start: [],
      wakeAt: NOW + 50,
    });
    expect(ask([ready('a', 1)], { heldUntil: NOW - 1 }).start).toEqual(['a']);
  });

  test('are no more than starts are free within the hour', () => {
    const streams = [ready('a', 1), ready('b', 2)];
    expect(ask(streams, { rate: { used: 9, limit: 10, freeAt: null } }).start).toEqual(['a']);
    expect(ask(streams, { rate: { used: 10, limit: 10, freeAt: NOW + 7 } })).toEqual({ start: [], wakeAt: NOW + 7 });
    expect(ask(streams, { rate: { used: 12, limit: 10, freeAt: NOW + 7 } }).start).toEqual([]);
  });
});
