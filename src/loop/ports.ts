import type { AgentAdapter } from '../adapters/agents/index.ts';
import type { AfterState, Git, GuestMount } from '../adapters/git/index.ts';
import type { Isolation } from '../adapters/isolation/index.ts';
import type { RoomPlace, Workspace } from '../adapters/workspace/index.ts';
import type { EventBody, IterationHeader, RalphEvent, RunLimits } from '../contracts/index.ts';
import type { Clock } from '../platform/index.ts';
import type { Answer, CommandRun, RunState } from '../plugins/plugin.ts';
import type { Found, Judged, Said } from '../rules/plugins.ts';
import type { Steering } from '../rules/steering/index.ts';
import type { ToolAnswer, ToolSpec } from '../rules/tools/index.ts';

/** What a person asked of this run, in addition to the configuration. */
export interface RunRequest {
  /** Work on this story only. */
  readonly only: string | null;
  /** Stop once this story is done. */
  readonly until: string | null;
  /** One iteration. */
  readonly once: boolean;
  /** Stop after the first iteration that is neither accepted nor advanced. */
  readonly stopOnFailure?: boolean;
  /** At most one iteration; then the run stays open for the next turn. A turn ends instead of waiting. */
  readonly turn: boolean;
  /** A change under review, from this commit to HEAD, in place of the commits of a story. */
  readonly change?: {
    readonly base: string;
    /** No fixes follow, so no checks are looked for. */
    readonly reviewOnly: boolean;
  };
  /** Close the breaker first. */
  readonly resetCircuit: boolean;
  /** Limits named on the command line: a resumed run keeps the others. */
  readonly limits: Partial<RunLimits>;
}

/** The parts of a run's clean room; null where checks run in the work tree. */
export interface RoomPort {
  readonly place: RoomPlace;
  /** Its work tree is the room: the agent's work tree is not visible in it. */
  readonly isolation: Isolation;
}

/** Everything external that a run uses; all effects go through it. */
export interface RunPorts {
  readonly git: Git;
  readonly workspace: Workspace;
  /** In order of preference; at least one. The gate decides which one does the next iteration. */
  readonly agents: readonly AgentAdapter[];
  readonly isolation: Isolation;
  /** The same for checks and commit hooks, without logins in their home folders. */
  readonly checksIsolation: Isolation;
  /** Where checks run; null: in the work tree. */
  readonly room: RoomPort | null;
  readonly openControl: () => Promise<ControlServer>;
  readonly clock: Clock;
  /** The environment that the person started ralph with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by the first SIGINT or SIGTERM, and by `ralph stop --now`; its reason is a `StopReason`. */
  readonly signal: AbortSignal;
}

/** The work tree and git dir of a run, as its agents see and leave them. One for each run. */
export interface AgentTree {
  /** A guest git dir for the next agent process, where the isolation can mount it over the real one. */
  mounts(): Promise<readonly GuestMount[]>;
  /**
   * Does something with the work tree of a working agent, which is suspended meanwhile: it could put a link to
   * what lies outside of the work tree in the place of a file that is being read or written.
   */
  meanwhile<T>(header: IterationHeader, work: () => Promise<T>): Promise<T>;
  /** What a still working agent has done so far: the work tree, and HEAD as the agent sees it. */
  soFar(header: IterationHeader): Promise<AfterState>;
  /**
   * What an agent left. Commits in a guest git dir are first adopted into the repository; without a guest git dir the
   * agent worked on the real one. Safe to repeat after a crash.
   */
  left(header: IterationHeader): Promise<AfterState & { readonly excess: readonly string[] }>;
  /**
   * Keeps what an agent left under a rescue ref, before any of it is removed. With nothing to keep (the tree is the
   * checkpoint's and no commit was made) it returns null. Always a new ref: an earlier rescue is never overwritten.
   * @returns the full ref
   */
  keep(header: IterationHeader, left: Pick<AfterState, 'tree' | 'head'>, why: string): Promise<string | null>;
  /** After an iteration: all that is worth keeping is in the repository. */
  dropGuest(): Promise<void>;
}

/**
 * The loop's side of one agent process while it works: answers its hooks and serves its tools. The control server only
 * carries the messages.
 */
export interface Session {
  /** A hook call as sent by the client, parsed; returns the answer that the client expects. Never rejects. */
  readonly hook: (payload: unknown) => Promise<Readonly<Record<string, unknown>>>;
  /** Records a call that could not be understood and was let through. */
  readonly hookFailed: (message: string) => void;
  readonly tools: readonly ToolSpec[];
  /** Never rejects; an unknown name gets an error answer. */
  readonly tool: (name: string, args: Readonly<Record<string, unknown>>) => Promise<ToolAnswer>;
  /** Records a call whose arguments do not fit the tool. */
  readonly toolRefused?: (name: string, args: Readonly<Record<string, unknown>>, why: string) => void;
}

/** An agent process's access to the control server. */
export interface Admission {
  /** Bearer token of this process alone. */
  readonly token: string;
  /** Makes the token invalid from now on. */
  readonly revoke: () => void;
}

/** The run's loopback server. Implemented in `surfaces/server`; the loop knows only this interface. */
export interface ControlServer {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  readonly admit: (session: Session) => Admission;
  /** Ends every connection. */
  readonly close: () => Promise<void>;
}

/** The plugins of a run, as its loop sees them: a question that no plugin answers stays unanswered. */
export interface RunPlugins {
  /** Loads them, once, before any agent works. @throws ConfigError when a named plugin is missing */
  open(): Promise<void>;
  /** Every event goes through here. Never throws, never waits. */
  see(event: RalphEvent): void;
  /** What analyzers found in an answer; each note names its plugin. */
  analyze(answer: Omit<Answer, 'run' | 'root'>): Promise<Found>;
  /** The condition that ends the run now; null when none is met. */
  exitWhen(state: () => Omit<RunState, 'run' | 'root'>): Promise<Said<string> | null>;
  judgeTests(run: Omit<CommandRun, 'root'>): Promise<Said<Judged> | null>;
  /** Delivers the last events, then ends every plugin. */
  close(): Promise<void>;
}

/** What people told the run from outside, in its present state. */
export interface RunSteering {
  readonly now: () => Steering;
  /** The configured limits, with a person's later changes. */
  readonly limits: () => RunLimits;
  /** Reads new entries; the file is also checked while the run waits and while an agent works. */
  readonly refresh: () => Promise<void>;
  /**
   * While an agent works with the person's rights, because it is not isolated, no limit is raised: raises wait until
   * the agent has ended. Lower limits, a pause and a stop apply at once.
   * @returns a function that ends this
   */
  readonly holdRaises: () => () => void;
  readonly close: () => void;
}

export type StartNotice = Omit<Extract<EventBody, { type: 'notice' }>, 'type'>;

/** What a start announces in addition to what the context knows. */
export interface StartFacts {
  /** ralph's own version, for the record. */
  readonly version: string;
  /** Better isolation backends than the one used, and why they were not. */
  readonly isolationInstead: readonly string[];
  /** Lines for `info/exclude`: files that the isolation puts into the work tree. */
  readonly planted: readonly string[];
  /** Findings of the start that a person should read. */
  readonly notices: readonly StartNotice[];
}
