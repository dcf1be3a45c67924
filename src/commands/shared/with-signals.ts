import { ExitCode, type ExitCodeValue } from '../../contracts/index.ts';

/**
 * Runs a task with this process's signals: the first SIGINT or SIGTERM ends it gracefully, the second ends the process
 * at once; the next start recovers what that leaves.
 * @param tell says what the signal does, before that happens
 */
export async function withSignals<T>(
  task: (signal: AbortSignal) => Promise<T>,
  tell: (isSecond: boolean) => void = () => undefined,
): Promise<T> {
  const stop = new AbortController();
  const stopListening = onSignals((reason, code) => {
    tell(stop.signal.aborted);
    if (stop.signal.aborted) process.exit(code);
    stop.abort(reason);
  });
  try {
    return await task(stop.signal);
  } finally {
    stopListening();
  }
}

/** Listens to the signals that ask this process to end. @returns what stops that */
export function onSignals(
  listener: (reason: 'interrupted' | 'terminated', exitCode: ExitCodeValue) => void,
): () => void {
  const onInterrupt = () => listener('interrupted', ExitCode.interrupted);
  const onTerminate = () => listener('terminated', ExitCode.terminated);
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate).on('SIGHUP', onTerminate);
  return () => void process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate).off('SIGHUP', onTerminate);
}
