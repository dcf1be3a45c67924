import { schedule } from '../../../src/rules/streams/index.ts';
import { type Fleet, plan, violated, type Worker } from './state.ts';

/** A worker asks the queue, and is handed as many turns as it has places. */
export function ask(fleet: Fleet, worker: Worker, life: number): void {
  if (worker.life !== life) return;
  worker.asks = false;
  if (worker.hungUntil <= fleet.now && fleet.upAt <= fleet.now) handOut(fleet, worker);
  planAsk(fleet, worker);
}

/** Plans when a worker asks the queue the next time, if it has a place for what it gets. */
export function planAsk(fleet: Fleet, worker: Worker): void {
  const { capacity, engine } = fleet.scenario;
  if (worker.asks || !worker.alive || worker.turns.size >= capacity) return;
  worker.asks = true;
  // Workers ask at moments of their own: they were not started at the same instant.
  // Whole milliseconds, so that the next moment always is a later one.
  const phase = Math.floor((worker.id * 0.618 * engine.poll) % engine.poll);
  const at = (Math.floor((fleet.now - phase) / engine.poll) + 1) * engine.poll + phase;
  plan(fleet, { kind: 'ask', at, worker, life: worker.life });
}

/** The first in a worker's line asks whether it may begin, unless it has just asked. */
export function planApply(fleet: Fleet, worker: Worker, at: number): void {
  if (worker.applies || worker.line.length === 0) return;
  worker.applies = true;
  plan(fleet, { kind: 'apply', at, worker, life: worker.life });
}

function handOut(fleet: Fleet, worker: Worker): void {
  const { ready, now, scenario } = fleet;
  const places = scenario.capacity - worker.turns.size;
  // The first so many are enough: those behind them could not be chosen.
  const first = Array.from({ length: Math.min(places, ready.size()) }, () => ready.take()).filter(
    (stream) => stream !== undefined,
  );
  if (first.length === 0) return;
  // The queue knows no limits: those are looked at when a turn begins.
  const { start } = schedule({
    streams: first,
    working: 0,
    capacity: places,
    concurrency: null,
    rate: null,
    heldUntil: null,
    now,
  });
  const next = ready.least();
  for (const id of start.map(Number)) {
    const stream = fleet.streams[id];
    if (stream === undefined) continue;
    if (next !== undefined && next.since < stream.since) violated(fleet, `stream ${id} came before stream ${next.id}`);
    if (stream.state !== 'ready') violated(fleet, `stream ${id} was handed out while it was ${stream.state}`);
    stream.state = 'handed';
    stream.dispatch += 1;
    worker.turns.set(id, stream.dispatch);
    worker.line.push({ stream, dispatch: stream.dispatch });
  }
  if (worker.turns.size > scenario.capacity) violated(fleet, `worker ${worker.id} has ${worker.turns.size} turns`);
  planApply(fleet, worker, now);
}
