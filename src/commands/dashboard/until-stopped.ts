/**
 * Resolves at the first signal that asks to end, or, beside another process, when standard input ends: that happens
 * whatever way its other end dies.
 */
export function untilStopped(beside: boolean): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of signals) process.off(signal, stop);
      process.stdin.destroy();
      resolve();
    };
    for (const signal of signals) process.on(signal, stop);
    if (beside) process.stdin.once('end', stop).once('error', stop).resume();
  });
}
