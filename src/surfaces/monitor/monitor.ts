import { agentLogPath } from '../../adapters/workspace/index.ts';
import type { Env } from '../../contracts/index.ts';
import { childExit, findProgram, readInside, startChild } from '../../platform/index.ts';
import { safeLines } from '../../rules/text/index.ts';
import { isLive } from '../../rules/view/index.ts';
import { type Io, paintFor } from '../terminal/index.ts';
import { showScreen } from './screen.tsx';
import { openSession, type SessionInput } from './session.ts';

interface Detached {
  /** The run shown last, and whether it is live. */
  readonly run: string | null;
  readonly live: boolean;
  readonly interrupted: boolean;
}

/** Shows runs on the terminal of this process until the user detaches or `signal` is aborted. */
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
        const { state, view } = session.scene();
        // The log shows its end before the next look at its state.
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

/** More than this is not read in a pager. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Shows everything the agent of an iteration printed in the user's pager, without what could control the terminal. The
 * pager reads its standard input: it needs no file, and none can be swapped under it.
 * @returns what went wrong, in words; null when it was shown
 */
async function pageAgentLog(root: string, run: string, iteration: number, env: Env): Promise<string | null> {
  const path = agentLogPath(run, iteration);
  const found = await readInside(root, path, MOST_BYTES);
  if (found.bytes === null)
    return `${path} ${found.why ?? 'is not there: the agent printed nothing, or old runs were removed'}`;
  return pageLines(safeLines(found.bytes.toString('utf8')), root, env);
}

/**
 * Shows lines, which must be safe, in the user's pager.
 * @returns what went wrong, in words; null when they were shown
 */
async function pageLines(lines: readonly string[], root: string, env: Env): Promise<string | null> {
  const [file, ...args] = pagerCommand(env);
  if (file === undefined) return 'no pager was found: set PAGER';
  const child = await startChild(file, args, { cwd: root, env: { ...env }, stdio: ['pipe', 'inherit', 'inherit'] });
  // A pager that is left before its end closes its input: that is not an error.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(`${lines.join('\n')}\n`);
  const { exitCode } = await childExit(child);
  return exitCode === 127 ? `the pager cannot be started: ${env['PAGER']}` : null;
}

/** `PAGER` is a command line for the shell, as for man and git. */
function pagerCommand(env: Env): readonly string[] {
  const named = env['PAGER'];
  if (named) return ['sh', '-c', named];
  const found = ['less', 'more'].map((name) => findProgram(name, env['PATH'])).find((path) => path !== null);
  return found === undefined ? [] : [found];
}
