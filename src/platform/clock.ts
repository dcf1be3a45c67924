/** Time as a parameter, so that code that waits can be tested without waiting. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or as soon as `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * A signal that aborts with the first of some others, and with its reason. Unlike `AbortSignal.any` it leaves nothing on
 * signals that outlive it, once it is told to `forget` them.
 */
export function followSignals(...sources: readonly AbortSignal[]) {
  const own = new AbortController();
  const follow = ({ target }: Pick<Event, 'target'>) => own.abort((target as AbortSignal).reason);
  for (const source of sources) {
    if (source.aborted) follow({ target: source });
    source.addEventListener('abort', follow);
  }
  return {
    signal: own.signal,
    abort: (reason: string) => own.abort(reason),
    forget: () => {
      for (const source of sources) source.removeEventListener('abort', follow);
    },
  };
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal?.addEventListener('abort', finish);
    }),
};

/** The promise's result, or false when it takes too long. */
export async function within(ms: number, promise: Promise<boolean>): Promise<boolean> {
  const end = new AbortController();
  try {
    return await Promise.race([promise, systemClock.sleep(ms, end.signal).then(() => false)]);
  } finally {
    end.abort();
  }
}
