import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCountdown } from './reminders.ts';
import type { ShownWait } from './waiting.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const wait = (seconds: number | null): ShownWait => ({
  why: 'limit',
  until: seconds === null ? null : Date.now() + seconds * 1000,
  text: 'the limit',
});

/** Seconds left at each telling. */
function follow(first: ShownWait) {
  const told: (number | null)[] = [];
  const countdown = createCountdown(Date.now, ({ until }) =>
    told.push(until === null ? null : Math.round((until - Date.now()) / 1000)),
  );
  countdown.follow(first);
  return { told, countdown };
}

test('a wait is told at round figures until it is over, and then holds no timer', () => {
  const { told } = follow(wait(75));
  vi.advanceTimersByTime(80_000);
  expect(told).toEqual([60, 50, 40, 30, 20, 10]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a pause is told of while it lasts, rarely', () => {
  const { told, countdown } = follow(wait(null));
  vi.advanceTimersByTime(46 * 60_000);
  expect(told).toEqual([null, null, null]);
  countdown.follow(null);
  expect(vi.getTimerCount()).toBe(0);
});

test('a wait whose end is moved is counted down anew, once', () => {
  const { told, countdown } = follow(wait(15));
  countdown.follow(wait(35));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(40_000);
  expect(told).toEqual([30, 20, 10]);
});

test('the same wait again changes nothing', () => {
  const one = wait(25);
  const { told, countdown } = follow(one);
  vi.advanceTimersByTime(4_000);
  countdown.follow(one);
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual([20]);
  countdown.close();
});

test('a machine that slept through the wait tells nothing of it', () => {
  const { told } = follow(wait(25));
  vi.setSystemTime(Date.now() + 3_600_000);
  vi.advanceTimersByTime(30_000);
  expect(told).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test('the timer keeps no process alive', () => {
  vi.useRealTimers();
  const { countdown } = follow(wait(10));
  const active = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  countdown.close();
  expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBe(active);
});
