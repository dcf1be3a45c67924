import { isLive } from '../../rules/view/is-live.ts';
import type { Io } from '../terminal/io.ts';
import { paintFor } from '../terminal/paint.ts';
import { pageAgentLog, pageLines } from './pager.ts';
import { showScreen } from './screen.tsx';
import { openSession, type SessionInput } from './session.ts';

/** How the monitor was left. */
export interface Detached {
  /** The run that was on show last, and whether it goes on. */
  readonly run: string | null;
  readonly live: boolean;
  /** By Ctrl-C. */
  readonly interrupted: boolean;
}

/** Shows runs on the terminal of this process until a person detaches or `signal` is aborted. */
export async function showMonitor(
  input: Omit<SessionInput, 'paint'>,
  { io, now, signal }: { readonly io: Io; readonly now: () => number; readonly signal: AbortSignal },
): Promise<Detached> {
  const paint = paintFor(io);
  const session = await openSession({ ...input, paint });
  try {
    for (;;) {
      const left = await showScreen(session, paint, now, signal);
      const { root, run } = session.place();
      if (left.do !== 'agent-log' || run === null) {
        const { state } = session.scene();
        const { view } = session.scene();
        // That it has ended is in the log before the next look at its state.
        const live = !view?.ended && isLive(state);
        return { run, live, interrupted: left.do === 'interrupt' };
      }
      const lines = left.raw ? null : await session.transcript(left.iteration);
      const complaint =
        lines === null ? await pageAgentLog(root, run, left.iteration, io.env) : await pageLines(lines, root, io.env);
      if (complaint !== null) session.say({ text: complaint, bad: true });
    }
  } finally {
    session.close();
  }
}
