import type { SteeringEntry } from './control.ts';
import type {
  AddedTokens,
  BreakerState,
  CheckResult,
  EndReason,
  ExitCodeValue,
  Mode,
  Overrun,
  RedGreenProof,
  RunLimits,
  Signals,
  StoryRow,
  Usage,
  UserNeed,
  Verdict,
  Violation,
  WaitReason,
} from './model.ts';

/** Version of the event log's format; a reader refuses later ones and migrates earlier ones. */
export const EVENTS_VERSION = 1;

/** Fields in every line of `events.jsonl`. */
export interface EventEnvelope {
  /** ISO 8601 with milliseconds. */
  readonly ts: string;
  readonly run: string;
  /** 0 for events outside any iteration. */
  readonly iteration: number;
}

/**
 * Everything that happens in a run, grouped by life cycle. All that people see is derived from these. Events are not
 * fsynced and never decide anything.
 */
export type EventBody =
  // run
  | {
      readonly type: 'run-start';
      readonly version: number;
      readonly ralph: string;
      readonly resumed: boolean;
      readonly specDir: string;
      readonly backlog: string;
      readonly agent: string;
      readonly model: string | null;
      readonly isolation: string;
      /**
       * Better isolation backends that were not used, and why: `container: podman is not installed`. Absent in older
       * logs.
       */
      readonly isolationInstead?: readonly string[];
      readonly branch: string | null;
      /** The run has a separate work tree, not the checkout of the repository. Absent in older logs. */
      readonly ownTree?: boolean;
      readonly maxIterations: number;
      readonly stories: { readonly total: number; readonly done: number; readonly blocked: number };
      readonly pid: number;
      /** The limits at the start of the run; absent in older logs, like the fields below. */
      readonly limits?: RunLimits;
      /**
       * Epoch ms of agent processes started within the last hour, including this run's own before an interruption: they
       * count for `calls`.
       */
      readonly recentCalls?: readonly number[];
      readonly breaker?: BreakerState;
      /** There is no backlog: `stories` counts the one pseudo story of a prompt. */
      readonly lonePrompt?: true;
    }
  /** The backlog as people see it: complete at the start, later only the rows that changed. Absent in older logs. */
  | {
      readonly type: 'backlog';
      readonly whole: boolean;
      readonly stories: readonly StoryRow[];
      /** Ids that were removed. */
      readonly removed: readonly string[];
    }
  /** The limits of the run after a person changed them. */
  | { readonly type: 'limits'; readonly limits: RunLimits }
  | {
      readonly type: 'estimate';
      readonly storiesLeft: number;
      readonly iterationsNeeded: number;
      readonly limit: number;
      readonly costUsd: number | null;
      readonly enough: boolean;
    }
  | { readonly type: 'baseline'; readonly checks: readonly CheckResult[] }
  | {
      readonly type: 'recovered';
      readonly phase: string;
      readonly action: 'finished' | 'rolled-back' | 'settled' | 'stopped';
      readonly rescue: string | null;
      readonly story: string | null;
    }
  /** A turn is over and leaves the run open: the next one, here or elsewhere, follows at once or later. */
  | {
      readonly type: 'turn-end';
      readonly next: 'next' | 'later';
      /** Epoch ms before which no turn is taken; null: at once, or when a person allows it. */
      readonly until: number | null;
      readonly why: WaitReason | null;
      /** One sentence; empty for `next`. */
      readonly text: string;
    }
  | {
      readonly type: 'run-end';
      readonly reason: EndReason;
      readonly exitCode: ExitCodeValue;
      readonly summary: string;
      /**
       * One sentence in addition to the reason, as the run printed it; absent when there is none, and in older logs.
       */
      readonly detail?: string;
      readonly stories: { readonly total: number; readonly done: number; readonly blocked: number };
      readonly costUsd: number;
      readonly usage: Usage;
      readonly durationMs: number;
      /** What a person has to do or to know now, most urgent first; absent when there is nothing, and in older logs. */
      readonly needs?: readonly UserNeed[];
      /** There is no backlog: `stories` counts the one pseudo story of a prompt. */
      readonly lonePrompt?: true;
    }
  // gate
  /**
   * The gate is closed for now; the countdown is derived from `until` (epoch ms, null until a person ends the wait).
   */
  | { readonly type: 'wait'; readonly why: WaitReason; readonly until: number | null; readonly text: string }
  | { readonly type: 'wait-end'; readonly why: WaitReason; readonly waitedMs: number }
  /** The breaker changed its state. */
  | {
      readonly type: 'circuit';
      readonly from: BreakerState;
      readonly to: BreakerState;
      readonly reason: string;
      /** The evidence for the change, one line each. */
      readonly evidence: readonly string[];
      readonly fix: readonly string[];
    }
  | { readonly type: 'budget'; readonly overrun: Overrun; readonly story: string | null }
  /** Another agent from the list takes over, or the first one is back. */
  | { readonly type: 'agent-switch'; readonly from: string; readonly to: string; readonly reason: string }
  /** A person's instruction from outside took effect. */
  | { readonly type: 'steering'; readonly request: SteeringEntry['kind']; readonly text: string }
  // iteration
  | {
      readonly type: 'select';
      readonly mode: Mode;
      readonly story: string;
      readonly title: string;
      readonly attempt: number;
      readonly reviewCount: number;
      /** Iterations of the run that counted against its limit before this one; absent in older logs. */
      readonly used?: number;
      /** The current limit. */
      readonly limit?: number;
    }
  | { readonly type: 'checkpoint'; readonly head: string; readonly tree: string; readonly durationMs: number }
  | {
      readonly type: 'agent-start';
      readonly agent: string;
      readonly model: string | null;
      readonly pid: number;
      readonly try: number;
      /** Tokens that the model's window holds; absent where it is unknown, and in older logs. */
      readonly window?: number;
      /** Milliseconds of silence after which the loop stops the agent; absent in older logs. */
      readonly idleTimeoutMs?: number;
    }
  | { readonly type: 'agent'; readonly event: AgentEvent }
  | {
      readonly type: 'agent-end';
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly ok: boolean;
      readonly error: AgentError | null;
      readonly stopped: StopReason | null;
      readonly durationMs: number;
      readonly costUsd: number | null;
      readonly usage: Usage;
      readonly turns: number | null;
      /** Absent in older logs. */
      readonly added?: AddedTokens;
      /** As the agent named it; absent where it is unknown, and in older logs. */
      readonly model?: string;
      /** The most that was in the model's window, and its size; absent where one is unknown, and in older logs. */
      readonly context?: { readonly tokens: number; readonly window: number };
    }
  | {
      readonly type: 'transient';
      readonly try: number;
      /** How many tries follow the first; absent in older logs. */
      readonly retries?: number;
      readonly reason: string;
      readonly delayMs: number;
      readonly rescue: string | null;
    }
  | { readonly type: 'check-start'; readonly command: string }
  | { readonly type: 'check'; readonly result: CheckResult; readonly baselineRed: boolean }
  | { readonly type: 'violation'; readonly violation: Violation }
  /** What compacting removed from the progress log: from here on it exists only here and in git. */
  | { readonly type: 'progress-compacted'; readonly text: string }
  /** Whether the story's tests fail without its code; only with `proof: "red-green"`. */
  | { readonly type: 'proof'; readonly story: string; readonly proof: RedGreenProof }
  | {
      readonly type: 'verdict';
      readonly verdict: Verdict;
      readonly mode: Mode;
      readonly story: string;
      readonly claim: string | null;
      readonly reason: string;
      readonly counts: 'good' | 'bad' | 'ignored';
      readonly attempts: number;
    }
  | {
      readonly type: 'commit';
      readonly commit: string;
      readonly subject: string;
      readonly files: number;
      readonly agentCommits: string | null;
    }
  | { readonly type: 'rollback'; readonly rescue: string | null; readonly files: number }
  | {
      readonly type: 'story';
      readonly story: string;
      readonly from: string;
      readonly to: string;
      readonly reason: string;
    }
  /** The story waits for a person's answer. */
  | { readonly type: 'question'; readonly question: string; readonly story: string; readonly text: string }
  /** The agent said that all work is done when it is not. */
  | { readonly type: 'false-completion'; readonly storiesLeft: number; readonly by: string }
  | { readonly type: 'signals'; readonly signals: Signals }
  | { readonly type: 'iteration-end'; readonly durationMs: number; readonly costUsd: number | null }
  // inside the agent's session
  /** A hook refused what the agent wanted to do. */
  | {
      readonly type: 'denied';
      readonly tool: string;
      /** Id of the rule, e.g. `git/push` or `path/protected`. */
      readonly rule: string;
      readonly reason: string;
      /** The command or path, shortened. */
      readonly subject: string;
    }
  /** A program inside the isolation tried to reach a forbidden host; `times`: attempts since the last such event. */
  | {
      readonly type: 'egress-refused';
      readonly host: string;
      readonly port: number;
      readonly reason: string;
      readonly times: number;
    }
  /** Parts of a command that the guard could not resolve and let through. */
  | { readonly type: 'unresolved'; readonly parts: readonly string[] }
  /** A hook of the agent's client reported a test run and its output: the agent's own claim, which decides nothing. */
  | {
      readonly type: 'test-result';
      readonly command: string;
      readonly outcome: 'pass' | 'fail' | 'error' | 'no-tests' | 'unknown';
      readonly framework: string | null;
      readonly passed: number | null;
      readonly failed: number | null;
      readonly confidence: number;
      /** No hook call announced the tool use that this one ended: no client behaves like that. */
      readonly unannounced?: true;
    }
  /** A hook could not decide and let the agent continue. */
  | { readonly type: 'hook-error'; readonly hook: string; readonly message: string }
  | { readonly type: 'stop-refused'; readonly refusal: number; readonly reasons: readonly string[] }
  | { readonly type: 'context-use'; readonly percent: number; readonly tokens: number; readonly window: number }
  | { readonly type: 'tool-call'; readonly tool: string; readonly summary: string; readonly refused: string | null }
  /** Weakened tests in the iteration's diff. */
  | {
      readonly type: 'tampering';
      readonly kind: string;
      readonly path: string;
      readonly line: number;
      readonly detail: string;
    }
  /** A plugin is left out from here on: it threw, hung or died. */
  | { readonly type: 'plugin-failed'; readonly plugin: string; readonly doing: string; readonly message: string }
  /** An exit condition, a plugin's or a built-in one, is met: the run ends after this iteration. */
  | { readonly type: 'exit-condition'; readonly name: string; readonly reason: string }
  // anything else worth a line
  | {
      readonly type: 'notice';
      readonly level: 'info' | 'warning' | 'error';
      readonly text: string;
      readonly fix?: string;
      /** A person has to know this: it is repeated at the end of the run. */
      readonly remember?: true;
    };

