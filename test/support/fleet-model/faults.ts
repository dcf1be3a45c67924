import { planAsk } from './ask.ts';
import { type Fleet, type Gone, plan, type Worker } from './state.ts';
import { giveUp } from './turns.ts';

/** The database restarts at fixed times, so that it does so in every scenario that lasts. */
export function planFaults(fleet: Fleet): void {
  const { databaseRestarts: every } = fleet.scenario.faults;
  if (every !== null) plan(fleet, { kind: 'database', at: fleet.now + every });
}

/** A worker is started, for the first time or after it died. */
export function startWorker(fleet: Fleet, worker: Worker): void {
  const { workerDies, workerHangs } = fleet.scenario.faults;
  worker.life += 1;
  worker.alive = true;
  const { life } = worker;
  if (workerDies !== null)
    plan(fleet, { kind: 'die', at: fleet.now + worker.random.exponential(workerDies), worker, life });
  if (workerHangs !== null)
    plan(fleet, { kind: 'hang', at: fleet.now + worker.random.exponential(workerHangs), worker, life });
  planAsk(fleet, worker);
}

/** A worker dies with its agents. The others notice when its grace is over and somebody looks. */
export function die(fleet: Fleet, worker: Worker, life: number): void {
  if (worker.life !== life) return;
  fleet.tally.deaths += 1;
  planGone(fleet, worker, { after: fleet.scenario.engine.grace, waiting: false });
  worker.alive = false;
  worker.life += 1;
  worker.hungUntil = 0;
  worker.asks = false;
  worker.applies = false;
  worker.turns.clear();
  worker.line.length = 0;
  plan(fleet, { kind: 'start', at: fleet.now + fleet.scenario.faults.restart, worker, life: worker.life });
}

/**
 * A worker stands still, and goes on later as if nothing had been. Its connection holds, so nobody takes it for dead; but
 * what waits at it is given to others.
 */
export function hang(fleet: Fleet, worker: Worker, life: number): void {
  if (worker.life !== life) return;
  fleet.tally.hangs += 1;
  const { workerHangs, hang: lasts } = fleet.scenario.faults;
  worker.hungUntil = fleet.now + lasts;
  planGone(fleet, worker, { after: 2 * fleet.scenario.engine.grace, waiting: true });
  if (workerHangs !== null)
    plan(fleet, { kind: 'hang', at: worker.hungUntil + worker.random.exponential(workerHangs), worker, life });
}

function planGone(fleet: Fleet, worker: Worker, { after, waiting }: { after: number; waiting: boolean }): void {
  const at = Math.max(fleet.now + after + worker.random.unit() * fleet.scenario.engine.watch, fleet.upAt);
  plan(fleet, { kind: 'gone', at, worker, turns: new Map(worker.turns), since: fleet.now, waiting });
}

/** What a worker left behind is taken over. */
export function gone(fleet: Fleet, { turns, worker, since, waiting }: Gone): void {
  if (waiting && worker.hungUntil <= fleet.now) return;
  for (const [id, dispatch] of turns) {
    const stream = fleet.streams[id];
    if (stream?.dispatch !== dispatch) continue;
    if (stream.state === 'handed' || (stream.state === 'working' && !waiting)) giveUp(fleet, stream, worker, since);
  }
}

/**
 * The database restarts: whoever wants something of it waits. Where the grace is shorter than it takes the workers to be
 * connected again, those who are first take all the others for dead.
 */
export function databaseRestarts(fleet: Fleet): void {
  const { engine, faults } = fleet.scenario;
  fleet.tally.databaseRestarts += 1;
  fleet.upAt = fleet.now + faults.databaseDown;
  if (engine.grace < engine.reconnect) {
    for (const worker of fleet.workers) {
      const turns = new Map(worker.turns);
      const at = fleet.upAt + engine.grace;
      plan(fleet, { kind: 'gone', at, worker, turns, since: fleet.now, waiting: false });
    }
  }
  if (faults.databaseRestarts !== null) plan(fleet, { kind: 'database', at: fleet.now + faults.databaseRestarts });
}
