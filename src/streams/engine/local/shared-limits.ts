import type { SharedLimits, TurnReport, TurnUse } from '../../../contracts/streams.ts';
import type { Rate } from '../../../rules/safeguards/api.ts';
import { rateOf } from '../../../rules/safeguards/rate.ts';
import type { Turn } from '../port.ts';

const HOUR_MS = 3_600_000;
/** How old what others used may be: it is read from the ledgers of all work trees. */
const REFRESH_MS = 5_000;

/** The limits that streams share, and what is used of them. */
export interface LimitsDesk {
  /** Looks at what others used, now and then. */
  refresh(): Promise<void>;
  /** @param underWay epoch ms of the turns that were begun and have not told yet what they started */
  rate(underWay: readonly number[]): Rate | null;
  left(): Turn['left'];
  /** Epoch ms until when nobody may start; null: no such limit. */
  heldUntil(): number | null;
  add(stream: string, report: TurnReport): void;
  /** What a stream told for all does not hold any more. */
  lift(stream: string): void;
}

export function limitsDesk(limits: SharedLimits, usedBefore: () => Promise<TurnUse>, now: () => number): LimitsDesk {
  let others: TurnUse = { costUsd: 0, tokens: 0, calls: [] };
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let own: TurnUse = { costUsd: 0, tokens: 0, calls: [] };
  let held: { readonly until: number; readonly by: string } | null = null;
  return {
    async refresh() {
      const noLimits = limits.calls === null && limits.maxCost === null && limits.maxTokens === null;
      if (noLimits || now() - refreshedAt < REFRESH_MS) return;
      others = await usedBefore();
      refreshedAt = now();
    },
    rate(underWay) {
      if (limits.calls === null) return null;
      const extra = [...others.calls, ...own.calls, ...underWay];
      return rateOf({ ledger: [], now: now(), limit: limits.calls, extra });
    },
    left: () => ({
      costUsd: leftOf(limits.maxCost, others.costUsd + own.costUsd),
      tokens: leftOf(limits.maxTokens, others.tokens + own.tokens),
    }),
    heldUntil: () => held?.until ?? null,
    add(stream, { outcome, used: { costUsd, tokens, calls } }) {
      const since = now() - HOUR_MS;
      own = {
        costUsd: own.costUsd + costUsd,
        tokens: own.tokens + tokens,
        calls: [...own.calls, ...calls].filter((at) => at > since),
      };
      if (outcome.kind !== 'later' || !outcome.all || outcome.until === null) return;
      if (held === null || outcome.until > held.until) held = { until: outcome.until, by: stream };
    },
    lift(stream) {
      if (held?.by === stream) held = null;
    },
  };
}

function leftOf(limit: number | null, used: number): number | null {
  return limit === null ? null : Math.max(0, limit - used);
}
