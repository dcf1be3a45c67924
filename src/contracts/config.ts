import type { Mode } from './model.ts';

/**
 * The effective configuration, defaults applied. The zod schema that produces it lives in
 * `adapters/workspace/config-schema.ts`, so that this room stays free of run-time libraries.
 * All durations are milliseconds.
 */
export interface Config {
  readonly agent: readonly string[];
  readonly model: string | null;
  readonly models: Readonly<Partial<Record<Mode, string>>>;
  readonly maxIterations: number;
  readonly maxAllowedIterations: number;
  readonly skipReview: boolean;
  readonly reviewCap: number;
  readonly onReviewCap: 'approve' | 'block';
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly storyMaxAttempts: number;
  readonly rollback: 'iteration-end' | 'immediate' | 'never';
  readonly dirty: 'refuse' | 'stash' | 'keep';
  readonly branch: boolean;
  readonly verifyCommands: readonly string[];
  readonly requireGreen: boolean;
  readonly checks: { readonly timeoutMs: number };
  readonly onTestTamper: 'flag' | 'reject';
  /** Rule ids and patterns of the shell guard that the user allows or denies beside the built-in rules. */
  readonly guard: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly hooks: { readonly stopRefusals: number };
  /** Of the model, in tokens; null when the agent or a table knows. */
  readonly context: { readonly window: number | null; readonly bytesPerToken: number };
  readonly transient: { readonly retries: number; readonly delayMs: number };
  readonly commits: 'squash' | 'keep';
  readonly commit: {
    readonly sign: boolean;
    readonly verify: boolean;
    readonly templates: Readonly<Partial<Record<CommitKind, string>>>;
  };
  readonly progress: { readonly keep: number };
  readonly scripted: { readonly scenario: string | null };
  readonly claude: {
    readonly command: string;
    readonly permissionMode: 'bypassPermissions' | 'acceptEdits' | null;
    readonly allowedTools: readonly string[];
    readonly maxRetries: number;
  };
  readonly runs: { readonly keep: number };
}

/** Kinds of commit message the loop writes; each has a template. */
export type CommitKind = 'implement' | 'wip' | 'review-fix' | 'review' | 'bookkeeping';

/** Where a value came from, for `ralph config`. */
export type ConfigSource = 'default' | 'file' | 'env' | 'flag';
