import type { Command, Isolation, Mount } from '../../adapters/isolation/index.ts';
import { childExit, startChild } from '../../platform/index.ts';

/** Exit codes of programs ended by a signal, as shells report them. */
const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGKILL: 137, SIGTERM: 143 };

const ENDING = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * Calls `work` with an abort signal that fires, with the signal's name as reason, when this process is asked to end:
 * the sandbox's resources have to be removed first, and a container outlives the process that started it. A second
 * request ends at once.
 */
export async function untilInterrupted<T>(work: (asked: AbortSignal) => Promise<T>): Promise<T> {
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
 * Runs a command inside with this process's terminal, until it ends or `asked` is aborted.
 * @returns its exit code, or that of the signal that was the reason; no process of it is left then
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
