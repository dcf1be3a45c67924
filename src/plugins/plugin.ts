/**
 * What a plugin is: the public types, and nothing else. They ship as `dist/plugin.d.ts`, which stands by itself: the
 * build puts in what this file imports. Everything that a plugin gets is plain data, and so is everything it returns.
 */
import type { RalphEvent } from '../contracts/events.ts';

/** Version of these types. A plugin that was written for a later one is left out, and the run says so. */
export const PLUGIN_API = 1;

export type Awaitable<T> = T | Promise<T>;

/** Has at least one of the four functions. Each may be asynchronous; the first that throws or hangs ends the plugin. */
export interface Plugin {
  /** As events, reports and `ralph plugins` name it. */
  readonly name: string;
  /** {@link PLUGIN_API} of the types it was written for; default: the present one. */
  readonly api?: number;
  /** Reads an agent's answer, before the loop judges the iteration. 2 seconds. */
  analyze?(answer: Answer): Awaitable<Analysis | null | undefined>;
  /** Asked after every iteration: a sentence ends the run, with that as its reason. 5 seconds. */
  exitWhen?(state: RunState): Awaitable<string | null | undefined>;
  /** Asked about a check that no built-in detector recognises: was it a test run, and how did it end? 2 seconds. */
  judgeTests?(run: CommandRun): Awaitable<TestJudgement | null | undefined>;
  /** Gets every event, secrets replaced, one at a time and in order. 5 seconds each. */
  onEvent?(event: RunEvent): Awaitable<void>;
}

/** What a plugin is told when it is loaded. */
export interface PluginStart {
  /** `options` of its entry in the configuration. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Absolute: the work tree. */
  readonly root: string;
  /** Id of the run; empty when `ralph plugins` or `ralph doctor` only look. */
  readonly run: string;
}

/**
 * The default export of a plugin's module: the plugin, or a function that makes it. A function has a name as well, and
 * would pass for a plugin that does nothing: it is told apart by what only functions have.
 */
export type PluginModule = (Plugin & { readonly apply?: never }) | ((start: PluginStart) => Awaitable<Plugin>);

export type Mode = 'implement' | 'review' | 'review-fix';

export type Verdict =
  | 'accepted'
  | 'advanced'
  | 'rejected'
  | 'no-progress'
  | 'timed-out'
  | 'interrupted'
  | 'agent-error'
  | 'limited';

export type TestOutcome = 'pass' | 'fail' | 'error' | 'no-tests';

/** An agent's last message, and what the loop knows beside it. */
export interface Answer {
  readonly run: string;
  readonly root: string;
  /** From 1 on. */
  readonly iteration: number;
  readonly mode: Mode;
  /** Id of the story under work. */
  readonly story: string;
  readonly title: string;
  readonly text: string;
  /** Whether the agent's process ended well. */
  readonly ok: boolean;
  /** Relative to the root; without the backlog, the progress log and what was put back. */
  readonly changedFiles: readonly string[];
  /** The last test run that was seen in the agent's session. */
  readonly tests: {
    readonly command: string;
    readonly outcome: TestOutcome;
    readonly passed: number | null;
    readonly failed: number | null;
  } | null;
  /** There is no backlog: one prompt is repeated. */
  readonly lonePrompt: boolean;
}

/** What an analyzer makes of an answer. */
export interface Analysis {
  /**
   * The answer calls the work finished. With a backlog that is a claim like the agent's own: checks and a review
   * decide, and without reviews it counts for nothing. Without one it is a signal: two in a row end the run.
   */
  readonly completion?: boolean;
  /** Why the agent cannot go on: the story is set aside until a person decides, as if the agent had said so. */
  readonly blocked?: string;
  /** Told to the next agent, whatever its story. */
  readonly notes?: readonly string[];
}

/** A run between two iterations. */
export interface RunState {
  readonly run: string;
  readonly root: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The iteration that ended last; 0 before the first. */
  readonly iteration: number;
  /** Of this run, in order; the last one is that of `iteration`. */
  readonly verdicts: readonly IterationVerdict[];
  readonly stories: readonly StoryState[];
  /** US dollars that the run has cost, as far as its agents told. */
  readonly costUsd: number;
  readonly lonePrompt: boolean;
}

export interface IterationVerdict {
  readonly iteration: number;
  readonly story: string;
  readonly mode: Mode;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly costUsd: number | null;
  readonly durationMs: number;
}

export interface StoryState {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
  /** Why nobody works on it; null when it is free. */
  readonly blocked: string | null;
}

/** A command that the loop ran to check the work, and its end. */
export interface CommandRun {
  /** As it was given to the shell. */
  readonly command: string;
  /** Standard output and error together; the last 256 KB. */
  readonly output: string;
  /** null when it was killed. */
  readonly exitCode: number | null;
  readonly root: string;
}

export interface TestJudgement {
  readonly outcome: TestOutcome;
  readonly passed?: number | null;
  readonly failed?: number | null;
  /** 0 to 1. From 0.9 on, `fail` and `error` make a check red whose exit code says otherwise. Default: 0.9. */
  readonly confidence?: number;
}

/**
 * A line of `.ralph/runs/<run>/events.jsonl`: `type` tells what else it has. A later ralph may send types that are not
 * listed here.
 */
export type RunEvent = RalphEvent;

/** Gives a plugin its types. It returns what it gets: a plain `export default` does as well. */
export function definePlugin<T extends PluginModule>(plugin: T & PluginModule): T {
  return plugin;
}
