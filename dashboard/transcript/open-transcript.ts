import { type ReadonlySignal, signal } from '@preact/signals';
import { type Moment, type ReadLines, readEnough } from './pages.ts';
import { append, HELD, lineBefore, NOTHING, prepend, type Window } from './window.ts';

/** Events per request. */
const PAGE = 80;

/** The reader's choice of what to see. */
interface Choice {
  readonly iteration: number | null;
  readonly types: string;
}

/** A part of the log in view, and the ways to move in it. Every move replaces the previous one. */
export interface TranscriptWindow {
  readonly window: ReadonlySignal<Window>;
  /** The line that the reader was brought to; the page scrolls there when it changes. */
  readonly target: ReadonlySignal<{ readonly line: number; readonly at: 'line' | 'start' | 'end' } | null>;
  readonly busy: ReadonlySignal<boolean>;
  readonly failed: ReadonlySignal<string | null>;
  /** Lines that the log has, as far as is known. */
  readonly total: ReadonlySignal<number>;
  toEnd(): Promise<void>;
  toStart(): Promise<void>;
  toLine(line: number): Promise<void>;
  /** Reads on in the direction in which the reader scrolls. */
  more(direction: 'before' | 'after'): Promise<void>;
  /** The log has this many lines now; `follow` loads the new ones. */
  grown(lines: number, follow: boolean): Promise<void>;
  /** The next line with these words, after the given one; brings the reader there. @returns null when there is none */
  find(words: string, from: number, backwards: boolean): Promise<number | null>;
  again(): Promise<void>;
  close(): void;
}

/** @param until no event after this moment is shown; null: the log to its end */
export function openTranscript(read: ReadLines, choice: Choice, until: () => Moment | null): TranscriptWindow {
  const window = signal<Window>(NOTHING);
  const target = signal<{ readonly line: number; readonly at: 'line' | 'start' | 'end' } | null>(null);
  const busy = signal(false);
  const failed = signal<string | null>(null);
  const total = signal(0);
  let moving = new AbortController();
  let last: (stop: AbortSignal) => Promise<void> = loadEnd;
  /** Loads the lines that arrived during a move: a log that has ended does not grow again. */
  let afterwards: (() => Promise<void>) | null = null;

  const filter = { types: choice.types, ...(choice.iteration === null ? {} : { iteration: choice.iteration }) };

  function backwards(from: number | null, count: number, stop: AbortSignal) {
    return readEnough(read, { ...filter, backwards: true, count, ...(from === null ? {} : { from }) }, stop);
  }

  function forwards(from: number, count: number, stop: AbortSignal) {
    return readEnough(read, { ...filter, from, count }, stop);
  }

  /** One move; cancels the current one. */
  async function move(work: (stop: AbortSignal) => Promise<void>): Promise<void> {
    moving.abort();
    const mine = new AbortController();
    moving = mine;
    last = work;
    busy.value = true;
    try {
      await work(mine.signal);
      if (!mine.signal.aborted) failed.value = null;
    } catch (error) {
      if (!mine.signal.aborted) failed.value = error instanceof Error ? error.message : String(error);
    } finally {
      if (moving === mine) {
        busy.value = false;
        const grow = afterwards;
        afterwards = null;
        await grow?.();
      }
    }
  }

  function learn(lines: number): void {
    if (lines > total.value) total.value = lines;
  }

  async function loadEnd(stop: AbortSignal): Promise<void> {
    const known = until()?.line ?? total.value;
    const page = await backwards(null, PAGE, stop);
    if (stop.aborted) return;
    const after = Math.max((page.events.at(-1)?.[0] ?? -1) + 1, known);
    window.value = append(NOTHING, page.events, false, after);
    window.value = { ...window.value, moreBefore: page.next !== null };
    learn(after);
    target.value = { line: after, at: 'end' };
  }

  async function loadAround(line: number, stop: AbortSignal): Promise<void> {
    const [before, after] = await Promise.all([
      line > 0 ? backwards(line, PAGE / 4, stop) : { events: [], next: null },
      forwards(line, PAGE, stop),
    ]);
    if (stop.aborted) return;
    const held = append(NOTHING, after.events, after.next !== null, Math.max(line, after.next ?? total.value));
    window.value = prepend(held, before.events, before.next !== null);
    learn(held.after);
  }

  async function grown(lines: number, follow: boolean): Promise<void> {
    learn(lines);
    const held = window.value;
    if (busy.value) {
      afterwards = () => grown(lines, follow);
      return;
    }
    if (!follow) {
      if (!held.moreAfter && lines > held.after) window.value = { ...held, moreAfter: true };
      return;
    }
    await move(async (stop) => {
      // Too far behind to read all of it: the reader wants to see the end.
      if (lines - held.after > HELD) return loadEnd(stop);
      for (let now = held, next: number | null = held.after; next !== null; ) {
        const page = await forwards(next, PAGE, stop);
        if (stop.aborted) return;
        next = page.next;
        now = append(now, page.events, next !== null, next ?? lines);
        if (page.events.length > 0) window.value = now;
      }
    });
  }

  return {
    window,
    target,
    busy,
    failed,
    total,
    grown,
    toEnd: () => move(loadEnd),
    toStart: () =>
      move(async (stop) => {
        await loadAround(0, stop);
        if (!stop.aborted) target.value = { line: 0, at: 'start' };
      }),
    toLine: (line) =>
      move(async (stop) => {
        await loadAround(line, stop);
        if (!stop.aborted) target.value = { line, at: 'line' };
      }),
    async more(direction) {
      const held = window.value;
      if (busy.value || (direction === 'before' ? !held.moreBefore : !held.moreAfter)) return;
      await move(async (stop) => {
        const page =
          direction === 'before'
            ? await backwards(lineBefore(held), PAGE, stop)
            : await forwards(held.after, PAGE, stop);
        if (stop.aborted) return;
        window.value =
          direction === 'before'
            ? prepend(held, page.events, page.next !== null)
            : append(held, page.events, page.next !== null, page.next ?? total.value);
      });
    },
    async find(words, from, back) {
      let hit: number | null = null;
      await move(async (stop) => {
        const query = { ...filter, q: words, count: 1, from };
        const page = await readEnough(read, back ? { ...query, backwards: true } : query, stop);
        const found = page.events[0]?.[0];
        if (stop.aborted || found === undefined) return;
        hit = found;
        await loadAround(found, stop);
        if (!stop.aborted) target.value = { line: found, at: 'line' };
      });
      return hit;
    },
    again: () => move(last),
    close: () => {
      afterwards = null;
      moving.abort();
    },
  };
}
