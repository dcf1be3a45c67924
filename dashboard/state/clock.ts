import { signal } from '@preact/signals';

/** Epoch ms, moved on once a second while the page is seen: what counts up reads it. */
export const now = signal(Date.now());

/** Starts the clock. */
export function startClock(): void {
  const tick = () => {
    if (!document.hidden) now.value = Date.now();
  };
  setInterval(tick, 1000);
  document.addEventListener('visibilitychange', tick);
}
