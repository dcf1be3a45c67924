import type { EndReason, Mode, Verdict } from '../../contracts/model.ts';

/** The last run, or the one under way. */
export interface RunStatus {
  readonly run: string;
  /**
   * `between`: its last turn is over, and nobody works on it until the next one. `cut-off`: it neither ended nor lives;
   * the next `ralph run` recovers it.
   */
  readonly state: 'running' | 'between' | 'ended' | 'cut-off';
  readonly iteration: number;
  /** Iterations that count against `maxIterations`; those that were limited or interrupted are free. */
  readonly used: number;
  readonly maxIterations: number;
  readonly mode: Mode | null;
  readonly story: { readonly id: string; readonly title: string } | null;
  readonly lastVerdict: Verdict | null;
  readonly costUsd: number | null;
  readonly ended: EndReason | null;
  /** Why the agent of a lone prompt cannot go on; null when it can, and with a backlog: its stories say so. */
  readonly blocked: string | null;
}

/** What an earlier run came to, as the ledger has it. */
export type EarlierRun = Pick<RunStatus, 'run' | 'iteration' | 'lastVerdict' | 'costUsd'>;
