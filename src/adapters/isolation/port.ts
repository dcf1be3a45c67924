/** Where an agent or a check may run and what it may touch. Backends beside this file. */

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Complete: nothing is inherited beside it. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Probe {
  readonly available: boolean;
  /** Why not, or what was proven. */
  readonly detail: string;
}

export interface Isolation {
  readonly name: 'none';
  probe(): Promise<Probe>;
  /** Once per run. */
  prepare(): Promise<void>;
  /** The same command, inside. */
  wrap(command: Command): Command;
  dispose(): Promise<void>;
}
