/**
 * What a plugin is: only the public types. They ship as `dist/plugin.d.ts`, which is self-contained: the build inlines
 * what this file imports. Everything that a plugin receives or returns is plain data.
 */
import type { RalphEvent } from '../contracts/index.ts';

/** Version of these types. A plugin written for a later version is left out, and the run says so. */
export const PLUGIN_API = 1;

export type Awaitable<T> = T | Promise<T>;

/** Has at least one of the five functions. Each may be asynchronous; the first that throws or hangs ends the plugin. */
export interface Plugin {
  /** The name shown in events, reports and `ralph plugins`. */
  readonly name: string;
  /** {@link PLUGIN_API} of the types that it was written for; default: the current one. */
  readonly api?: number;
  /** Reads an agent's answer before the loop judges the iteration. 2 seconds. */
  analyze?(answer: Answer): Awaitable<Analysis | null | undefined>;
  /** Called after every iteration: a sentence ends the run, with that as its reason. 5 seconds. */
  exitWhen?(state: RunState): Awaitable<string | null | undefined>;
  /** Called for a check that no built-in detector recognises: was it a test run, and how did it end? 2 seconds. */
  judgeTests?(run: CommandRun): Awaitable<TestJudgement | null | undefined>;
  /** Receives every event, with secrets replaced, one at a time and in sequence. 5 seconds each. */
  onEvent?(event: RunEvent): Awaitable<void>;
  /**
   * Called by `ralph import SOURCE` for a source such as `linear:ENG`: its open issues; null for one of another plugin.
   * 60 seconds, and with your whole environment: the issues' tracker wants a token.
   */
  importIssues?(source: string): Awaitable<readonly ImportedIssue[] | null | undefined>;
}

/** An issue of a tracker. Its texts become a story's text: check boxes in the body are the acceptance criteria. */
export interface ImportedIssue {
  /** Id of the story, e.g. `ENG-12`; one that the backlog has already is left as it is. */
  readonly id: string;
  readonly title: string;
  readonly body?: string;
  readonly url?: string;
  readonly author?: string;
  /** `high`, `P1` and similar ones give the priority. */
  readonly labels?: readonly string[];
}

/** What a plugin receives when it is loaded. */
export interface PluginStart {
  /** `options` of its entry in the configuration. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The work tree, as an absolute path. */
  readonly root: string;
  /** Id of the run; empty when `ralph plugins` or `ralph doctor` only inspects the plugin. */
  readonly run: string;
}

/**
 * The default export of a plugin's module: the plugin, or a function that makes it. A function also has a name, and
 * would pass for a plugin that does nothing, so it is told apart by a property that only functions have.
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

export type TestOutcome = 'pass' | 'fail' | 'error' | 'no-tests' | 'unknown';

/** An agent's last message, and what else the loop knows about it. */
export interface Answer {
  readonly run: string;
  readonly root: string;
  /** Counted from 1. */
  readonly iteration: number;
  readonly mode: Mode;
  /** Id of the current story. */
  readonly story: string;
  readonly title: string;
  readonly text: string;
  /** Whether the agent's process ended normally. */
  readonly ok: boolean;
  /** Relative to the root; excluding the backlog, the progress log and files that were put back. */
  readonly changedFiles: readonly string[];
  /** The last test run seen in the agent's session. */
  readonly tests: {
    readonly command: string;
    readonly outcome: TestOutcome;
    readonly passed: number | null;
    readonly failed: number | null;
  } | null;
  /** There is no backlog: one prompt is repeated. */
  readonly lonePrompt: boolean;
}

/** What an analyzer concludes from an answer. */
export interface Analysis {
  /**
   * The answer says that the work is finished. With a backlog this is a claim like the agent's own: checks and a review
   * decide, and without reviews it counts for nothing. Without a backlog it is a signal: two in a row end the run.
   */
  readonly completion?: boolean;
  /** Why the agent cannot continue: the story is set aside until a person decides, as if the agent had said so. */
  readonly blocked?: string;
  /** Passed to the next agent, for any story. */
  readonly notes?: readonly string[];
}

/** A run between two iterations. */
export interface RunState {
  readonly run: string;
  readonly root: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The last finished iteration; 0 before the first. */
  readonly iteration: number;
  /** Of this run, in sequence; the last one belongs to `iteration`. */
  readonly verdicts: readonly IterationVerdict[];
  readonly stories: readonly StoryState[];
  /** The run's cost in US dollars, as far as its agents reported it. */
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
  /** Why no agent works on it; null when it is free. */
  readonly blocked: string | null;
}

/** A command that the loop ran to check the work, and its result. */
export interface CommandRun {
  /** As passed to the shell. */
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
  /** 0 to 1. From 0.9 on, `fail` and `error` make a check red even if its exit code says otherwise. Default: 0.9. */
  readonly confidence?: number;
}

/**
 * A line of `.ralph/runs/<run>/events.jsonl`: `type` determines the other fields. A later ralph may send types that are
 * not listed here.
 */
export type RunEvent = RalphEvent;

/** Gives a plugin its types. It returns its argument unchanged: a plain `export default` works as well. */
export function definePlugin<T extends PluginModule>(plugin: T & PluginModule): T {
  return plugin;
}
