import type { BreakerState, EndReason, Mode, Verdict } from '../model.ts';
import type { WaitReason } from './run-record.ts';

export const STATUS_VERSION = 2;

/** What a run does: `starting` until the first iteration, `between` iterations, `settling` what an agent left. */
export type RunPhase =
  | 'starting'
  | 'baseline'
  | 'checkpoint'
  | 'agent'
  | 'settling'
  | 'check'
  | 'concluding'
  | 'retrying'
  | 'waiting'
  | 'between'
  | 'ended';

/** `.ralph/status.json`: the state at one look. */
export interface StatusFile {
  readonly version: typeof STATUS_VERSION;
  readonly run: string;
  /** ISO 8601, like the other times. */
  readonly updatedAt: string;
  /** `between` two turns: nobody works on it, in order. */
  readonly state: 'running' | 'between' | 'ended';
  /** Of the first start; null when it is not known. */
  readonly startedAt: string | null;
  readonly pid: number | null;
  readonly phase: RunPhase;
  readonly iteration: number;
  /** Iterations that count against `maxIterations`. */
  readonly used: number;
  readonly maxIterations: number;
  /** Of the iteration under way, like `story`, `agent`, `tool` and `contextPercent`. */
  readonly mode: Mode | null;
  readonly story: { readonly id: string; readonly title: string } | null;
  readonly agent: string | null;
  /** The tool in use, at most a second late; null while the agent thinks. */
  readonly tool: { readonly name: string; readonly what: string } | null;
  readonly contextPercent: number | null;
  readonly waiting: { readonly why: WaitReason; readonly until: string | null; readonly text: string } | null;
  readonly breaker: BreakerState;
  readonly lastVerdict: Verdict | null;
  /** How often each verdict was given; those that never were are absent. */
  readonly verdicts: Readonly<Partial<Record<Verdict, number>>>;
  readonly stories: { readonly total: number; readonly done: number; readonly blocked: number };
  readonly costUsd: number;
  readonly ended: { readonly reason: EndReason; readonly exitCode: number; readonly summary: string } | null;
}
