import type { RalphEvent } from '../../contracts/events.ts';
import { sseMessage } from '../server/sse.ts';

/** Lines of a log as text of a stream, and the line to go on from. */
export interface Frames {
  readonly text: string;
  readonly next: number;
}

/** The last events of a log, kept as they are sent: everybody who watches takes the same ones. */
export interface RecentFrames {
  /** Everything from this line on is here; null while nothing is. */
  readonly from: () => number | null;
  readonly add: (event: RalphEvent, line: number) => void;
  /** @param line one that is not before `from` */
  readonly after: (line: number) => Frames;
  readonly clear: () => void;
}

const KEPT_LENGTH = 2 * 1024 * 1024;
/** Written at once to one reader. */
const BATCH_LENGTH = 256 * 1024;

export function recentFrames(keptLength = KEPT_LENGTH, batchLength = BATCH_LENGTH): RecentFrames {
  let kept: { readonly line: number; readonly text: string }[] = [];
  let length = 0;
  let from: number | null = null;

  return {
    from: () => from,
    add(event, line) {
      from ??= line;
      const text = frameOf(event, line);
      kept.push({ line, text });
      length += text.length;
      if (length <= keptLength) return;
      // Half at once: taking them off one by one would move all others each time.
      let gone = 0;
      for (; gone < kept.length - 1 && length > keptLength / 2; gone += 1) length -= kept[gone]?.text.length ?? 0;
      kept = kept.slice(gone);
      from = kept[0]?.line ?? line;
    },
    after(line) {
      const batch: string[] = [];
      let size = 0;
      let next = line;
      for (let at = firstFrom(kept, line); at < kept.length && size < batchLength; at += 1) {
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

/** The id is the line to go on from: what a browser sends back after a break. */
export function frameOf(event: RalphEvent, line: number): string {
  return sseMessage({ id: String(line + 1), data: JSON.stringify(event) });
}

/** Where the first frame is that is not before the line. */
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
