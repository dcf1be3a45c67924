import type { Mode } from './model.ts';

/**
 * The effective configuration, with defaults applied. The zod schema that produces it lives in
 * `adapters/workspace/config-schema.ts`, so that this module needs no run-time libraries. All durations are
 * milliseconds.
 */
export interface Config {
  readonly agent: readonly string[];
  readonly model: string | null;
  readonly models: Readonly<Partial<Record<Mode, string>>> & {
    /** By a story's `estimate`. */
    readonly byEstimate: Readonly<Record<string, string>>;
    /** For the second attempt, the third …; the last one applies to all further attempts. */
    readonly escalate: readonly string[];
  };
  readonly maxIterations: number;
  readonly maxAllowedIterations: number;
  readonly skipReview: boolean;
  readonly reviewCap: number;
  readonly onReviewCap: 'approve' | 'block';
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly storyMaxAttempts: number;
  /** Agent processes per hour, over all runs of the workspace. */
  readonly calls: number;
  /** US dollars, tokens (all kinds together) and milliseconds of one run; null is no limit. */
  readonly maxCost: number | null;
  readonly maxTokens: number | null;
  readonly maxDurationMs: number | null;
  /** US dollars for one story, over all runs since it was last reset. */
  readonly storyMaxCost: number | null;
  /** null: `fallback` when several agents are named, else `wait`. */
  readonly onUsageLimit: 'wait' | 'fallback' | 'stop' | null;
  readonly circuit: CircuitSettings;
  /** What an agent writes into `<promise>…</promise>` to say that all work is done. */
  readonly promise: string;
  readonly keepAwake: boolean;
  /**
   * Names of variables that agents and checks get in addition to the usual ones; a `*` at the end matches any ending.
   */
  readonly env: { readonly pass: readonly string[] };
  readonly isolation: IsolationSettings;
  readonly rollback: 'iteration-end' | 'immediate' | 'never';
  readonly dirty: 'refuse' | 'stash' | 'keep';
  readonly branch: boolean;
  readonly verifyCommands: readonly string[];
  readonly requireGreen: boolean;
  readonly checks: ChecksSettings;
  readonly onTestTamper: 'flag' | 'reject';
  /** `red-green`: new and changed tests of a story must fail without its code. */
  readonly proof: 'none' | 'red-green';
  readonly precious: { readonly also: readonly string[]; readonly not: readonly string[] };
  /** Rule ids and patterns of the shell guard that the user allows or denies in addition to the built-in rules. */
  readonly guard: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly hooks: { readonly stopRefusals: number };
  /** Of the model, in tokens; null when the agent or a table supplies it. */
  readonly context: { readonly window: number | null; readonly bytesPerToken: number };
  readonly transient: { readonly retries: number; readonly delayMs: number; readonly maxWaitMs: number };
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
    readonly model: string | null;
    /** The client's own sandbox around its shell, in its strict form, where no other isolation applies. */
    readonly bashSandbox: boolean;
  };
  readonly codex: AgentProgram;
  readonly opencode: AgentProgram;
  readonly gemini: AgentProgram;
  readonly copilot: AgentProgram;
  readonly droid: AgentProgram;
  /** Any program, as a shell command that reads the prompt from standard input. */
  readonly command: { readonly run: string | null; readonly model: string | null };
  readonly runs: { readonly keep: number };
  readonly notify: NotifySettings;
  readonly dashboard: { readonly port: number };
  /** Modules next to the configuration, or packages; see `docs/plugins.md`. */
  readonly plugins: readonly PluginSetting[];
}

/** How checks run, and what a checkout of the loop's own needs for them: it has no ignored files. */
interface ChecksSettings {
  /** For one check. */
  readonly timeoutMs: number;
  /** `room`: a checkout that agents cannot reach; `tree`: the work tree. */
  readonly where: 'room' | 'tree';
  /** Commands, run in the isolation of the checks; null: chosen by lock files. */
  readonly setup: readonly string[] | null;
  /** Ignored files and folders copied from the work tree, relative to its root. */
  readonly copy: readonly string[];
  /** Reruns of a red check before it counts as red. */
  readonly retries: number;
  /** Run several checks at once. */
  readonly parallel: boolean;
}

/** Where agents, checks and commit hooks run; see `adapters/isolation/port.ts`. */
export interface IsolationSettings {
  readonly backend: 'auto' | 'sbx' | 'container' | 'bwrap' | 'srt' | 'none';
  /** Refuse to start (exit 7) where the backend cannot be used, instead of falling back to a weaker one. */
  readonly required: boolean;
  /** Hosts that may be reached in addition to the agent's own and the project's package registries. */
  readonly allowHosts: readonly string[];
  /** Allow access to the package registries that the project's files name. */
  readonly registries: boolean;
  /** Ports of this machine's loopback that may be reached: databases, services. */
  readonly localPorts: readonly number[];
  /** Additional files and folders to read and to write; `~` at the beginning is the home folder. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Bytes of memory for one sandbox; null is three quarters of the machine's. */
  readonly memoryBytes: number | null;
  /** Processes and threads in one sandbox. */
  readonly processes: number;
  /** Processors for one sandbox; null is no limit. */
  readonly cpus: number | null;
  readonly container: {
    /** null takes the first engine that works. */
    readonly engine: 'podman' | 'docker' | null;
    /** null uses the programs of this machine, read-only. */
    readonly image: string | null;
    readonly args: readonly string[];
  };
}

/** How to notify people of a run that they are not watching, and of which events. */
export interface NotifySettings {
  readonly webhooks: readonly WebhookSetting[];
  readonly desktop: NotifyWhen;
  /** The terminal's bell. */
  readonly bell: NotifyWhen;
}

/** `attention`: at the end, and whenever the run waits for a person. */
export type NotifyWhen = 'never' | 'end' | 'attention';

export interface WebhookSetting {
  readonly url: string;
  /** The environment variable that holds the signing secret; null sends unsigned. */
  readonly secretEnv: string | null;
  /** Types of events that are sent. */
  readonly events: readonly string[];
}

export interface PluginSetting {
  /** A path relative to the project's root that starts with `./`, or a package name. */
  readonly use: string;
  /** Passed to the plugin unchanged. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** When the circuit breaker opens; see `rules/safeguards/breaker.ts`. */
export interface CircuitSettings {
  /** Bad iterations in a row. */
  readonly noProgress: number;
  /** Iterations with the same error since the last good iteration. */
  readonly sameError: number;
  /** Percentage by which an agent's output may fall below its mean. */
  readonly outputDecline: number;
  /** Milliseconds after which an open breaker allows one trial iteration; null is never. */
  readonly cooldownMs: number | null;
}

/** Settings common to all agent programs. */
export interface AgentProgram {
  readonly command: string;
  /** Arguments added to the loop's own. */
  readonly args: readonly string[];
  /** The model to use while this agent replaces the first one of the list; null leaves it to the agent. */
  readonly model: string | null;
}

/** Kinds of commit message the loop writes; each has a template. */
export type CommitKind = 'implement' | 'wip' | 'review-fix' | 'review' | 'bookkeeping';

/** The source of a value, for `ralph config`. */
export type ConfigSource = 'default' | 'file' | 'env' | 'flag';
