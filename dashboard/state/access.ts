import { signal } from '@preact/signals';

/** Whether the server does not know this browser (any more): nothing is heard or steered until it is let in again. */
export const shutOut = signal(false);
