import { type EventFile, followEventFile, openEventFile } from '../../adapters/workspace/index.ts';
import type { RalphEvent } from '../../contracts/index.ts';
import { foldRun, type RunFold } from '../../rules/view/index.ts';
import type { Paint } from '../terminal/index.ts';
import { createLogLines, type LogLines } from './log-lines.ts';

/** Number of events whose lines are loaded first: the rest is loaded on demand. */
const FIRST_EVENTS = 3000;
const OLDER_EVENTS = 2000;

/** A run whose log is followed. */
export type Attached = Awaited<ReturnType<typeof attach>>;

/**
 * Reads the log of a run and follows it, whether or not a process writes to it. The run does not notice.
 * @throws StateError when the log is of a later version
 */
export async function attach(
  root: string,
  run: string,
  paint: Paint,
  tell: { readonly changed: () => void; readonly trouble: (error: unknown) => void },
) {
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
    /** null until the log was read once. */
    view: () => (isRead ? fold.view() : null),
    log: () => lines.view(),
    events: async (from: number, to: number) => (await file.read(from, to - from)).map(([, event]) => event),
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
