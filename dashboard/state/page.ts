import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { getJson } from '../api.ts';

/** Epoch ms, advanced once a second while the page is visible: running clocks read it. */
export const now = signal(Date.now());

export function startClock(): void {
  const tick = () => {
    if (!document.hidden) now.value = Date.now();
  };
  setInterval(tick, 1000);
  document.addEventListener('visibilitychange', tick);
}

/** The next announcement of a screen reader: changes of state, not every event. */
export const announcement = signal('');

export function announce(text: string): void {
  announcement.value = text;
}

/** What the server answers; null until then. Asked again when the address changes, or what the answer depends on. */
export function useJson<T>(address: string, dependsOn = ''): T | Error | null {
  const [answer, setAnswer] = useState<{ readonly address: string; readonly value: T | Error } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answer depends on it.
  useEffect(() => {
    const stop = new AbortController();
    const take = (value: T | Error) => setAnswer({ address, value });
    getJson<T>(address, stop.signal).then(take, (error) => {
      if (!stop.signal.aborted) take(error instanceof Error ? error : new Error(String(error)));
    });
    return () => stop.abort();
  }, [address, dependsOn]);
  return answer?.address === address ? answer.value : null;
}