export type RalphEvent = EventEnvelope & EventBody;

/** Takes events as they happen. Must not throw: an observer cannot stop the loop. */
export type EventSink = (event: RalphEvent) => void;

/** What an agent does, as translated by its adapter. Nothing outside an adapter knows the agent's own format. */
export type AgentEvent =
  | {
      readonly type: 'session';
      readonly sessionId: string;
      readonly model: string | null;
      readonly version: string | null;
      /** Tokens that the model's window holds, where the workspace knows it: the loop adds this. */
      readonly window?: number;
    }
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly id: string;
      readonly name: string /** One line for people: a file, a command. */;
      readonly summary: string;
    }
  | { readonly type: 'tool-result'; readonly id: string; readonly ok: boolean; readonly summary: string }
  | {
      /** Running totals of the process. */
      readonly type: 'usage';
      readonly usage: Usage /** Tokens in the model's window now. */;
      readonly contextTokens: number | null /** US dollars, where the agent says so while it works. */;
      readonly costUsd?: number;
    }
  | { readonly type: 'limit'; readonly limit: ProviderLimit }
  | {
      readonly type: 'retry';
      readonly attempt: number;
      /** Total number, where the agent reports it. */
      readonly of?: number;
      readonly delayMs: number | null;
      readonly reason: string;
    }
  | { readonly type: 'notice'; readonly text: string };

