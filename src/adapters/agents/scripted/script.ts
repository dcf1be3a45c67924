import type { AgentError, ProviderLimit, Usage } from '../../../contracts/index.ts';
import type { Action } from './scenario-schema.ts';

/** What the adapter hands to the player, as a JSON file. */
export interface Script {
  readonly sessionId: string;
  readonly model: string;
  readonly storyId: string;
  /** Relative to the work tree. */
  readonly backlog: string;
  readonly progress: string;
  /** The agent asks the run's hooks. */
  readonly hooks: boolean;
  readonly actions: readonly Action[];
  /** What it does when a hook refuses its stop. */
  readonly refused: readonly Action[];
}

/** The player's last line; the lines before it are plain AgentEvents. */
export interface ResultLine {
  readonly type: 'result';
  readonly text: string;
  readonly usage: Usage;
  readonly costUsd: number;
  readonly turns: number;
  readonly limit: ProviderLimit | null;
  readonly error: AgentError | null;
}
