import type { EventBody } from '../../contracts/events.ts';
import type { Mode, Violation } from '../../contracts/model.ts';
import type { GuardProfile } from '../guard/api.ts';
import type { ScriptLookup } from '../verdict/api.ts';

/** Decisions inside an agent's session: `(event, context) → decision`, the same over HTTP and as a command. */

/** A hook call, after tolerant parsing: what is missing or of a wrong type is empty. */
export interface HookEvent {
  /** `PreToolUse`, `PostToolUse`, … as the client wrote it. */
  readonly name: string;
  readonly session: string;
  readonly transcript: string;
  /** Current folder of the agent's shell: it moves with `cd`. */
  readonly cwd: string;
  /** Set inside a subagent. */
  readonly subagent: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** `tool_response`: an object, a list or a text. */
  readonly response: unknown;
  /** Of PostToolUseFailure: `Exit code 1\n<output>`. */
  readonly error: string;
  readonly prompt: string;
  /** Of SessionStart: `startup`, `resume`, `compact`, `clear`. Of SessionEnd: its reason. */
  readonly source: string;
}

/** What is remembered of one session of the agent's. Plain data: kept in memory by a run, folded from a log elsewhere. */
export interface SessionState {
  /** Absolute paths, symbolic links resolved, that the agent read or wrote. */
  readonly read: ReadonlySet<string>;
  /** Percentages of the context monitor that were announced. */
  readonly announced: ReadonlySet<number>;
  /** Stops refused so far. */
  readonly refusals: number;
}

/** Look-ups in the file system. They never throw: what cannot be found out is the harmless answer. */
export interface PathFacts {
  /** Absolute, symbolic links resolved as far as the path exists. */
  readonly resolve: (path: string, cwd: string) => string;
  readonly exists: (path: string) => boolean;
  /** Case-sensitive file text, null when it is not there or not text. */
  readonly readText: (path: string) => string | null;
  /** The last `bytes` of a file, null when it is not there. */
  readonly readTail: (path: string, bytes: number) => string | null;
  readonly sizeOf: (path: string) => number | null;
}

/** The iteration a hook call belongs to; null outside a run. */
export interface RunFacts {
  readonly run: string;
  readonly iteration: number;
  readonly mode: Mode;
  readonly story: string;
  /** What settle would put back; relative to the work tree. */
  readonly isProtected: (path: string) => boolean;
  /** Files and folders of plugins among these, for globs that may mean them. */
  readonly hostFiles?: readonly string[];
  /** Backlog, progress log and review state: judged by Stop and settle, so that they stay writable. */
  readonly loopFiles: readonly string[];
  /** Roll back in the hook as soon as a test failure is seen. */
  readonly rollbackAtOnce: boolean;
  readonly storyText: string;
}

/** What the agent leaves if it stops now; found out by the caller before it asks. */
export interface StopFacts {
  readonly violations: readonly Violation[];
  /** Changed in this iteration and not committed; relative to the work tree. Loop files are left out. */
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
  /** Context window of the model in tokens where it is known better than from a table. */
  readonly window: {
    readonly env: number | null;
    readonly seen: Readonly<Record<string, number>>;
    /** Bytes of transcript per token, 3 to 6, where the transcript does not tell its use; default 4. */
    readonly divisor?: number;
  };
  /** Of a Stop in a run; null elsewhere. */
  readonly stop: StopFacts | null;
  /** Stops that may be refused in one session. */
  readonly maxRefusals: number;
}

export type HookAnswer =
  | { readonly kind: 'allow' }
  /** PreToolUse: the tool does not run, the model reads the reason. */
  | { readonly kind: 'deny'; readonly reason: string }
  /** Stop: the agent goes on with the reason. PostToolUse: the model reads it beside the tool's result. */
  | { readonly kind: 'block'; readonly reason: string }
  /** Text for the model beside whatever happens. */
  | { readonly kind: 'context'; readonly text: string };

export type HookLog = 'session.log' | 'failure-context.log' | 'sessions.log' | 'activity.log';

export type HookEffect =
  /** One append. `text` ends with a newline and may hold several lines. */
  | { readonly kind: 'log'; readonly log: HookLog; readonly text: string }
  | { readonly kind: 'event'; readonly body: EventBody }
  /** Roll back to the checkpoint now; the caller adds the name of the rescue to the answer. */
  | { readonly kind: 'roll-back'; readonly reason: string };

export interface HookDecision {
  readonly answer: HookAnswer;
  readonly session: SessionState;
  readonly effects: readonly HookEffect[];
}

export const NEW_SESSION: SessionState = { read: new Set(), announced: new Set(), refusals: 0 };
