import type { StopReason } from '../../contracts/agent.ts';
import type { Usage } from '../../contracts/model.ts';
import type { AgentOutcome } from '../../contracts/state/agent-outcome.ts';
import type { IterationHeader } from '../../contracts/state/journal.ts';
import { liveOverrun } from '../../rules/safeguards/budgets.ts';
import { rateOf } from '../../rules/safeguards/rate.ts';
import { allTokens } from '../../rules/usage.ts';
import { aliveMs } from '../alive.ts';
import type { RunContext } from '../context.ts';
import { LISTEN_EVERY_MS, setWaiting } from '../gate.ts';
import { sharedOf } from '../shared.ts';

interface Pause {
  readonly header: IterationHeader;
  /** Starts of this iteration, epoch ms: the ledger does not have them yet. */
  readonly calls: readonly number[];
  /** What its tries used. */
  readonly used: { readonly usage: Usage; readonly costUsd: number | null };
  /** Back-off, milliseconds. */
  readonly delayMs: number;
}

/**
 * Waits between two tries of one iteration: for the back-off, and for as long as the rate limit says. What a person asks
 * and what time spends count here as they do at the gate.
 * @returns null when the next try may start, else how the iteration ends instead
 */
export async function untilNextTry(
  context: RunContext,
  { header, calls, used, delayMs }: Pause,
): Promise<Pick<AgentOutcome, 'stopped' | 'overrun'> | null> {
  const { clock, ledger, run, signal, steering } = context;
  const until = clock.now() + delayMs;
  const live = { tokens: allTokens(used.usage), costUsd: used.costUsd ?? 0 };
  try {
    for (;;) {
      await steering.refresh();
      if (signal.aborted) return { stopped: signal.reason as StopReason };
      if (steering.now().stop !== null) return { stopped: 'stopped' };
      const limits = steering.limits();
      const overrun = liveOverrun({
        ledger,
        run,
        story: header.story,
        limits,
        live,
        aliveMs: aliveMs(context),
        shared: sharedOf(context),
      });
      if (overrun) return { stopped: 'budget', overrun };
      const now = clock.now();
      const { freeAt } = rateOf({ ledger, now, limit: limits.calls, extra: calls });
      if (freeAt !== null && freeAt > until) await tellRate(context, header, freeAt);
      const left = Math.max(until, freeAt ?? 0) - now;
      if (left <= 0) return null;
      await clock.sleep(Math.min(left, LISTEN_EVERY_MS), signal);
    }
  } finally {
    if (context.record.waiting) await setWaiting(context, null, 0);
  }
}

/** Once for each moment: the call limit may be reached in the middle of an iteration. */
async function tellRate(context: RunContext, { iteration }: IterationHeader, until: number): Promise<void> {
  if (context.record.waiting?.until === until) return;
  await setWaiting(context, { why: 'rate', since: context.clock.now(), until }, 0);
  const text = `the next try would be one agent process too many within the hour; \`ralph steer --calls N\` changes the limit`;
  context.emit(iteration, { type: 'wait', why: 'rate', until, text });
}
