import type { Said } from '../adapters/plugins/open-plugins.ts';
import type { RalphEvent } from '../contracts/events.ts';
import type { Answer, CommandRun, RunState } from '../plugins/plugin.ts';
import type { Found, Judged } from '../rules/plugins/replies.ts';

/** The plugins of a run, as its loop knows them: what no plugin answers is answered by nobody. */
export interface PluginDesk {
  /** Loads them, once, before any agent works. @throws ConfigError when one that is named is not there */
  open(): Promise<void>;
  /** Every event goes through here. Never throws, never waits. */
  see(event: RalphEvent): void;
  /** What analyzers found in an answer; each note says whose it is. */
  analyze(answer: Omit<Answer, 'run' | 'root'>): Promise<Found>;
  /** The condition that ends the run now; null when none is met. */
  exitWhen(state: Omit<RunState, 'run' | 'root'>): Promise<Said<string> | null>;
  judgeTests(run: Omit<CommandRun, 'root'>): Promise<Said<Judged> | null>;
  /** The last events, then the end of every plugin. */
  close(): Promise<void>;
}
