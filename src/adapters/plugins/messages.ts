import type { HeldTree } from '../../platform/process/held-modules.ts';
import type { Plugin, PluginStart } from '../../plugins/plugin.ts';

/**
 * What the loop and a plugin's thread say to each other. Arguments and replies travel as JSON text: plain data by
 * construction, whatever a plugin returns.
 */

/** The functions of a plugin that answer a question. */
export type Question = 'analyze' | 'exitWhen' | 'judgeTests';

/** Everything that a plugin may provide. */
export type Provided = keyof Omit<Plugin, 'name' | 'api'>;

/** What a thread starts with. */
export interface ThreadStart {
  /** Address of the module, `file:` */
  readonly module: string;
  /** Named so when it has no name of its own. */
  readonly name: string;
  readonly start: PluginStart;
  /** What it may load from the work tree. */
  readonly held: HeldTree;
}

export type ToThread =
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question; readonly json: string }
  | { readonly kind: 'event'; readonly json: string };

export type FromThread =
  | { readonly kind: 'loaded'; readonly name: string; readonly provides: readonly Provided[] }
  | { readonly kind: 'reply'; readonly id: number; readonly json: string }
  /** An event was dealt with. */
  | { readonly kind: 'seen' }
  | { readonly kind: 'failed'; readonly doing: Doing; readonly message: string };

/** What a plugin was at when it failed. */
export type Doing = Provided | 'load';
