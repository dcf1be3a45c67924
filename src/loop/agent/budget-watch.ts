import type { AgentEvent } from '../../contracts/agent.ts';
import { NO_USAGE, type Usage } from '../../contracts/model.ts';
import type { IterationHeader } from '../../contracts/state/journal.ts';
import type { Overrun } from '../../contracts/state/run-record.ts';
import { liveOverrun } from '../../rules/safeguards/budgets.ts';
import { allTokens } from '../../rules/usage.ts';
import { aliveMs } from '../alive.ts';
import type { RunContext } from '../context.ts';
import { sharedOf } from '../shared.ts';

/** How often time alone is looked at, milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** What an agent process has reported. */
export interface Used {
  readonly usage: Usage;
  /** null while it does not say. */
  readonly costUsd: number | null;
}

/** What one agent process uses, watched while it works. */
export interface BudgetWatch {
  /** Aborted with `budget` when one is spent. */
  readonly signal: AbortSignal;
  readonly see: (event: AgentEvent) => void;
  /** What the process reported last: all that is known of one that was stopped before its result. */
  readonly used: () => Used;
  /** The budget that was spent; null when none was. */
  readonly overrun: () => Overrun | null;
  /** Resolves when nothing more is written down. */
  readonly end: () => Promise<void>;
}

/**
 * Watches the budgets of the run and of the story while an agent works: at every usage it reports, and every second
 * for what time alone spends. Limits that a person raises meanwhile count at once.
 * @param earlier what tries of this iteration before this process used
 * @param writeDown must not reject; keeps what was used, at most every second: should the loop be killed, it was paid for all the same
 */
export function watchBudgets(
  context: RunContext,
  { story }: IterationHeader,
  earlier: { readonly usage: Usage; readonly costUsd: number },
  writeDown: (used: Used) => Promise<void>,
): BudgetWatch {
  const { clock, ledger, run, steering } = context;
  const stop = new AbortController();
  const ended = new AbortController();
  let used: Used = { usage: NO_USAGE, costUsd: null };
  let written = used;
  let overrun: Overrun | null = null;

  function look(): void {
    if (overrun) return;
    const live = {
      tokens: allTokens(earlier.usage) + allTokens(used.usage),
      costUsd: earlier.costUsd + (used.costUsd ?? 0),
    };
    overrun = liveOverrun({
      ledger,
      run,
      story,
      limits: steering.limits(),
      live,
      aliveMs: aliveMs(context),
      shared: sharedOf(context),
    });
    if (overrun) stop.abort('budget');
  }

  const looking = (async () => {
    while (!ended.signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, ended.signal);
      if (ended.signal.aborted) return;
      look();
      if (written === used) continue;
      written = used;
      await writeDown(used);
    }
  })();

  return {
    signal: stop.signal,
    see(event) {
      if (event.type !== 'usage') return;
      used = { usage: event.usage, costUsd: event.costUsd ?? used.costUsd };
      look();
    },
    used: () => used,
    overrun: () => overrun,
    end: async () => {
      ended.abort();
      await looking;
    },
  };
}
