import { ask, type RunContext } from '../../loop/index.ts';
import { type Gate, iterationsUsed, type LeftBudgets, rateOf, spentBy } from '../../rules/safeguards/index.ts';
import { laneMarkOf } from '../../rules/streams/index.ts';
import { type Crew, keyOf, type Lane } from './crew.ts';

/**
 * The run including what its ledger does not have yet: what lanes hold until their stories have landed counts as used.
 */
export function withHeld({ context, team }: Pick<Crew, 'context' | 'team'>): RunContext {
  return { ...context, ledger: [...context.ledger, ...team.flatMap(({ held }) => held ?? [])] };
}

/** What is left of the run's budgets. Active lanes have not reported their usage yet. */
export function leftOf(crew: Crew): LeftBudgets {
  const { ledger, run, steering } = withHeld(crew);
  const { maxCost, maxTokens } = steering.limits();
  const { costUsd, tokens } = spentBy(ledger, run);
  return {
    costUsd: maxCost === null ? null : Math.max(0, maxCost - costUsd),
    tokens: maxTokens === null ? null : Math.max(0, maxTokens - tokens),
  };
}

/** Lanes; those with an active turn say how many agent processes it may start. */
type Team = readonly Pick<Lane, 'calls'>[];

/**
 * Whether one more turn may start beside the active ones. They are in no ledger yet: each counts as one iteration and
 * as the agent processes that it may start. `hold`: not before one of them has ended.
 */
export function mayStart(context: RunContext, team: Team): Gate | { readonly kind: 'hold' } {
  const said = ask(context);
  const turns = team.filter(({ calls }) => calls > 0).length;
  if (said.kind !== 'open' || turns === 0) return said;
  const { ledger, run, steering } = context;
  const isFull =
    iterationsUsed(ledger, run) + turns >= steering.limits().maxIterations || callsLeft(context, team) <= 0;
  // A breaker that is not closed allows one try at a time.
  return isFull || said.breaker.state !== 'closed' ? { kind: 'hold' } : said;
}

/** How many agent processes the next turn may start: one, and its retries, up to the limit. */
export function callsFor(context: RunContext, team: Team): number {
  return Math.max(1, Math.min(1 + context.config.transient.retries, callsLeft(context, team)));
}

function callsLeft({ ledger, clock, steering }: RunContext, team: Team): number {
  const { calls } = steering.limits();
  const { used } = rateOf({ ledger, now: clock.now(), limit: calls });
  return calls - used - team.reduce((sum, lane) => sum + lane.calls, 0);
}

/**
 * Numbers the iterations of lanes as iterations of the run: each gets the next number on first use, and keeps it. Those
 * in the ledger already, e.g. from before a crash, keep their numbers, too.
 */
export function iterationNumbers(
  { ledger, run }: RunContext,
  onIteration: (iteration: number, lane: number) => void,
): (laneRun: string, iteration: number, lane: number) => number {
  const numbers = new Map<string, number>();
  let last = 0;
  for (const line of ledger) {
    if (line.kind !== 'iteration' || line.run !== run) continue;
    last = Math.max(last, line.iteration);
    const mark = laneMarkOf(line);
    if (mark) numbers.set(keyOf(mark.run, mark.iteration), line.iteration);
  }
  return (laneRun, iteration, lane) => {
    const key = keyOf(laneRun, iteration);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    last += 1;
    numbers.set(key, last);
    onIteration(last, lane);
    return last;
  };
}
