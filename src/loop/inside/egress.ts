import type { Refusal } from '../../adapters/isolation/index.ts';
import type { EventBody } from '../../contracts/index.ts';
import type { Clock } from '../../platform/index.ts';

/** After this many milliseconds the same host is reported again, with the number of attempts since. */
const AGAIN_MS = 30_000;
/** Most hosts tracked separately; an agent that invents names must not fill the loop's memory. */
const MOST = 1_000;

export interface EgressLog {
  /** Never throws. */
  refused(refusal: Refusal): void;
  /** Reports what was counted since, at the end of an iteration. */
  flush(): void;
}

interface Counted {
  readonly refusal: Refusal;
  toldAt: number;
  since: number;
}

/** Turns refused connections into events: the first for a host at once, a flood as a count. */
export function egressLog(emit: (body: EventBody) => void, clock: Clock): EgressLog {
  const seen = new Map<string, Counted>();
  const tell = (counted: Counted) => {
    const { host, port, reason } = counted.refusal;
    const times = counted.since;
    counted.since = 0;
    counted.toldAt = clock.now();
    emit({ type: 'egress-refused', host, port, reason, times });
  };
  return {
    refused(refusal) {
      const key = `${refusal.host}:${refusal.port}`;
      const counted = seen.get(key) ?? { refusal, toldAt: Number.NEGATIVE_INFINITY, since: 0 };
      counted.since += 1;
      if (!seen.has(key)) {
        if (seen.size >= MOST) return;
        seen.set(key, counted);
      }
      if (clock.now() - counted.toldAt >= AGAIN_MS) tell(counted);
    },
    flush() {
      for (const counted of seen.values()) if (counted.since > 0) tell(counted);
      seen.clear();
    },
  };
}
