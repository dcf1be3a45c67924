import type { TurnOutcome, TurnReport } from '../../../src/contracts/index.ts';
import { openLocalEngine } from '../../../src/streams/engine/local.ts';
import type { Turn } from '../../../src/streams/engine/port.ts';
import type { Engine } from '../../../src/streams/index.ts';
import { drive } from '../machine/drive.ts';
import { GONE, Machine, runOn } from '../machine/machine.ts';
import type { Verdict } from '../verdict.ts';
import type { StreamWorld } from './world.ts';

const START = Date.UTC(2030, 0, 1, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ATTEMPTS = 3;

interface Place {
  /** Turns that are over: what the work tree of the stream says, whoever is killed. */
  turns: number;
  /** The turn that was begun last, and how often in a row it threw. */
  throws: number;
  state: 'open' | 'done' | 'parked' | 'failed' | 'cancelled';
  /** Since when it could have its next turn. */
  since: number;
  isWorking: boolean;
}

/**
 * Plays streams through on the engine of one process, killed and started again as the world says. A turn that was killed
 * is taken again; one that ended is not.
 */
export async function playStreams(world: StreamWorld): Promise<Verdict> {
  const machine = new Machine(world.seed, START, []);
  runOn(machine);
  const found: string[] = [];
  const starts: number[] = [];
  const places: Place[] = world.streams.map(() => ({
    turns: 0,
    throws: 0,
    state: 'open',
    since: machine.time.now(),
    isWorking: false,
  }));
  let begun = 0;
  let engine: Engine | null = null;

  async function take({ stream, n }: Turn): Promise<TurnReport> {
    const at = Number(stream.slice(1));
    const place = places[at] as Place;
    begin(place, stream);
    const startedAt = machine.time.now();
    begun += 1;
    machine.note(`turn ${n} of ${stream}`);
    if (world.kills.includes(begun)) {
      machine.gone = 'kill';
      return new Promise<never>(() => {});
    }
    for (const cancel of world.cancels) if (cancel.after === begun) void cancelled(cancel.stream);
    await new Promise<void>((resolve) => machine.time.start(resolve, MINUTE * (1 + machine.random.below(9))));
    place.isWorking = false;
    place.since = machine.time.now();
    const deed = world.streams[at]?.[place.turns];
    if (deed === 'throw' && machine.random.below(2) === 0) {
      // It came to no agent.
      starts.splice(starts.indexOf(startedAt), 1);
      place.throws += 1;
      if (place.throws >= ATTEMPTS && place.state === 'open') place.state = 'failed';
      throw new Error('the turn throws');
    }
    place.turns += 1;
    place.throws = 0;
    const outcome = outcomeOf(deed);
    if (place.state === 'open' && outcome.kind === 'done') place.state = 'done';
    if (place.state === 'open' && outcome.kind === 'later' && outcome.until === null) place.state = 'parked';
    if (outcome.kind === 'later' && outcome.until !== null) place.since = outcome.until;
    return { outcome, used: { costUsd: 0.1, tokens: 10, calls: [startedAt] } };
  }

  function begin(place: Place, stream: string): void {
    const now = machine.time.now();
    if (place.isWorking) found.push(`two turns of ${stream} at once`);
    if (place.state !== 'open') found.push(`a turn of ${stream}, which is ${place.state}`);
    if (place.since > now) found.push(`${stream} rests, and had a turn`);
    const working = places.filter(({ isWorking }) => isWorking).length;
    const most = Math.min(world.capacity, world.concurrency ?? world.capacity);
    if (working >= most) found.push(`${working + 1} turns at once, of ${most}`);
    for (const [other, { state, isWorking, since }] of places.entries())
      if (state === 'open' && !isWorking && since < place.since)
        found.push(`${stream} came before s${other}, which waited longer`);
    const within = starts.filter((at) => at > now - HOUR).length;
    if (world.calls !== null && within >= world.calls) found.push(`${within + 1} turns within an hour`);
    starts.push(now);
    place.isWorking = true;
  }

  async function cancelled(at: number): Promise<void> {
    const place = places[at];
    const wasOpen = place?.state === 'open';
    // At once: the engine may begin the turn of another before anybody hears that this one is cancelled.
    if (place && wasOpen) place.state = 'cancelled';
    const isCancelled = await engine?.cancel(`s${at}`);
    if (wasOpen && !isCancelled) found.push(`s${at} could not be cancelled`);
  }

  function outcomeOf(deed: StreamWorld['streams'][number][number] | undefined): TurnOutcome {
    const now = machine.time.now();
    if (deed === undefined) return { kind: 'done', reason: 'complete', exitCode: 0, text: '' };
    if (deed === 'rest') return { kind: 'later', until: now + 20 * MINUTE, why: 'cooldown', text: '', all: false };
    if (deed === 'limit') return { kind: 'later', until: now + 30 * MINUTE, why: 'limit', text: '', all: true };
    if (deed === 'block') return { kind: 'later', until: null, why: 'pause', text: '', all: false };
    return { kind: 'next' };
  }

  let ended = 'gone';
  for (let life = 0; life < 4 && ended === 'gone'; life += 1) {
    machine.startAgain();
    // A new process knows of no rests, and of no turn that was under way.
    for (const place of places) Object.assign(place, { isWorking: false, throws: 0, since: machine.time.now() });
    const before = [...starts];
    const ending = await drive(machine, async () => {
      engine = openLocalEngine({
        capacity: world.capacity,
        concurrency: world.concurrency,
        limits: { calls: world.calls, maxCost: null, maxTokens: null },
        usedBefore: async () => ({ costUsd: 0, tokens: 0, calls: before }),
        attempts: ATTEMPTS,
        turnTimeoutMs: null,
      });
      for (const [at, { state }] of places.entries())
        if (state === 'open') await engine.submit({ stream: `s${at}`, task: at });
      await engine.work(take);
    });
    ended = ending.kind;
    if (ending.kind === 'threw' && ending.error !== GONE) found.push(`the engine threw: ${String(ending.error)}`);
  }
  if (ended !== 'ended') found.push(`the engine ended as ${ended}`);
  for (const [at, { state, turns }] of places.entries()) {
    const goal = (world.streams[at]?.length ?? 0) + 1;
    if (state === 'open') found.push(`s${at} was left after ${turns} of ${goal} turns`);
    if (state === 'done' && turns !== goal) found.push(`s${at} is done after ${turns} of ${goal} turns`);
  }
  return { violations: found, trace: machine.trace.toString(16), ended, story: machine.last };
}
