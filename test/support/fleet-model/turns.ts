import { planAsk } from './ask.ts';
import { type Event, type Fleet, locked, makeReady, plan, type Stream, violated, type Worker } from './state.ts';

type TurnEvent = Extract<Event, { kind: 'end' | 'overdue' }>;

/** A worker begins a turn: fetch, agent, push. @param at when the engine has noted that it may */
export function beginTurn(fleet: Fleet, stream: Stream, worker: Worker, at: number): void {
  const { scenario, tally } = fleet;
  const { random } = stream;
  if (stream.state !== 'handed') violated(fleet, `stream ${stream.id} began a turn while it was ${stream.state}`);
  stream.state = 'working';
  stream.attempts += 1;
  fleet.working += 1;
  tally.starts.push(at);
  if (stream.attempts > 1) tally.repeated += 1;
  tally.waits.push(at - Math.max(stream.waitingSince, stream.lostAt ?? 0));
  if (stream.lostAt !== null) tally.recoveries.push(at - stream.lostAt);
  stream.lostAt = null;
  const git = () => random.logNormal(scenario.git.median, scenario.git.sigma);
  const agent = random.logNormal(scenario.agent.median, scenario.agent.sigma);
  const { dispatch } = stream;
  const turn = { stream, dispatch, worker, life: worker.life, begun: at, agent };
  plan(fleet, { kind: 'end', at: at + git() + agent + git(), ...turn });
  plan(fleet, { kind: 'overdue', at: at + scenario.engine.turnTimeout + scenario.engine.grace, ...turn });
}

/** A turn has come to its end, and its worker records what it brought, if it still is the worker's to record. */
export function endTurn(fleet: Fleet, event: TurnEvent): void {
  const { stream, dispatch, worker, life, begun, agent } = event;
  if (worker.life !== life || worker.turns.get(stream.id) !== dispatch) return;
  if (worker.hungUntil > fleet.now) {
    plan(fleet, { ...event, at: worker.hungUntil });
    return;
  }
  worker.turns.delete(stream.id);
  const through = locked(fleet, fleet.scenario.engine.lock.record);
  fleet.calls.push(begun);
  if (stream.dispatch !== dispatch || stream.state !== 'working') fleet.tally.fenced += 1;
  else record(fleet, stream, through, agent);
  planAsk(fleet, worker);
}

function record(fleet: Fleet, stream: Stream, at: number, agent: number): void {
  const { throws, providerLimit, providerRest, cools, cooldown } = fleet.scenario.faults;
  const chance = stream.random.unit();
  fleet.working -= 1;
  stream.waitingSince = at;
  if (chance < throws) {
    tryAgain(fleet, stream);
    return;
  }
  stream.attempts = 0;
  if (chance < throws + providerLimit) {
    fleet.heldUntil = Math.max(fleet.heldUntil, fleet.now + providerRest);
    rest(fleet, stream, fleet.now + providerRest);
    return;
  }
  stream.turns += 1;
  fleet.tally.recorded += 1;
  fleet.tally.agentMs += agent;
  noteHalf(fleet);
  if (stream.turns >= stream.goal) {
    stream.state = 'done';
    fleet.open -= 1;
  } else if (chance < throws + providerLimit + cools) rest(fleet, stream, fleet.now + cooldown);
  else makeReady(fleet, stream, at);
}

function rest(fleet: Fleet, stream: Stream, until: number): void {
  stream.state = 'later';
  stream.waitingSince = until;
  plan(fleet, { kind: 'wake', at: until, stream, dispatch: stream.dispatch });
}

/** A turn that is given up, or has thrown, comes first in the queue; after too many tries its stream has failed. */
function tryAgain(fleet: Fleet, stream: Stream): void {
  if (stream.attempts >= fleet.scenario.engine.attempts) {
    stream.state = 'failed';
    fleet.open -= 1;
    return;
  }
  makeReady(fleet, stream, 0);
}

/** A turn that takes longer than it may is given to somebody else, whatever its worker does. */
export function overdue(fleet: Fleet, { stream, dispatch, worker }: TurnEvent): void {
  if (stream.dispatch === dispatch && stream.state === 'working') giveUp(fleet, stream, worker, fleet.now);
}

/** Takes a turn away from its worker. @param since when that one stopped working on it */
export function giveUp(fleet: Fleet, stream: Stream, worker: Worker, since: number): void {
  locked(fleet, fleet.scenario.engine.lock.record);
  // A worker that is well ends the agent and has its place back; one that hangs keeps it until it wakes.
  if (stream.state === 'working' && worker.hungUntil <= fleet.now && worker.turns.get(stream.id) === stream.dispatch)
    worker.turns.delete(stream.id);
  if (stream.state === 'working') {
    fleet.working -= 1;
    stream.lostAt = since;
  }
  // What its agent brings from now on counts for nothing.
  stream.dispatch += 1;
  tryAgain(fleet, stream);
  planAsk(fleet, worker);
}

/** How even the progress is, is looked at once, when half of the work is done. */
function noteHalf({ tally, streams, scenario }: Fleet): void {
  if (tally.atHalf !== null) return;
  const all = streams.length * ((scenario.turns[0] + scenario.turns[1]) / 2);
  if (tally.recorded >= all / 2) tally.atHalf = streams.map(({ turns, goal }) => turns / goal);
}
