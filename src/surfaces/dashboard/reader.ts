import type { ServerResponse } from 'node:http';
import { SSE_BEAT, sseMessage } from '../server/sse.ts';
import type { Frames } from './frames.ts';

/** Where a reader takes lines from. */
export interface FrameSource {
  /** Lines that there are. */
  readonly lines: () => number;
  /** The next ones from that line on. `next` is at least one further. */
  readonly frames: (line: number) => Promise<Frames>;
}

/** Somebody who watches a run. It takes lines at its own pace: nothing piles up for one who is slow. */
export interface Reader {
  /** There may be more. Never throws, never waits. */
  readonly wake: () => void;
  /** The log was replaced: what the reader has is void, and it begins again. */
  readonly reset: () => void;
  readonly beat: () => void;
  readonly end: () => void;
}

/** One who takes nothing for so long is cut off; it may come back and go on where it was. */
const STALL_MS = 60_000;

/** @param after the line to begin with */
export function openReader(outgoing: ServerResponse, source: FrameSource, after: number, stallMs = STALL_MS): Reader {
  let next = after;
  let epoch = 0;
  let pumping = false;

  async function pump(): Promise<void> {
    if (pumping) return;
    pumping = true;
    try {
      while (!outgoing.destroyed && next < source.lines()) {
        const asked = epoch;
        const frames = await source.frames(next);
        if (asked !== epoch) continue;
        next = frames.next;
        if (!outgoing.write(frames.text)) await drained(outgoing, stallMs);
      }
    } finally {
      pumping = false;
    }
  }

  const wake = () => void pump().catch(() => outgoing.destroy());

  return {
    wake,
    reset() {
      epoch += 1;
      next = 0;
      // Whoever comes back without minding it begins again as well.
      outgoing.write(sseMessage({ id: '0', event: 'reset', data: '{}' }));
      wake();
    },
    beat() {
      if (!outgoing.writableNeedDrain) outgoing.write(SSE_BEAT);
    },
    end: () => void outgoing.destroy(),
  };
}

/** Waits until a reader took what was written; one that does not is cut off. */
function drained(outgoing: ServerResponse, stallMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), stallMs);
    timer.unref();
    const done = () => {
      clearTimeout(timer);
      outgoing.off('drain', done).off('close', done);
      resolve();
    };
    outgoing.once('drain', done).once('close', done);
  });
}
