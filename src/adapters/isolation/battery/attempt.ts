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
 * `together`: in one sandbox with others. `alone`: in its own sandbox, which it may end. `limits`: alone too, with
 * little memory and few processes. `last`: only when every attempt before it held, since it would do harm.
 */
export type Phase = 'together' | 'alone' | 'limits' | 'last';

/** One way to get out, tried from inside. */
export interface Attempt {
  readonly id: string;
  readonly category: Category;
  /** What the attempt does: `write through a symbolic link in the work tree`. */
  readonly attempt: string;
  /** Default: `together`. */
  readonly phase?: Phase;
  readonly by: 'sh' | 'node';
  /**
   * Runs inside, in the work tree, with the variables of `plan.ts`. It calls `escaped WHAT` for what it sees working;
   * traces on the host are found there, whatever the script reports (`judge.ts`). `needs PROGRAM` and `lacks WHAT` end
   * a shell script that cannot run without them.
   */
  readonly script: string;
  /** Runs afterwards in another sandbox, like the next process of a run: it must not find what `script` left. */
  readonly next?: string;
  /** Checks the host for what only this attempt can leave there, beside the general checks: what got out, or null. */
  readonly check?: (traces: Traces) => Promise<string | null>;
}

/** What an attempt may have left on the host. */
export interface Traces {
  readonly id: string;
  /** The throw-away work tree. */
  readonly work: string;
  /** The user's home folder, which nothing inside may have written to. */
  readonly home: string;
  /** Everything that the stand-in for an allowed host received. */
  readonly allowed: readonly Heard[];
  /** What changed in the git dir of the work tree, apart from ralph's own state; null when nothing did. */
  gitChange(): Promise<string | null>;
}
