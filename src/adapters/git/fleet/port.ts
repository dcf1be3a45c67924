/** Git between workers of a fleet: a remote that they share, and pushes that compare and swap. */

export interface FleetGit {
  /** Absolute: the clone of this worker, without a work tree of its own. */
  readonly clone: string;
  /**
   * Fetches branch and state of a stream, and brings its work tree to them, exactly; makes it where there is none.
   * Serialised within this clone. What the work tree held that is nowhere else is pushed to a side ref first.
   * @returns null where the remote has no such branch
   */
  checkOut(stream: FleetStream): Promise<FleetCheckout | null>;
  /**
   * Pushes branch and state at one go, only if both still are what `base` says: the fencing token of a turn. Git's own
   * hooks and settings of the clone do not run.
   * `fenced`: somebody else moved them meanwhile; nothing was pushed.
   */
  push(stream: FleetStream, base: FleetBase, state: FleetFiles): Promise<'pushed' | 'fenced'>;
  /** Keeps work of a turn under way at a side ref (`refs/ralph/fleet/<stream>/wip`); never fails a turn. */
  pushWip(stream: FleetStream, tree: string): Promise<void>;
  /** The state of a stream as the remote has it; null when there is none. */
  readState(stream: FleetStream): Promise<FleetFiles | null>;
  /** Work trees of streams that are here. */
  trees(): Promise<readonly FleetTree[]>;
  /**
   * Removes the work tree of a stream that has ended and is not worked on. What it holds that is nowhere else is pushed
   * to a side ref first, unless the remote has no such branch any more. False where it stays: it is on no branch.
   */
  forget(tree: FleetTree): Promise<boolean>;
}

export interface FleetStream {
  readonly stream: string;
  readonly branch: string;
}

export interface FleetTree {
  readonly stream: string;
  /** That it is on; null when an agent left it on none. */
  readonly branch: string | null;
}

/** What the remote had when a turn began: commit of the branch, commit of `refs/ralph/fleet/<stream>/state` ('' for none). */
export interface FleetBase {
  readonly head: string;
  readonly state: string;
}

export interface FleetCheckout {
  /** Absolute. */
  readonly root: string;
  readonly base: FleetBase;
  /** What travels beside the branch: ledger, run record, steering, outcome of the last turn. Empty at first. */
  readonly files: FleetFiles;
}

/** Small files by name. */
export type FleetFiles = Readonly<Record<string, string>>;
