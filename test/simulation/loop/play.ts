import { noIsolation } from '../../../src/adapters/isolation/choose.ts';
import { defaultConfig, findWorkspace } from '../../../src/adapters/workspace/index.ts';
import type { Config, RalphEvent } from '../../../src/contracts/index.ts';
import { type RunRequest, runLoop, secureStart } from '../../../src/loop/index.ts';
import type { RunOutcome } from '../../../src/loop/report/summary.ts';
import type { Clock } from '../../../src/platform/index.ts';
import { simulatedGit } from '../git/git.ts';
import type { Repository } from '../git/repository.ts';
import { drive, type Ending } from '../machine/drive.ts';
import { SELDOM_MS } from '../machine/globals.ts';
import { dropLocks } from '../machine/lock.ts';
import { Machine, runOn } from '../machine/machine.ts';
import { installPrograms } from '../machine/processes.ts';
import { Agents } from './agent.ts';
import { People } from './people.ts';
import { makeProject, ROOT } from './project.ts';
import type { World } from './world.ts';

const START = Date.UTC(2030, 0, 1, 12);
const MINUTE = 60_000;
/** A person starts the loop again after a crash or an error, so often at most. */
const MOST_LIVES = 60;

/** What is left when a world has come to its end. */
export interface Played {
  readonly world: World;
  readonly machine: Machine;
  readonly repository: Repository;
  readonly agents: Agents;
  readonly people: People;
  /** Contents that were there before the first run. */
  readonly users: readonly string[];
  readonly events: readonly RalphEvent[];
  readonly lives: readonly Life[];
  /** The loop ended between the deed of an agent that deleted the ledger and the moment in which it is put back. */
  readonly hasLostLedger: boolean;
}

export interface Life {
  readonly ending: Ending<RunOutcome>;
  /** No fault was planned for its steps. */
  readonly isUntroubled: boolean;
}

let defaults: Config | null = null;

/** Plays a world from its first start to the end of its run, crashes and new starts included. */
export async function play(world: World): Promise<Played> {
  const machine = new Machine(world.seed, START, world.faults);
  runOn(machine);
  // Faults are counted from the first step of the loop.
  machine.steps = Number.NEGATIVE_INFINITY;
  const { repository, users } = makeProject(machine, world);
  machine.steps = 0;
  const agents = new Agents(machine, repository, world.deeds);
  const people = new People(machine, repository, agents, world.people);
  const events: RalphEvent[] = [];
  const lives: Life[] = [];
  let hasLostLedger = false;
  installPrograms({
    agent: (input) => agents.run(input),
    check: () => {
      const isBroken = machine.disk.find(`${ROOT}/src/broken.txt`, true) !== null;
      return { exitCode: isBroken ? 1 : 0, output: isBroken ? 'it is broken\n' : '' };
    },
  });
  for (let life = 0; life < MOST_LIVES; life += 1) {
    machine.startAgain();
    // Where the loop ended in order it had time to put it back.
    if (wasCutOff(lives.at(-1)) && agents.isLedgerMissing()) hasLostLedger = true;
    dropLocks();
    agents.isWorking = false;
    const from = machine.steps;
    const ending = await drive(machine, () => live(world, { machine, repository, agents, people, events }));
    const isUntroubled = !world.faults.some(({ step, lasts }) => step < machine.steps && step + lasts > from);
    lives.push({ ending, isUntroubled });
    machine.note(`life ${ending.kind}`);
    if (isLast(ending, isUntroubled)) break;
    if (ending.kind === 'ended' && ending.value.kind === 'between') passWait(machine, ending.value.outcome);
    else machine.time.passed += MINUTE;
    if (!machine.gone) await people.actNow();
  }
  return { world, machine, repository, agents, people, users, events, lives, hasLostLedger };
}

function wasCutOff(life: Life | undefined): boolean {
  return life?.ending.kind === 'gone' || life?.ending.kind === 'threw';
}

function isLast(ending: Ending<RunOutcome>, isUntroubled: boolean): boolean {
  if (ending.kind === 'ended') return ending.value.kind === 'ended';
  if (ending.kind === 'threw') return isUntroubled;
  return ending.kind !== 'gone';
}

/** Whoever takes the turns of a stream comes back when it may go on. */
function passWait(machine: Machine, outcome: { readonly kind: string; readonly until?: number | null }): void {
  if (outcome.kind !== 'later') return;
  const wait = outcome.until == null ? 15 * MINUTE : outcome.until - machine.time.now();
  machine.time.passed += Math.max(wait, 0) + 1;
}

type Scene = Pick<Played, 'machine' | 'repository' | 'agents' | 'people'> & { readonly events: RalphEvent[] };

/** One process of the loop, as `ralph run` starts it. */
async function live(world: World, { machine, repository, agents, people, events }: Scene): Promise<RunOutcome> {
  const git = simulatedGit(repository);
  const clock = clockOf(machine);
  const stop = new AbortController();
  people.onInterrupt = () => stop.abort('interrupted');
  people.wake();
  await secureStart(git, clock);
  const workspace = await findWorkspace({ root: ROOT, cwd: ROOT, flags: { ralphDir: 'ralph' }, env: {} });
  return runLoop({
    git,
    workspace,
    config: configOf(world),
    request: requestOf(world),
    agents: ['first', 'second'].slice(0, world.settings.agents).map((name) => agents.adapter(name)),
    isolation: noIsolation(),
    room: null,
    checksIsolation: noIsolation(),
    openControl: async () => ({
      url: 'http://127.0.0.1:9',
      admit: (session) => {
        agents.session = session;
        return { token: 'token', revoke: () => {} };
      },
      close: async () => {},
    }),
    clock,
    env: {},
    signal: stop.signal,
    version: '0.0.0',
    isolationInstead: [],
    planted: [],
    notices: [],
    onEvent: (event) => {
      people.run = event.run;
      if (!machine.gone) events.push(event);
    },
  });
}

/**
 * The clock that the loop waits by. Whoever looks every second, at budgets or for what people say, sleeps longer here, as
 * on a machine that is suspended now and then: an hour of waiting would be thousands of looks at nothing.
 */
function clockOf(machine: Machine): Clock {
  return {
    now: () => machine.time.now(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const isListening = ms <= 1_000;
        const timer = machine.time.start(done, isListening ? SELDOM_MS : ms);
        signal?.addEventListener('abort', done);
        function done() {
          machine.time.stop(timer);
          signal?.removeEventListener('abort', done);
          resolve();
        }
      }),
  };
}

function requestOf({ request }: World): RunRequest {
  return {
    only: request === 'only' ? 'US-001' : null,
    until: request === 'until' ? 'US-001' : null,
    once: request === 'once',
    turn: request === 'turns',
    resetCircuit: false,
    limits: {},
  };
}

function configOf({ settings }: World): Config {
  defaults ??= defaultConfig({});
  const { noProgress, cooldown, retries, agents, ...rest } = settings;
  const cooldownMs = cooldown === null ? null : cooldown * MINUTE;
  return {
    ...defaults,
    ...rest,
    agent: ['first', 'second'].slice(0, agents),
    timeoutMs: 30 * MINUTE,
    idleTimeoutMs: 20 * MINUTE,
    circuit: { ...defaults.circuit, noProgress, cooldownMs },
    transient: { retries, delayMs: 30_000, maxWaitMs: 360 * MINUTE },
    keepAwake: false,
  };
}
