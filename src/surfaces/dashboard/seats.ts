import type { ServerResponse } from 'node:http';
import { Refused } from './refusal.ts';

/** How many may watch at once. */
export interface Seats {
  /** Takes one until the answer is closed. @throws Refused when none is free */
  readonly take: (outgoing: ServerResponse) => void;
  /** Puts everybody out. */
  readonly clear: () => void;
}

const MOST = 256;
const RETRY_AFTER_S = 10;

export function openSeats(most = MOST): Seats {
  const taken = new Set<ServerResponse>();
  return {
    take(outgoing) {
      if (taken.size >= most) throw new Refused(503, `${most} watch already`, { retryAfter: RETRY_AFTER_S });
      taken.add(outgoing);
      outgoing.once('close', () => taken.delete(outgoing));
    },
    clear() {
      for (const outgoing of taken) outgoing.destroy();
    },
  };
}
