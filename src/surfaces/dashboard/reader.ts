import type { ServerResponse } from 'node:http';
import type { RalphEvent } from '../../contracts/index.ts';
import { SSE_BEAT, sseMessage } from './sse.ts';

interface FrameSource {
  readonly lines: () => number;
  /** The next frames from that line on. `next` is at least one further. */
  readonly frames: (line: number) => Promise<Frames>;
}

/** A reader of a run, who takes lines at their own pace: nothing accumulates for a slow one. */
export type Reader = ReturnType<typeof openReader>;

/** A reader that takes nothing for this long is cut off; it may reconnect and continue where it was. */
const STALL_MS = 60_000;

/** @param after the line to begin with */
export function openReader(outgoing: ServerResponse, source: FrameSource, after: number) {
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
        if (!outgoing.write(frames.text)) await drained(outgoing);
      }
    } finally {
      pumping = false;
    }
  }

  const wake = () => void pump().catch(() => outgoing.destroy());

  return {
    /** There may be more lines. Never throws, never waits. */
    wake,
    /** The log was replaced: the reader's lines are void, and it starts over. */
    reset() {
      epoch += 1;
      next = 0;
      // A client that ignores this and reconnects starts over as well.
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
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), STALL_MS);
    timer.unref();
    const done = () => {
      clearTimeout(timer);
      outgoing.off('drain', done).off('close', done);
      resolve();
    };
    outgoing.once('drain', done).once('close', done);
  });
}

/** Lines of a log as text of a stream, and the line to continue from. */
export interface Frames {
  readonly text: string;
  readonly next: number;
}

const KEPT_LENGTH = 2 * 1024 * 1024;
/** Written at once to one reader. */
const BATCH_LENGTH = 256 * 1024;

/** The last events of a log, kept in the form they are sent: all readers share them. */
export function recentFrames() {
  let kept: { readonly line: number; readonly text: string }[] = [];
  let length = 0;
  let from: number | null = null;

  return {
    /** Everything from this line on is here; null while there is nothing. */
    from: () => from,
    add(event: RalphEvent, line: number) {
      from ??= line;
      const text = frameOf(event, line);
      kept.push({ line, text });
      length += text.length;
      if (length <= KEPT_LENGTH) return;
      // Half at once: removing them one by one would move all others each time.
      let gone = 0;
      for (; gone < kept.length - 1 && length > KEPT_LENGTH / 2; gone += 1) length -= kept[gone]?.text.length ?? 0;
      kept = kept.slice(gone);
      from = kept[0]?.line ?? line;
    },
    /** @param line one that is not before `from` */
    after(line: number): Frames {
      const batch: string[] = [];
      let size = 0;
      let next = line;
      for (let at = firstFrom(kept, line); at < kept.length && size < BATCH_LENGTH; at += 1) {
        const frame = kept[at];
        if (frame === undefined) break;
        batch.push(frame.text);
        size += frame.text.length;
        next = frame.line + 1;
      }
      return { text: batch.join(''), next };
    },
    clear() {
      kept = [];
      length = 0;
      from = null;
    },
  };
}

/** The id is the line to continue from: what a browser sends back when it reconnects. */
export function frameOf(event: RalphEvent, line: number): string {
  return sseMessage({ id: String(line + 1), data: JSON.stringify(event) });
}

/** The index of the first frame that is not before the line. */
function firstFrom(frames: readonly { readonly line: number }[], line: number): number {
  let low = 0;
  let high = frames.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((frames[middle]?.line ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
