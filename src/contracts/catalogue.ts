import type { EndReason, Mode, Verdict, WaitReason } from './model.ts';

/** A work tree in which runs were found. */
export interface ProjectInfo {
  /** Used in addresses: digits and letters. */
  readonly id: string;
  /** The name of the folder, for people. */
  readonly name: string;
  /** Absolute. */
  readonly root: string;
  /** The same for all work trees of one repository, which are its streams. */
  readonly repository: string;
}

/**
 * `between`: its last turn ended normally, and no process works on it until the next one. `cut-off`: it neither ended
 * nor is alive; the next start recovers it.
 */
export type RunState = 'running' | 'waiting' | 'paused' | 'between' | 'ended' | 'cut-off';

export interface RunSummary {
  readonly project: string;
  readonly run: string;
  readonly state: RunState;
  /** Epoch ms. */
  readonly startedAt: number | null;
  readonly lastEventAt: number | null;
  readonly iteration: number;
  readonly maxIterations: number;
  readonly mode: Mode | null;
  readonly story: { readonly id: string; readonly title: string } | null;
  /**
   * What it waits for, also between turns; null when it does not wait. `until`: epoch ms, null until a person ends the
   * wait.
   */
  readonly waiting: { readonly why: WaitReason; readonly until: number | null } | null;
  readonly lastVerdict: Verdict | null;
  readonly stories: { readonly total: number; readonly done: number; readonly blocked: number };
  readonly costUsd: number;
  readonly agent: string | null;
  readonly branch: string | null;
  readonly ended: { readonly reason: EndReason; readonly exitCode: number; readonly summary: string } | null;
  /** What a person has to do, as a short sentence: an answer, a resume …; null when there is nothing. */
  readonly needs: string | null;
  /**
   * Why its log cannot be used, e.g. because a later version wrote it: nothing else is known of the run then. Else
   * null.
   */
  readonly problem: string | null;
}
