import type { Io } from '../terminal/io.ts';
import { paintFor } from '../terminal/paint.ts';
import { pageAgentLog } from './pager.ts';
import { showScreen } from './screen.tsx';
import { openSession, type SessionInput } from './session.ts';

/** How the monitor was left. */
export interface Detached {
  /** The run that was on show last, and whether it goes on. */
  readonly run: string | null;
  readonly live: boolean;
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
      if (left.do === 'detach' || run === null) {
        const { state } = session.scene();
        return { run, live: state === 'running' || state === 'waiting' || state === 'paused' };
      }
      const complaint = await pageAgentLog(root, run, left.iteration, io.env);
      session.say(
        complaint === null
          ? { text: `the output of iteration ${left.iteration} was shown`, bad: false }
          : { text: complaint, bad: true },
      );
    }
  } finally {
    session.close();
  }
}
