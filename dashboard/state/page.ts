import { signal } from '@preact/signals';

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