/** A usage limit of the provider, taken only from a structured event or error. */
export interface ProviderLimit {
  /** `warning` is not a limit: the agent continues. */
  readonly status: 'warning' | 'rejected';
  /** e.g. `five_hour`, `seven_day`, `rate_limit`, `overloaded`. */
  readonly kind: string;
  /** Epoch milliseconds; null when the provider did not say. */
  readonly resetsAt: number | null;
}

export type AgentErrorKind =
  | 'crash' // ended with a failure or by a signal that the loop did not send
  | 'empty' // exit 0, nothing said: transient
  | 'network' // connection refused or reset, no such host, TLS, 5xx: waited for
  | 'api' // the provider refused the request
  | 'limit' // usage limit
  | 'auth' // not logged in, key refused, billing
  | 'model' // unknown model
  | 'unavailable' // the program is not there or does not start
  | 'exhausted'; // turns or budget given to the agent are spent

export interface AgentError {
  readonly kind: AgentErrorKind;
  readonly message: string;
}

/** How an agent's process ended, and its result. */
export interface AgentResult {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The agent's own account of success: exit, error flags and a non-empty result together. */
  readonly ok: boolean;
  /** The final message. */
  readonly text: string;
  readonly usage: Usage;
  /** US dollars of this process; null when the agent does not report them. */
  readonly costUsd: number | null;
  readonly turns: number | null;
  readonly sessionId: string | null;
  /** Context windows in tokens by model, as the agent reported them. */
  readonly windows?: Readonly<Record<string, number>>;
  readonly limit: ProviderLimit | null;
  readonly error: AgentError | null;
}

/** Why the loop itself ended the agent, if it did. */
export type StopReason = 'timeout' | 'idle-timeout' | 'interrupted' | 'terminated' | 'stopped' | 'budget';
