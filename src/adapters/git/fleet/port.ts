/** Git between workers of a fleet: a shared remote, and pushes that compare and swap. */

export interface FleetGit {
  /** Absolute: the clone of this worker, without its own work tree. */
  readonly clone: string;
  /**
   * Fetches branch and state of a stream, and brings its work tree to exactly them; makes it where there is none.
   * Serialised within this clone. Work in that work tree that exists nowhere else is pushed to a side ref first.
   * @returns null where the remote has no such branch
   */
  checkOut(stream: FleetStream): Promise<FleetCheckout | null>;
  /**
   * Pushes branch and state atomically, only if both still are what `base` says: the fencing token of a turn. Git's own
   * hooks and settings of the clone do not run.
   * `fenced`: another worker or a person moved them; nothing was pushed.
   */
  push(stream: FleetStream, base: FleetBase, state: FleetFiles): Promise<'pushed' | 'fenced'>;
  /** Keeps the work of a turn under way at a side ref (`refs/ralph/fleet/<stream>/wip`); never fails a turn. */
  pushWip(stream: FleetStream, tree: string): Promise<void>;
  /** The state of a stream as the remote has it; null when there is none. */
  readState(stream: FleetStream): Promise<FleetFiles | null>;
  /** Work trees of streams in this clone. */
  trees(): Promise<readonly FleetTree[]>;
  /**
   * Removes the work tree of a stream that has ended and is not worked on. Work in it that exists nowhere else is
   * pushed to a side ref first, unless the remote no longer has the branch. False when it stays: it is on no branch.
   */
  forget(tree: FleetTree): Promise<boolean>;
}

export interface FleetStream {
  readonly stream: string;
  readonly branch: string;
}

export interface FleetTree {
  readonly stream: string;
  /** The branch it is on; null when an agent left it on none. */
  readonly branch: string | null;
}

/** The remote when a turn began: commit of the branch, commit of `refs/ralph/fleet/<stream>/state` ('' for none). */
export interface FleetBase {
  readonly head: string;
  readonly state: string;
}

export interface FleetCheckout {
  /** Absolute. */
  readonly root: string;
  readonly base: FleetBase;
  /** Files that travel with the branch: ledger, run record, steering, outcome of the last turn. Empty at first. */
  readonly files: FleetFiles;
}

/** Small files by name. */
export type FleetFiles = Readonly<Record<string, string>>;
