import type { RalphEvent } from '../contracts/events.ts';
import type { ToolAnswer, ToolSpec } from '../rules/tools/api.ts';

/**
 * What stands beside one agent process while it works: decides about its hooks and serves its tools. The control
 * server only carries the messages.
 */
export interface Desk {
  /** A hook call as the client sent it, parsed; the answer as the client expects it. Never rejects. */
  readonly hook: (payload: unknown) => Promise<Readonly<Record<string, unknown>>>;
  /** A call that could not be understood: it was let through, this records it. */
  readonly hookFailed: (message: string) => void;
  readonly tools: readonly ToolSpec[];
  /** Never rejects; an unknown name is an error answer. */
  readonly tool: (name: string, args: Readonly<Record<string, unknown>>) => Promise<ToolAnswer>;
}

/** An agent process's way in. */
export interface Admission {
  /** Bearer token of this process alone. */
  readonly token: string;
  /** From now on the token is worth nothing. */
  readonly revoke: () => void;
}

/** The run's loopback server. Implemented in `surfaces/server`; the loop knows only this. */
export interface ControlServer {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  readonly admit: (desk: Desk) => Admission;
  /** Hands an event to whoever watches. Never throws, never waits. */
  readonly publish: (event: RalphEvent) => void;
  /** Ends every connection and removes what lies on disk. */
  readonly close: () => Promise<void>;
}

/** Starts the server of a run. */
export type OpenControl = (run: string) => Promise<ControlServer>;
