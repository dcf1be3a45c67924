/** Test tampering: what a change did to the tests and checks that are supposed to judge it. Pure over texts. */

/** One file of a change. A rename is a deletion and an addition. */
export interface FileChange {
  /** Relative to the work tree, with forward slashes. */
  readonly path: string;
  /** null: the file was absent. */
  readonly before: string | null;
  /** null: the file is absent now. */
  readonly after: string | null;
}

export type TamperKind =
  | 'test-deleted'
  | 'test-skipped'
  /** `.only` and its like: every other test of the file no longer runs. */
  | 'test-only-selected'
  | 'assertion-removed'
  /** Still there, but it holds whatever the code does, or nearly. */
  | 'assertion-weakened'
  /** Coverage, tolerances, timeouts, retries, allowed warnings. */
  | 'threshold-loosened'
  /** A check still runs by name and no longer refuses anything, or refuses less. */
  | 'check-neutralised'
  | 'ci-changed'
  | 'snapshot-changed'
  /** Attributes take files out of differences that a reviewer reads. */
  | 'hidden-from-diff';

export interface TamperFinding {
  readonly kind: TamperKind;
  readonly path: string;
  /** 1-based; in `after`, or in `before` for what is gone. */
  readonly line: number;
  /** One sentence for a reviewer. */
  readonly detail: string;
  /** `high`: an honest change rarely does this. `low`: a reviewer should look, and will often find nothing wrong. */
  readonly severity: 'high' | 'low';
}
