import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ReplaySource } from './replay-source.ts';

export const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] as const;

/** The view follows so often while it plays: nobody reads faster, in ms. */
const STEP_MS = 50;

/** Moves a replay through time. */
export interface Player {
  readonly playing: ReadonlySignal<boolean>;
  readonly speed: Signal<number>;
  play(): void;
  pause(): void;
  toggle(): void;
  /** To a moment between start and end, in epoch ms. */
  seek(at: number): void;
  close(): void;
}

export function openPlayer(source: ReplaySource, start: number, end: number): Player {
  const playing = signal(false);
  const speed = signal(speedFor(end - start));
  let frame = 0;
  let last = 0;

  const seek = (at: number) => source.seek(Math.min(end, Math.max(start, at)));

  function step(now: number): void {
    frame = requestAnimationFrame(step);
    const passed = now - last;
    if (passed < STEP_MS) return;
    last = now;
    const next = source.at.peek() + Math.min(passed, 1000) * speed.peek();
    // What was not read yet cannot be shown: time stands still meanwhile.
    if (next > source.readUntil.peek()) return;
    seek(next);
    if (next >= end) pause();
  }

  function play(): void {
    if (playing.peek()) return;
    if (source.at.peek() >= end) seek(start);
    playing.value = true;
    last = performance.now();
    frame = requestAnimationFrame(step);
  }

  function pause(): void {
    playing.value = false;
    cancelAnimationFrame(frame);
  }

  return {
    playing,
    speed,
    play,
    pause,
    toggle: () => (playing.peek() ? pause() : play()),
    seek,
    close: pause,
  };
}

/** The speed at which a run takes about a minute. */
function speedFor(durationMs: number): number {
  return SPEEDS.find((speed) => durationMs / speed <= 60_000) ?? 1000;
}
