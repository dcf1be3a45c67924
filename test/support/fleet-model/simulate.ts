import { apply } from './apply.ts';
import { ask } from './ask.ts';
import { databaseRestarts, die, gone, hang, planFaults, startWorker } from './faults.ts';
import { type Figures, figuresOf } from './figures.ts';
import type { Scenario } from './scenario.ts';
import { type Event, type Fleet, makeReady, newFleet } from './state.ts';
import { endTurn, overdue } from './turns.ts';

/** What an event does; one for a stream or worker that went another way since does nothing. */
const DEEDS: { readonly [K in Event['kind']]: (fleet: Fleet, event: Extract<Event, { kind: K }>) => void } = {
  ask: (fleet, { worker, life }) => ask(fleet, worker, life),
  apply: (fleet, { worker, life }) => apply(fleet, worker, life),
  die: (fleet, { worker, life }) => die(fleet, worker, life),
  start: (fleet, { worker }) => startWorker(fleet, worker),
  hang: (fleet, { worker, life }) => hang(fleet, worker, life),
  end: (fleet, event) => endTurn(fleet, event),
  overdue: (fleet, event) => overdue(fleet, event),
  wake: (fleet, { stream, dispatch, at }) => {
    if (stream.state === 'later' && stream.dispatch === dispatch) makeReady(fleet, stream, at);
  },
  gone: (fleet, event) => gone(fleet, event),
  database: (fleet) => databaseRestarts(fleet),
};

/**
 * Plays a fleet through, from the first turn to the last, event by event. The same scenario gives the same figures. Who
 * goes next is decided by `schedule`; what the engine for many machines does around it is done as it does it.
 */
export function simulate(scenario: Scenario): Figures {
  return play(newFleet(scenario));
}

/** Plays through a fleet that is about to begin. */
export function play(fleet: Fleet): Figures {
  for (const stream of fleet.streams) makeReady(fleet, stream, 0);
  for (const worker of fleet.workers) startWorker(fleet, worker);
  planFaults(fleet);
  while (fleet.open > 0) {
    const event = fleet.events.take();
    if (event === undefined) break;
    fleet.now = event.at;
    fleet.tally.events += 1;
    (DEEDS[event.kind] as (fleet: Fleet, event: Event) => void)(fleet, event);
  }
  return figuresOf(fleet);
}
