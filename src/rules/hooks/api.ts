import type { EventBody, Mode, SeenTests, Violation } from '../../contracts/index.ts';
import type { GuardProfile } from '../guard/index.ts';
import type { ScriptLookup } from '../test-results/index.ts';

/** Decisions inside an agent's session: `(event, context) → decision`, both over HTTP and as a command. */

/** A hook call after tolerant parsing: fields that are missing or of the wrong type are empty. */
export interface HookEvent {
  /** `PreToolUse`, `PostToolUse`, … as the client wrote it. */
  readonly name: string;
  readonly session: string;
  readonly transcript: string;
  /** Current folder of the agent's shell; `cd` changes it. */
  readonly cwd: string;
  /** Set inside a subagent. */
  readonly subagent: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** `tool_response`: an object, a list or a text. */
  readonly response: unknown;
  /** Only for PostToolUseFailure: `Exit code 1\n<output>`. */
  readonly error: string;
  readonly prompt: string;
  /** For SessionStart: `startup`, `resume`, `compact`, `clear`. For SessionEnd: its reason. */
  readonly source: string;
}

/** What is remembered of one agent session. Plain data: a run keeps it in memory, other callers fold it from a log. */
export interface SessionState {
  /** Absolute paths, symbolic links resolved, that the agent read or wrote. */
  readonly read: ReadonlySet<string>;
  /** Context monitor percentages that have been announced. */
  readonly announced: ReadonlySet<number>;
  readonly refusals: number;
  /** Refusals since the last tool call. */
  readonly idle: number;
}

/** File system look-ups. They never throw: when the answer is unknown, they return the harmless one. */
export interface PathFacts {
  /** Absolute, symbolic links resolved as far as the path exists. */
  readonly resolve: (path: string, cwd: string) => string;
  readonly exists: (path: string) => boolean;
  /** The last `bytes` bytes of a file; null when it is missing. */
  readonly readTail: (path: string, bytes: number) => string | null;
  readonly sizeOf: (path: string) => number | null;
}

/** The iteration a hook call belongs to; null outside a run. */
export interface RunFacts {
  readonly run: string;
  readonly iteration: number;
  readonly mode: Mode;
  readonly story: string;
  /** Whether settle would restore this path; relative to the work tree. */
  readonly isProtected: (path: string) => boolean;
  /** Files and folders of plugins among the protected paths, for globs that may match them. */
  readonly hostFiles?: readonly string[];
  /** Backlog, progress log and review state: Stop and settle judge them, so they stay writable. */
  readonly loopFiles: readonly string[];
  /** Roll back in the hook as soon as a test failure is detected. */
  readonly rollbackAtOnce: boolean;
}

/** What the agent leaves behind if it stops now; the caller finds it out first. */
export interface StopFacts {
  readonly violations: readonly Violation[];
  /** Changed in this iteration and not committed, where that is asked for; relative, without loop files. */
  readonly uncommitted: readonly string[];
}

export interface HookContext {
  readonly profile: GuardProfile;
  /** Absolute: the work tree. */
  readonly root: string;
  readonly home: string;
  readonly temp: readonly string[];
  /** Epoch ms. */
  readonly now: number;
  readonly run: RunFacts | null;
  readonly session: SessionState;
  readonly paths: PathFacts;
  readonly scripts: ScriptLookup;
  readonly guard: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  /** The model's context window in tokens, where a better source than the table knows it. */
  readonly window: {
    readonly env: number | null;
    readonly seen: Readonly<Record<string, number>>;
    /** Bytes of transcript per token, 3 to 6, for a transcript without usage figures; default 4. */
    readonly divisor?: number;
  };
  /** For a Stop in a run; null elsewhere. */
  readonly stop: StopFacts | null;
  /** Stops that may be refused in one session. */
  readonly maxRefusals: number;
}

/**
 * `deny`, before a tool: it does not run. `block`: at a stop the agent continues; after a tool the model reads it beside the
 * result. `context`: text for the model with any outcome.
 */
export type HookAnswer =
  | { readonly kind: 'allow'; readonly text?: never }
  | { readonly kind: 'deny' | 'block' | 'context'; readonly text: string };

export type HookLog = 'session.log' | 'failure-context.log' | 'sessions.log' | 'activity.log';

export type HookEffect =
  /** One append. `text` ends with a newline and may hold several lines. */
  | { readonly kind: 'log'; readonly log: HookLog; readonly text: string }
  | { readonly kind: 'event'; readonly body: EventBody }
  /** The last test run of the session so far. */
  | { readonly kind: 'tests'; readonly seen: SeenTests }
  /** Roll back to the checkpoint now; the caller adds the rescue's name to the answer. */
  | { readonly kind: 'roll-back'; readonly reason: string };

export interface HookDecision {
  readonly answer: HookAnswer;
  readonly session: SessionState;
  readonly effects: readonly HookEffect[];
}

export const NEW_SESSION: SessionState = { read: new Set(), announced: new Set(), refusals: 0, idle: 0 };
