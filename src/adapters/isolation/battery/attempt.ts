import type { Heard } from './listeners.ts';

export type Category =
  | 'files'
  | 'reading'
  | 'home folders'
  | 'processes'
  | 'sockets'
  | 'control server'
  | 'network'
  | 'egress proxy'
  | 'protected files'
  | 'git'
  | 'devices'
  | 'privileges'
  | 'kernel'
  | 'limits'
  | 'destruction'
  | 'afterwards: what the host does with the tree';

/**
 * `together`: with others in one sandbox. `alone`: in a sandbox of its own, which it may end. `limits`: the same, with
 * little memory and few processes. `last`: only when everything before it held, since it would do harm.
 */
export type Phase = 'together' | 'alone' | 'limits' | 'last';

/** One way to get out, tried from the inside. */
export interface Attempt {
  readonly id: string;
  readonly category: Category;
  /** What is tried: `write through a symbolic link in the work tree`. */
  readonly attempt: string;
  /** Default: `together`. */
  readonly phase?: Phase;
  readonly by: 'sh' | 'node';
  /**
   * Runs inside, in the work tree, with the variables of `plan.ts`. It calls `escaped WHAT` for what it sees to have
   * worked; everything that shows outside is found there, whatever it says (`judge.ts`). `needs PROGRAM` and
   * `lacks WHAT` end a shell script that cannot be played without.
   */
  readonly script: string;
  /** Runs after it in another sandbox, as the next process of a run would: what the first one left must not be there. */
  readonly next?: string;
  /** What shows on the host beside what is looked for after every attempt: what got out, or null. */
  readonly check?: (traces: Traces) => Promise<string | null>;
}

/** What an attempt may have left on the host. */
export interface Traces {
  readonly id: string;
  /** The throw-away work tree. */
  readonly work: string;
  /** The person's own home folder, which nothing inside may have written to. */
  readonly home: string;
  /** Everything that the stand-in for an allowed host got to see. */
  readonly allowed: readonly Heard[];
  /** Has anything in the git dir of the work tree changed, our own state apart? What, or null. */
  gitChange(): Promise<string | null>;
}
