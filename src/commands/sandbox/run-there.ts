import type { Command, Isolation, Mount } from '../../adapters/isolation/port.ts';
import { childExit } from '../../platform/process/child-exit.ts';
import { startChild } from '../../platform/process/start-child.ts';

/** Exit codes of programs that a signal ended, as shells have them. */
const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGKILL: 137, SIGTERM: 143 };

/** What ends a shell from outside. */
const ENDING = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * Calls `work` with a signal that is aborted, its reason the name, when this process is asked to end: what was made
 * for a sandbox has to be taken away first, and a container outlives whoever started it. Asked again it ends at once.
 */
export async function untilAsked<T>(work: (asked: AbortSignal) => Promise<T>): Promise<T> {
  const asked = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked.signal.aborted) process.exit(exitCodeOf(signal));
    asked.abort(signal);
  };
  for (const signal of ENDING) process.on(signal, onSignal);
  try {
    return await work(asked.signal);
  } finally {
    for (const signal of ENDING) process.off(signal, onSignal);
  }
}

/**
 * Runs a command inside with the terminal of this process, to its end or until `asked` is aborted.
 * @returns its exit code, or that of the signal that was the reason; nothing of it is left then
 */
export async function runThere(
  isolation: Isolation,
  command: Command,
  mounts: readonly Mount[],
  asked: AbortSignal,
): Promise<number> {
  const wrapped = await isolation.wrap({ ...command, mounts });
  try {
    if (asked.aborted) return exitCodeOf(asked.reason);
    const { file, args, cwd, env } = wrapped;
    const child = await startChild(file, args, { cwd, env: { ...env }, stdio: 'inherit' });
    const ended = childExit(child);
    // Not SIGTERM: the outermost process of a sandbox ignores that, for the sake of those inside.
    const end = () => void child.kill('SIGKILL');
    asked.addEventListener('abort', end);
    if (asked.aborted) end();
    const { exitCode, signal } = await ended;
    if (asked.aborted) return exitCodeOf(asked.reason);
    return exitCode ?? exitCodeOf(signal);
  } finally {
    await wrapped.end();
  }
}

function exitCodeOf(signal: string | null): number {
  return SIGNALS[signal ?? ''] ?? 1;
}
