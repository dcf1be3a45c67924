import { schedule } from '../../../src/rules/streams/index.ts';
import { planApply, planAsk } from './ask.ts';
import { HOUR } from './scenario.ts';
import { type Fleet, locked, type Stream, violated, type Worker } from './state.ts';
import { beginTurn } from './turns.ts';

/**
 * The turn that is first in a worker's line asks whether it may begin; those behind it wait for the answer. When a limit
 * that all share holds it back, it asks again later, as the first of every other worker does.
 */
export function apply(fleet: Fleet, worker: Worker, life: number): void {
  if (worker.life !== life) return;
  worker.applies = false;
  if (worker.hungUntil > fleet.now) {
    planApply(fleet, worker, worker.hungUntil);
    return;
  }
  const [first] = worker.line;
  if (first === undefined) return;
  const { stream, dispatch } = first;
  const { poll, lock } = fleet.scenario.engine;
  const through = locked(fleet, lock.admit + lock.admitPerCall * reportedCalls(fleet));
  if (stream.state !== 'handed' || stream.dispatch !== dispatch) {
    // It was given to another while this worker hung.
    if (worker.turns.get(stream.id) === dispatch) worker.turns.delete(stream.id);
    planAsk(fleet, worker);
  } else if (mayBegin(fleet, stream)) {
    beginTurn(fleet, stream, worker, through);
    checkLimits(fleet);
  } else {
    fleet.tally.refused += 1;
    planApply(fleet, worker, through + poll);
    return;
  }
  worker.line.shift();
  planApply(fleet, worker, through);
}

function mayBegin(fleet: Fleet, { id, turns, since }: Stream): boolean {
  const { now, working, heldUntil } = fleet;
  const { concurrency, calls } = fleet.scenario;
  const { start } = schedule({
    streams: [{ stream: String(id), state: 'ready', turns, since, until: null }],
    working,
    capacity: working + 1,
    concurrency,
    // A turn under way has not reported yet; it starts one agent.
    rate: calls === null ? null : { used: reportedCalls(fleet) + working, limit: calls, freeAt: null },
    heldUntil,
    now,
  });
  return start.length > 0;
}

function checkLimits(fleet: Fleet): void {
  const { working, scenario } = fleet;
  const { concurrency, calls } = scenario;
  if (concurrency !== null && working > concurrency) violated(fleet, `${working} turns at a time`);
  if (calls !== null && reportedCalls(fleet) + working > calls) violated(fleet, 'more agents than the limit allows');
}

/** Agents started within the last hour, as far as turns have reported. */
function reportedCalls({ calls, now }: Fleet): number {
  for (let oldest = calls.least(); oldest !== undefined && oldest <= now - HOUR; oldest = calls.least()) calls.take();
  return calls.size();
}
