import {
  type AgentEvent,
  type AgentOutcome,
  type IterationHeader,
  NO_USAGE,
  type Overrun,
  type StopReason,
  type Usage,
} from '../../contracts/index.ts';
import { liveOverrun, rateOf } from '../../rules/safeguards/index.ts';
import { allTokens } from '../../rules/text/index.ts';
import type { RunContext } from '../context.ts';
import { aliveMs, sharedOf } from '../context.ts';
import { LISTEN_EVERY_MS, setWaiting } from '../gate.ts';

/** How often the time limits are checked, milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** What an agent process has reported. */
interface Used {
  readonly usage: Usage;
  /** null until the process reports it. */
  readonly costUsd: number | null;
}

/** What one agent process uses, watched while it works. */
export interface BudgetWatch {
  /** Aborted with `budget` when a budget is spent. */
  readonly signal: AbortSignal;
  readonly see: (event: AgentEvent) => void;
  /** The last usage that the process reported: all that is known if it was stopped before its result. */
  readonly used: () => Used;
  /** The budget that was spent; null when none was. */
  readonly overrun: () => Overrun | null;
  /** Resolves when no more usage will be recorded. */
  readonly end: () => Promise<void>;
}

/**
 * Watches the budgets of the run and of the story while an agent works: at every usage it reports, and every second for
 * budgets that time alone spends. Limits that a person raises meanwhile apply at once.
 * @param earlier what earlier tries of this iteration used
 * @param writeDown must not reject; records the usage, at most every second: it was paid for even if the loop is killed
 */
export function watchBudgets(
  context: RunContext,
  { story }: IterationHeader,
  earlier: { readonly usage: Usage; readonly costUsd: number },
  writeDown: (used: Used) => Promise<void>,
): BudgetWatch {
  const { clock } = context;
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
    overrun = overrunNow(context, story, live);
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

/** @param live what the tries of this iteration have used */
function overrunNow(
  context: RunContext,
  story: string,
  live: Parameters<typeof liveOverrun>[0]['live'],
): Overrun | null {
  const { ledger, run, steering } = context;
  const shared = sharedOf(context);
  return liveOverrun({ ledger, run, story, limits: steering.limits(), live, aliveMs: aliveMs(context), shared });
}

interface Pause {
  readonly header: IterationHeader;
  /** Starts in this iteration, epoch ms: the ledger does not have them yet. */
  readonly calls: readonly number[];
  /** What its tries used. */
  readonly used: { readonly usage: Usage; readonly costUsd: number | null };
  /** Back-off, milliseconds. */
  readonly delayMs: number;
}

/**
 * Waits between two tries of one iteration: for the back-off, and for as long as the rate limit requires. A person's
 * instructions and time budgets apply here as they do at the gate.
 * @returns null when the next try may start, else how the iteration ends instead
 */
export async function untilNextTry(
  context: RunContext,
  { header, calls, used, delayMs }: Pause,
): Promise<Pick<AgentOutcome, 'stopped' | 'overrun'> | null> {
  const { clock, ledger, signal, steering } = context;
  const until = clock.now() + delayMs;
  const live = { tokens: allTokens(used.usage), costUsd: used.costUsd ?? 0 };
  try {
    for (;;) {
      await steering.refresh();
      if (signal.aborted) return { stopped: signal.reason as StopReason };
      if (steering.now().stop !== null) return { stopped: 'stopped' };
      const overrun = overrunNow(context, header.story, live);
      if (overrun) return { stopped: 'budget', overrun };
      const now = clock.now();
      const { freeAt } = rateOf({ ledger, now, limit: steering.limits().calls, extra: calls });
      if (freeAt !== null && freeAt > until) await tellRate(context, header, freeAt);
      const left = Math.max(until, freeAt ?? 0) - now;
      if (left <= 0) return null;
      await clock.sleep(Math.min(left, LISTEN_EVERY_MS), signal);
    }
  } finally {
    if (context.record.waiting) await setWaiting(context, null, 0);
  }
}

/** Once per moment: the call limit may be reached in the middle of an iteration. */
async function tellRate(context: RunContext, { iteration }: IterationHeader, until: number): Promise<void> {
  if (context.record.waiting?.until === until) return;
  await setWaiting(context, { why: 'rate', since: context.clock.now(), until }, 0);
  const text = `the next try would be one agent process too many within the hour; \`ralph steer --calls N\` changes the limit`;
  context.emit(iteration, { type: 'wait', why: 'rate', until, text });
}
