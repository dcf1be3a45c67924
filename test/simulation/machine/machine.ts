import { Disk } from './disk.ts';
import { diskError } from './disk-error.ts';
import { type Random, randomFrom } from './random.ts';
import { Time } from './time.ts';

/** What goes wrong at one step of the machine. */
export interface Fault {
  /** Which step, counted from the start of the world: every write, every git operation, every crash point is one. */
  readonly step: number;
  /**
   * `kill`: the process is gone, what it wrote stays. `power`: the machine is gone, what was not synced may be lost or
   * torn. The others: operations on the disk fail with that code. `git`: operations of git fail.
   */
  readonly kind: 'kill' | 'power' | 'ENOSPC' | 'EIO' | 'EROFS' | 'git';
  /** Steps in a row that fail; a process or a machine goes once. */
  readonly lasts: number;
}

/** Thrown where the process ends. Whoever catches it is gone as well: nothing that it does has an effect. */
export const GONE = new Error('the simulated process is gone');

/** The machine that a world runs on: one disk, one time, one process at a time. */
export class Machine {
  readonly time: Time;
  readonly disk: Disk;
  readonly random: Random;
  /** The process is gone; whatever still runs of it must have no effect. */
  gone: 'kill' | 'power' | null = null;
  steps = 0;
  /** A fold of everything that happened, to tell two runs apart. */
  trace = 0x811c9dc5;
  /** Names of the last steps, for a person who looks at a failing run. */
  readonly last: string[] = [];
  readonly #faults: readonly Fault[];

  constructor(seed: number, start: number, faults: readonly Fault[]) {
    this.time = new Time(start);
    this.random = randomFrom(seed);
    this.disk = new Disk(this);
    this.#faults = faults;
  }

  /**
   * One step of the machine. Throws where something goes wrong.
   * @param what `write`, `rename` …: anything with `git ` in front is git's
   */
  step(what: string, detail = ''): void {
    if (this.gone) throw GONE;
    const step = this.steps++;
    this.note(`${what} ${detail}`);
    for (const fault of this.#faults) {
      if (step < fault.step || step >= fault.step + fault.lasts) continue;
      if (fault.kind === 'kill' || fault.kind === 'power') this.end(fault.kind);
      else if (fault.kind === 'git') {
        if (what.startsWith('git ')) throw new Error(`fatal: ${what} failed (simulated)`);
      } else if (!what.startsWith('git ') && !what.startsWith('point')) throw diskError(fault.kind, what, detail);
    }
  }

  note(text: string): void {
    const line = `${this.steps} ${this.time.now()} ${text}`;
    for (let at = 0; at < line.length; at += 1) this.trace = Math.imul(this.trace ^ line.charCodeAt(at), 0x01000193);
    this.last.push(line);
    if (this.last.length > 400) this.last.splice(0, 200);
  }

  /** The process ends here and now. */
  end(how: 'kill' | 'power'): never {
    this.note(how);
    this.gone = how;
    throw GONE;
  }

  /** Another process starts, after a crash or an end. */
  startAgain(): void {
    if (this.gone === 'power') this.disk.loseUnsynced(this.random);
    this.gone = null;
    this.time.stopAll();
    this.disk.closeAll();
  }
}

let current: Machine | null = null;

/** The machine that the stand-ins for files, processes and time work on. */
export function machine(): Machine {
  if (current === null) throw new Error('no simulated machine is running');
  return current;
}

export function runOn(next: Machine | null): void {
  current = next;
}
