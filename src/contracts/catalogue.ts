import type { EndReason, Mode, Verdict } from './model.ts';
import type { WaitReason } from './state/run-record.ts';

/** A work tree that runs were seen in. */
export interface ProjectInfo {
  /** Stands in addresses: digits and letters. */
  readonly id: string;
  /** For people: the name of the folder. */
  readonly name: string;
  /** Absolute. */
  readonly root: string;
  /** Work trees of one repository have the same; they are its streams. */
  readonly repository: string;
}

/**
 * `between`: its last turn is over, and nobody works on it until the next one, in order. `cut-off`: it neither ended
 * nor lives; the next start recovers it.
 */
export type RunState = 'running' | 'waiting' | 'paused' | 'between' | 'ended' | 'cut-off';

/** A run in one line. */
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
  /** What it waits for, between turns too; null when it does not. `until`: epoch ms, null until a person says so. */
  readonly waiting: { readonly why: WaitReason; readonly until: number | null } | null;
  readonly lastVerdict: Verdict | null;
  readonly stories: { readonly total: number; readonly done: number; readonly blocked: number };
  readonly costUsd: number;
  readonly agent: string | null;
  readonly branch: string | null;
  readonly ended: { readonly reason: EndReason; readonly exitCode: number; readonly summary: string } | null;
  /** What a person has to do, as a short sentence: an answer, a resume …; null when nothing. */
  readonly needs: string | null;
  /** Why its log cannot be used, e.g. that it is of a later version: nothing else is known of it then. Else null. */
  readonly problem: string | null;
}
