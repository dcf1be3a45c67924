import { appendSteering, type SteeringRequest } from '../../../src/adapters/workspace/index.ts';
import type { Repository } from '../git/repository.ts';
import type { Machine } from '../machine/machine.ts';
import type { Agents } from './agent.ts';
import type { PersonAct } from './world.ts';

const MINUTE = 60_000;

interface Act {
  readonly minute: number;
  /** `resume` is not drawn: it follows a pause. */
  readonly what: PersonAct['what'] | 'resume';
}

/** The people of a world: each does one thing at a certain minute, whether or not a run is alive then. */
export class People {
  readonly made: string[] = [];
  /** What was done, in order. */
  readonly done: PersonAct['what'][] = [];
  /** The run that they speak to. */
  run: string | null = null;
  onInterrupt: () => void = () => {};
  readonly #left: Act[];
  readonly #machine: Machine;
  readonly #repository: Repository;
  readonly #agents: Agents;
  readonly #began: number;

  constructor(machine: Machine, repository: Repository, agents: Agents, acts: readonly PersonAct[]) {
    this.#machine = machine;
    this.#repository = repository;
    this.#agents = agents;
    this.#left = [...acts].sort((one, other) => one.minute - other.minute);
    this.#began = machine.time.passed;
  }

  /** Sets their alarm clocks: those of a process before have stopped with it. */
  wake(): void {
    for (const act of this.#left) this.#arm(act);
  }

  /** Does what is due while no process of the loop is alive. */
  async actNow(): Promise<void> {
    for (const act of [...this.#left]) if (this.#until(act) <= 0) this.#act(act);
    await new Promise((resolve) => setImmediate(resolve));
  }

  #until({ minute }: Act): number {
    return this.#began + minute * MINUTE - this.#machine.time.passed;
  }

  #arm(act: Act): void {
    // Nobody waits for a person: a run that ends before stays ended.
    this.#machine.time.start(() => this.#act(act), this.#until(act)).unref();
  }

  #later(what: Act['what'], minutes: number): void {
    const act = { minute: (this.#machine.time.passed - this.#began) / MINUTE + minutes, what };
    this.#left.push(act);
    this.#arm(act);
  }

  #act(act: Act): void {
    const at = this.#left.indexOf(act);
    if (at < 0) return;
    this.#left.splice(at, 1);
    const { what } = act;
    const { time } = this.#machine;
    this.#machine.note(`person ${what}`);
    if (what !== 'resume') this.done.push(what);
    const { run } = this;
    if (what === 'clock-forward') time.jump(3 * 60 * MINUTE);
    else if (what === 'clock-back') time.jump(-50 * MINUTE);
    else if (what === 'interrupt') this.onInterrupt();
    else if (what === 'new-file') this.#newFile();
    else if (run !== null) this.#say(run, what);
    else if (what === 'resume') this.#later(what, 1);
  }

  /** Where an agent is at work, as an editor does it; between the steps of the loop nobody is that quick. */
  #newFile(): void {
    if (!this.#agents.isWorking) return;
    const content = `by a person ${this.made.length}`;
    this.made.push(content);
    this.#machine.disk.putFile(`${this.#repository.root}/of-a-person-${this.made.length}.txt`, content);
  }

  #say(run: string, what: Act['what']): void {
    const request = requestOf(what, run, this.#machine.time.now());
    if (!request) return;
    // A person who pauses a run resumes it ten minutes later, and once more an hour later: a kill may cut off the first word.
    if (what === 'pause') for (const minutes of [10, 70]) this.#later('resume', minutes);
    const said = appendSteering(`${this.#repository.root}/.git/ralph`, request);
    // And tries again where it could not be written.
    void said.catch(() => what === 'resume' && this.#later('resume', 1));
  }
}

function requestOf(what: Act['what'], run: string, at: number): SteeringRequest | null {
  switch (what) {
    case 'note':
      return { kind: 'note', text: 'look at the log', at };
    case 'pause':
    case 'resume':
      return { kind: what, run, at };
    case 'stop':
    case 'stop-now':
      return { kind: 'stop', run, now: what === 'stop-now', at };
    case 'more-iterations':
      return { kind: 'limits', run, limits: { maxIterations: 40 }, at };
    case 'approve':
      return { kind: 'story', story: 'US-001', decision: 'approve', at };
    case 'reopen':
      return { kind: 'story', story: 'US-001', decision: 'reopen', at };
    case 'block':
      return { kind: 'block', story: 'US-001', reason: 'not now', at };
    case 'circuit-reset':
      return { kind: 'circuit-reset', at };
    case 'add-story':
      return {
        kind: 'add',
        folder: 'ralph',
        story: { id: 'US-050', title: 'one more', acceptanceCriteria: ['it works'] },
        at,
      };
    default:
      return null;
  }
}
