import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { RunView } from '../../src/rules/view/index.ts';
import type { Moment, ReadLines } from '../transcript/pages.ts';
import { HEADLINES } from '../transcript/say.ts';
import { momentAt, openTape } from './tape.ts';

/** Longer logs are replayed by their headlines: the transcript itself reads what agents say in between. */
const WHOLE_LINES = 20_000;
const PAGE = 1000;
/** A search for a place in the transcript needs some twenty requests. */
const SEARCH_EVERY_MS = 400;

/** A run as it was at the chosen moment. */
export interface ReplaySource {
  readonly view: ReadonlySignal<RunView>;
  readonly at: ReadonlySignal<number>;
  /** The same, as a place in the log. */
  readonly moment: ReadonlySignal<Moment>;
  /** Up to when the log was read, in epoch ms: later moments wait for it. */
  readonly readUntil: ReadonlySignal<number>;
  readonly failed: ReadonlySignal<string | null>;
  seek(at: number): void;
  close(): void;
}

/**
 * Opens a run at its beginning and reads ahead, in the background.
 * @param lines of the log
 */
export function openReplay(run: string, read: ReadLines, whole: RunView, lines: number): ReplaySource {
  const tape = openTape(run);
  const start = whole.startedAt ?? whole.iterations[0]?.startedAt ?? whole.lastEventAt;
  const at = signal(start);
  const view = signal(tape.viewAt(0));
  const moment = signal<Moment>({ line: 0, at: start });
  const readUntil = signal(0);
  const failed = signal<string | null>(null);
  const stop = new AbortController();
  let searching = false;
  let lastSearch = 0;

  const types = lines > WHOLE_LINES ? { types: HEADLINES.join(',') } : {};

  async function readAhead(): Promise<void> {
    let from: number | null = 0;
    while (from !== null && !stop.signal.aborted) {
      const page = await read({ from, count: PAGE, ...types }, stop.signal);
      tape.add(page.events);
      readUntil.value = page.next === null ? Number.POSITIVE_INFINITY : tape.end();
      show();
      from = page.next;
    }
  }

  function show(): void {
    const time = at.peek();
    const near = tape.linesAt(time);
    batch(() => {
      view.value = tape.viewAt(time);
      if (types.types === undefined) moment.value = { line: near.to ?? near.from + 1, at: time };
    });
    if (types.types !== undefined) void search();
  }

  /** One search at a time; it ends at the last requested moment. */
  async function search(): Promise<void> {
    if (searching) return;
    searching = true;
    try {
      await new Promise((done) => setTimeout(done, lastSearch + SEARCH_EVERY_MS - Date.now()));
      let time = Number.NaN;
      while (time !== at.peek() && !stop.signal.aborted) {
        time = at.peek();
        const { from, to } = tape.linesAt(time);
        // An agent may have written a million lines after the last headline.
        moment.value = await momentAt({ from, to: to ?? lines }, time, timeOf);
        lastSearch = Date.now();
      }
    } catch (error) {
      fail(error);
    } finally {
      searching = false;
    }
  }

  async function timeOf(line: number): Promise<number | null> {
    const [entry] = (await read({ from: line, count: 1 }, stop.signal)).events;
    return entry === undefined ? null : Date.parse(entry[1].ts);
  }

  function fail(error: unknown): void {
    if (!stop.signal.aborted) failed.value = error instanceof Error ? error.message : String(error);
  }

  readAhead().catch(fail);
  return {
    view,
    at,
    moment,
    readUntil,
    failed,
    seek(time) {
      at.value = time;
      show();
    },
    close: () => stop.abort(),
  };
}

export const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] as const;

/** Interval of view updates during play, in ms: people do not read faster. */
const STEP_MS = 50;

export interface Player {
  readonly playing: ReadonlySignal<boolean>;
  readonly speed: Signal<number>;
  play(): void;
  pause(): void;
  toggle(): void;
  /** Goes to a moment between start and end, in epoch ms. */
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
    // Unread events cannot be shown: time stands still meanwhile.
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
