import type { Env } from './environment.ts';

/** What a branch has that another one has not. */
export interface Ahead {
  /** The commit they have in common. */
  readonly mergeBase: string;
  /** The tip of the branch. */
  readonly head: string;
  readonly commits: number;
}

export interface Publication {
  readonly remote: string;
  /** Short name, the same here and there. */
  readonly branch: string;
  /** The person's own environment: their login. */
  readonly env: Env;
  /** Somebody sits there who can be asked for a password. */
  readonly terminal: boolean;
}
