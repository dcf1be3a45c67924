import type { RunContext } from '../../loop/context.ts';
import { ask } from '../../loop/gate.ts';
import type { Gate } from '../../rules/safeguards/api.ts';
import { iterationsUsed } from '../../rules/safeguards/attempts.ts';
import { rateOf } from '../../rules/safeguards/rate.ts';
import type { Lane } from './crew.ts';

/** Lanes; those with a turn under way say how many agent processes that may start. */
type Team = readonly Pick<Lane, 'calls'>[];

/**
 * Whether one more turn may start beside those under way. They are in no ledger yet: each counts as one iteration and
 * as the agent processes that it may start. `hold`: not before one of them has ended.
 */
export function mayStart(context: RunContext, team: Team): Gate | { readonly kind: 'hold' } {
  const said = ask(context);
  const turns = team.filter(({ calls }) => calls > 0).length;
  if (said.kind !== 'open' || turns === 0) return said;
  const { ledger, run, steering } = context;
  const isFull =
    iterationsUsed(ledger, run) + turns >= steering.limits().maxIterations || callsLeft(context, team) <= 0;
  // A breaker that is not closed lets one try at a time.
  return isFull || said.breaker.state !== 'closed' ? { kind: 'hold' } : said;
}

/** How many agent processes the next turn may start: one, and its retries, as far as the limit goes. */
export function callsFor(context: RunContext, team: Team): number {
  return Math.max(1, Math.min(1 + context.config.transient.retries, callsLeft(context, team)));
}

function callsLeft({ ledger, clock, steering }: RunContext, team: Team): number {
  const { calls } = steering.limits();
  const { used } = rateOf({ ledger, now: clock.now(), limit: calls });
  return calls - used - team.reduce((sum, lane) => sum + lane.calls, 0);
}
