import { type EventFile, followEventFile, openEventFile } from '../../adapters/workspace/index.ts';
import type { RalphEvent } from '../../contracts/index.ts';
import { foldRun, type RunFold, type RunView } from '../../rules/view/index.ts';
import { advance, INITIAL_STATE, type LogState, type Paint, renderEvent } from '../terminal/index.ts';
import type { LogLine, LogView } from './scene.ts';

/** Number of events whose lines are loaded first: the rest is loaded on demand. */
const FIRST_EVENTS = 3000;
const OLDER_EVENTS = 2000;

/** A run whose log is followed. */
export interface Attached {
  readonly run: string;
  /** null until the log was read once. */
  view(): RunView | null;
  log(): LogView;
  events(from: number, to: number): Promise<readonly RalphEvent[]>;
  older(): Promise<void>;
  close(): void;
}

/**
 * Reads the log of a run and follows it, whether or not a process writes to it. The run does not notice.
 * @throws StateError when the log is of a later version
 */
export async function attach(
  root: string,
  run: string,
  paint: Paint,
  tell: { readonly changed: () => void; readonly trouble: (error: unknown) => void },
): Promise<Attached> {
  const file = await openEventFile(root, run);
  let fold = foldRun(run);
  let lines = createLogLines(paint);
  let isRead = false;

  const see = (event: RalphEvent, line: number) => {
    fold.see(event, line);
    lines.see(event, line);
  };
  async function readWhole(): Promise<void> {
    fold = foldRun(run);
    lines = createLogLines(paint);
    // What agents did long ago is most of a log, and nothing on the screen needs it.
    while ((await file.advance((event, line) => fold.see(event, line), { headlines: true })) === 'replaced')
      fold = foldRun(run);
    await readEnd(file, fold, lines);
    isRead = true;
  }
  async function look(): Promise<void> {
    const outcome = isRead ? await file.advance(see) : 'replaced';
    if (outcome === 'replaced') await readWhole();
    if (outcome !== 'same') tell.changed();
  }
  await look();
  const follower = followEventFile(file, () => look().catch(tell.trouble));

  return {
    run,
    view: () => (isRead ? fold.view() : null),
    log: () => lines.view(),
    events: async (from, to) => (await file.read(from, to - from)).map(([, event]) => event),
    async older() {
      const first = lines.first();
      if (first === null || !lines.view().hasOlder) return;
      const from = Math.max(1, first - OLDER_EVENTS);
      lines.prepend(await file.read(from, first - from));
      tell.changed();
    },
    close() {
      follower.close();
      file.close();
    },
  };
}

/** The end of the log with everything agents did, for its lines and for the current activity of the agent. */
async function readEnd(file: EventFile, fold: RunFold, lines: LogLines): Promise<void> {
  const from = Math.max(1, file.lines() - FIRST_EVENTS);
  const events = await file.read(from, file.lines() - from);
  const { phase, agentSince } = fold.now();
  const atWork = phase === 'agent' ? agentSince : null;
  for (const [line, event] of events) {
    lines.see(event, line);
    if (event.type === 'agent' && atWork !== null && Date.parse(event.ts) >= atWork) fold.see(event, line);
  }
}

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
interface LogLines {
  see(event: RalphEvent, line: number): void;
  /** Events right before the first one that is kept. */
  prepend(events: readonly NumberedEvent[]): void;
  /** Line of the first event that is kept; null while there is none. */
  first(): number | null;
  view(): LogView;
}

/** @param paint decides about colours once: the lines keep them */
export function createLogLines(paint: Paint): LogLines {
  let chunks: Chunk[] = [];
  let state = INITIAL_STATE;
  let shown: LogView | null = null;

  return {
    see(event, line) {
      shown = null;
      let chunk = chunks.at(-1);
      if (chunk === undefined || chunk.events >= CHUNK) {
        chunk = emptyChunk(line);
        chunks.push(chunk);
        if (chunks.length > MOST_CHUNKS) chunks = chunks.slice(-KEPT_CHUNKS);
      }
      state = add(chunk, event, state, paint);
    },
    prepend(events) {
      const [first] = events;
      if (first === undefined) return;
      shown = null;
      const chunk = emptyChunk(first[0]);
      let before = INITIAL_STATE;
      for (const [, event] of events) before = add(chunk, event, before, paint);
      chunks.unshift(chunk);
    },
    first: () => chunks[0]?.from ?? null,
    view() {
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
