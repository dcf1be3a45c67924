import type { Usage } from './model.ts';

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
