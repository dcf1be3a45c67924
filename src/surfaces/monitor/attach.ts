import { type EventFile, openEventFile } from '../../adapters/workspace/events/event-file.ts';
import { followEventFile } from '../../adapters/workspace/events/follow-event-file.ts';
import type { RalphEvent } from '../../contracts/events.ts';
import { hasShape } from '../../rules/view/event-shape.ts';
import { foldRun, type RunFold } from '../../rules/view/fold.ts';
import type { RunView } from '../../rules/view/model.ts';
import type { Paint } from '../terminal/paint.ts';
import { createLogLines, type LogLines } from './log-lines.ts';
import type { LogView } from './scene.ts';

/** Events of whose lines the log begins with: the rest is loaded when somebody looks for it. */
const FIRST_EVENTS = 3000;
const OLDER_EVENTS = 2000;

/** Who wants to know of a run. */
export interface Told {
  /** Events were seen. */
  readonly changed: () => void;
  /** The log cannot be read any more. */
  readonly trouble: (error: unknown) => void;
}

/** A run whose log is followed. */
export interface Attached {
  readonly run: string;
  /** null until the log was read once. */
  view(): RunView | null;
  log(): LogView;
  /** What the agent that was started last may take without a sign of life; null while nobody told. */
  idleTimeoutMs(): number | null;
  /** All events of the log between two lines, the second one not included. */
  events(from: number, to: number): Promise<readonly RalphEvent[]>;
  /** Loads older lines, if there are any. */
  older(): Promise<void>;
  close(): void;
}

/**
 * Reads the log of a run and follows it, whoever writes it and whether or not somebody does. The run knows nothing of it.
 * @throws StateError when the log is of a later version
 */
export async function attach(root: string, run: string, paint: Paint, tell: Told): Promise<Attached> {
  const file = await openEventFile(root, run);
  let fold = foldRun(run);
  let lines = createLogLines(paint);
  let isRead = false;
  let idleTimeoutMs: number | null = null;

  const seeFold = (event: RalphEvent, line: number) => {
    fold.see(event, line);
    // The model of the run does not keep it: it is of the process, and nobody else asks.
    if (event.type === 'agent-start' && hasShape(event)) idleTimeoutMs = event.idleTimeoutMs ?? null;
  };
  const see = (event: RalphEvent, line: number) => {
    seeFold(event, line);
    lines.see(event, line);
  };
  async function readWhole(): Promise<void> {
    fold = foldRun(run);
    lines = createLogLines(paint);
    // What agents did long ago is many times as much as all the rest, and nothing on the screen needs it.
    while ((await file.advance(seeFold, { headlines: true })) === 'replaced') fold = foldRun(run);
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
    idleTimeoutMs: () => idleTimeoutMs,
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

/** The end of the log with everything agents did, for its lines; and for what the agent at work is doing. */
async function readEnd(file: EventFile, fold: RunFold, lines: LogLines): Promise<void> {
  const from = Math.max(1, file.lines() - FIRST_EVENTS);
  const events = await file.read(from, file.lines() - from);
  const atWork = fold.view().now.phase === 'agent' ? fold.view().now.agentSince : null;
  for (const [line, event] of events) {
    lines.see(event, line);
    if (event.type === 'agent' && atWork !== null && Date.parse(event.ts) >= atWork) fold.see(event, line);
  }
}
