import { signal } from '@preact/signals';

/** What a screen reader says next: changes of state, not every event. */
export const announcement = signal('');

/** Says it politely. */
export function announce(text: string): void {
  announcement.value = text;
}
