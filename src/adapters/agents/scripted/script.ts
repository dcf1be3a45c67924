import type { AgentError, ProviderLimit } from '../../../contracts/agent.ts';
import type { Usage } from '../../../contracts/model.ts';
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
  /** What it does when it may not stop yet. */
  readonly refused: readonly Action[];
}

/** The player's last line; the lines before it are AgentEvents as they are. */
export interface ResultLine {
  readonly type: 'result';
  readonly text: string;
  readonly usage: Usage;
  readonly costUsd: number;
  readonly turns: number;
  readonly limit: ProviderLimit | null;
  readonly error: AgentError | null;
}
