import type { RalphEvent } from '../../contracts/index.ts';
import { advance, INITIAL_STATE, type LogState, type Paint, renderEvent } from '../terminal/index.ts';
import type { LogLine, LogView } from './scene.ts';

/** Consecutive lines of the event log, as lines for people. */
interface Chunk {
  /** Line of its first event. */
  readonly from: number;
  readonly brief: LogLine[];
  readonly full: LogLine[];
  events: number;
}

const CHUNK = 500;
const MOST_CHUNKS = 60;
/** How many remain when there are more: fewer than the most, so that the view is not rebuilt each time. */
const KEPT_CHUNKS = 30;

type NumberedEvent = readonly [line: number, event: RalphEvent];

/** The log of a run as lines, a bounded number of them. */
export type LogLines = ReturnType<typeof createLogLines>;

/** @param paint decides about colours once: the lines keep them */
export function createLogLines(paint: Paint) {
  let chunks: Chunk[] = [];
  let state = INITIAL_STATE;
  let shown: LogView | null = null;

  return {
    see(event: RalphEvent, line: number): void {
      shown = null;
      let chunk = chunks.at(-1);
      if (chunk === undefined || chunk.events >= CHUNK) {
        chunk = emptyChunk(line);
        chunks.push(chunk);
        if (chunks.length > MOST_CHUNKS) chunks = chunks.slice(-KEPT_CHUNKS);
      }
      state = add(chunk, event, state, paint);
    },
    /** Events right before the first one that is kept. */
    prepend(events: readonly NumberedEvent[]): void {
      const [first] = events;
      if (first === undefined) return;
      shown = null;
      const chunk = emptyChunk(first[0]);
      let before = INITIAL_STATE;
      for (const [, event] of events) before = add(chunk, event, before, paint);
      chunks.unshift(chunk);
    },
    /** Line of the first event that is kept; null while there is none. */
    first: () => chunks[0]?.from ?? null,
    view(): LogView {
      shown ??= {
        brief: chunks.flatMap(({ brief }) => brief),
        full: chunks.flatMap(({ full }) => full),
        hasOlder: (chunks[0]?.from ?? 1) > 1 && chunks.length < MOST_CHUNKS,
      };
      return shown;
    },
  };
}

function emptyChunk(from: number): Chunk {
  return { from, brief: [], full: [], events: 0 };
}

function add(chunk: Chunk, event: RalphEvent, state: LogState, paint: Paint): LogState {
  chunk.events += 1;
  try {
    const brief = linesOf(event, state, paint, false);
    const full = linesOf(event, state, paint, true);
    const after = advance(state, event);
    const { iteration } = event;
    chunk.brief.push(...brief.map((text) => ({ text, iteration })));
    chunk.full.push(...full.map((text) => ({ text, iteration })));
    return after;
  } catch {
    // Logs lie where agents can write: a malformed event has no line, and the others keep theirs.
    return state;
  }
}

function linesOf(event: RalphEvent, state: LogState, paint: Paint, verbose: boolean): readonly string[] {
  const lines = renderEvent(event, state, { paint, verbose, columns: Number.POSITIVE_INFINITY });
  // The second line of a wait says what Ctrl-C does to the run's own log. Here it detaches.
  return event.type === 'wait' ? lines.slice(0, 1) : lines;
}
