import { ExitCode, type StopReason } from '../../contracts/index.ts';

/**
 * Runs a task with this process's signals: the first SIGINT or SIGTERM ends it gracefully, the second ends the process
 * at once; the next start recovers what that leaves.
 */
export async function withSignals<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const onSignal = (reason: StopReason, code: number) => () => {
    if (stop.signal.aborted) process.exit(code);
    stop.abort(reason);
  };
  const onInterrupt = onSignal('interrupted', ExitCode.interrupted);
  const onTerminate = onSignal('terminated', ExitCode.terminated);
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate).on('SIGHUP', onTerminate);
  try {
    return await task(stop.signal);
  } finally {
    process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate).off('SIGHUP', onTerminate);
  }
}
