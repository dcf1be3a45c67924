import type { Mode } from './model.ts';

/**
 * The effective configuration, defaults applied. The zod schema that produces it lives in
 * `adapters/workspace/config-schema.ts`, so that this room stays free of run-time libraries.
 * All durations are milliseconds.
 */
export interface Config {
  readonly agent: readonly string[];
  readonly model: string | null;
  readonly models: Readonly<Partial<Record<Mode, string>>> & {
    /** By a story's `estimate`. */
    readonly byEstimate: Readonly<Record<string, string>>;
    /** For the second attempt, the third …; the last one stays. */
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
  /** US dollars of one story, over all runs since it was last reset. */
  readonly storyMaxCost: number | null;
  /** null: `fallback` when several agents are named, else `wait`. */
  readonly onUsageLimit: 'wait' | 'fallback' | 'stop' | null;
  readonly circuit: CircuitSettings;
  /** What an agent writes into `<promise>…</promise>` to say that everything is done. */
  readonly promise: string;
  readonly keepAwake: boolean;
  /** Names of variables (a `*` at the end stands for any ending) that agents and checks get beside the usual ones. */
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
  /** Rule ids and patterns of the shell guard that the user allows or denies beside the built-in rules. */
  readonly guard: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly hooks: { readonly stopRefusals: number };
  /** Of the model, in tokens; null when the agent or a table knows. */
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
    /** The client's own sandbox around its shell, in its strict form, where nothing else isolates. */
    readonly bashSandbox: boolean;
  };
  readonly codex: AgentProgram;
  readonly opencode: AgentProgram;
  readonly gemini: AgentProgram;
  readonly copilot: AgentProgram;
  readonly droid: AgentProgram;
  /** Any program: a shell command that reads the prompt from standard input. */
  readonly command: { readonly run: string | null; readonly model: string | null };
  readonly runs: { readonly keep: number };
  readonly notify: NotifySettings;
  readonly dashboard: { readonly port: number };
  /** Modules beside the configuration, or packages; see `docs/plugins.md`. */
  readonly plugins: readonly PluginSetting[];
}

/** How checks are run, and what a checkout of the loop's needs for them: it has no ignored files. */
export interface ChecksSettings {
  /** Of one check. */
  readonly timeoutMs: number;
  /** `room`: a checkout that agents cannot reach; `tree`: the work tree. */
  readonly where: 'room' | 'tree';
  /** Commands, run in the isolation of the checks; null: found by lock files. */
  readonly setup: readonly string[] | null;
  /** Ignored files and folders copied from the work tree, relative to its root. */
  readonly copy: readonly string[];
  /** Of a red check, before it counts. */
  readonly retries: number;
  /** Several at once. */
  readonly parallel: boolean;
}

/** Where agents, checks and commit hooks run; see `adapters/isolation/port.ts`. */
export interface IsolationSettings {
  readonly backend: 'auto' | 'sbx' | 'container' | 'bwrap' | 'srt' | 'none';
  /** Refuse to start (exit 7) where the backend cannot be used, instead of taking a lesser one. */
  readonly required: boolean;
  /** Hosts that may be reached beside the agent's own and the project's package registries. */
  readonly allowHosts: readonly string[];
  /** Let the package registries that the project's files name be reached. */
  readonly registries: boolean;
  /** Ports of this machine's loopback that may be reached: databases, services. */
  readonly localPorts: readonly number[];
  /** More files and folders to read, and to write; `~` at the beginning is the home folder. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Bytes of memory of one sandbox; null is three quarters of the machine's. */
  readonly memoryBytes: number | null;
  /** Processes and threads of one sandbox. */
  readonly processes: number;
  /** Processors of one sandbox; null is no limit. */
  readonly cpus: number | null;
  readonly container: {
    /** null takes the first that works. */
    readonly engine: 'podman' | 'docker' | null;
    /** null uses the programs of this machine, read-only. */
    readonly image: string | null;
    readonly args: readonly string[];
  };
}

/** Who is told of a run that nobody watches, and of what. */
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
  /** The variable of the environment that holds the signing secret; null sends unsigned. */
  readonly secretEnv: string | null;
  /** Types of events that are sent. */
  readonly events: readonly string[];
}

export interface PluginSetting {
  /** A path relative to the project's root that starts with `./`, or the name of a package. */
  readonly use: string;
  /** Handed to the plugin as they are. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** When the circuit breaker opens; see `rules/safeguards/breaker.ts`. */
export interface CircuitSettings {
  /** Bad iterations in a row. */
  readonly noProgress: number;
  /** Iterations with the same error since the last good one. */
  readonly sameError: number;
  /** Percent by which an agent's output may fall below its mean. */
  readonly outputDecline: number;
  /** Milliseconds after which an open breaker lets one iteration try; null is never. */
  readonly cooldownMs: number | null;
}

/** Settings that every agent program has. */
export interface AgentProgram {
  readonly command: string;
  /** Arguments added to the loop's own. */
  readonly args: readonly string[];
  /** The model while this agent stands in for the first one of the list; null leaves it to the agent. */
  readonly model: string | null;
}

/** Kinds of commit message the loop writes; each has a template. */
export type CommitKind = 'implement' | 'wip' | 'review-fix' | 'review' | 'bookkeeping';

/** Where a value came from, for `ralph config`. */
export type ConfigSource = 'default' | 'file' | 'env' | 'flag';
