import { noIsolation } from './none.ts';
import type { Isolation } from './port.ts';

/** The isolation for a run. */
export function chooseIsolation(): Isolation {
  return noIsolation();
}
