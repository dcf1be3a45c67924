import type { Config } from '../../contracts/config.ts';
import type { Backlog } from '../../contracts/model.ts';
import type { LedgerLine } from '../../contracts/state/ledger.ts';
import type { Overrun, RunLimits, RunRecord, Waiting } from '../../contracts/state/run-record.ts';
import type { SteeringEntry } from '../../contracts/state/steering.ts';
import { waitsFor } from '../../loop/persons/answer.ts';
import { livedMs } from '../../rules/safeguards/alive.ts';
import type { Breaker, Rate } from '../../rules/safeguards/api.ts';
import { breakerOf } from '../../rules/safeguards/breaker.ts';
import { spentBy } from '../../rules/safeguards/budgets.ts';
import { questionsOf } from '../../rules/safeguards/questions.ts';
import { rateOf } from '../../rules/safeguards/rate.ts';
import { routeAgent } from '../../rules/safeguards/routing.ts';
import {
  effectiveLimits,
  limitsOf,
  type PendingAddition,
  type PendingDecision,
  type PendingWaiver,
  type Steering,
  steeringOf,
} from '../../rules/steering/steering.ts';

/** A question that nobody answered yet, of a story that waits for it. */
export interface OpenQuestion {
  readonly id: string;
  readonly story: string;
  readonly text: string;
}

/** No agent of the list can be used before `until`. */
export interface ProviderLimitNow {
  /** Epoch ms. */
  readonly until: number;
  /** Which agent, and which limit. */
  readonly reason: string;
  /** Whether `ralph run` waits for it; else it ends at once. */
  readonly waits: boolean;
}

/** What holds a run back, or soon will, and what people asked of it. */
export interface SafeguardsView {
  /** Of the run that has not ended, as people changed them; else those that the next one starts with. */
  readonly limits: RunLimits;
  readonly breaker: Breaker;
  /** Agent processes of the last hour, over all runs. */
  readonly calls: Rate;
  /** Of a run that has not ended; only what has a limit. */
  readonly budgets: readonly Overrun[];
  readonly waiting: Waiting | null;
  /** The provider's limit that the next run would wait for; null without one, and while a run is under way. */
  readonly providerLimit: ProviderLimitNow | null;
  /** Asked for; the run may still finish its iteration first. */
  readonly paused: boolean;
  readonly stop: Steering['stop'];
  readonly questions: readonly OpenQuestion[];
  /** Notes that no prompt has carried yet, oldest first. */
  readonly notes: readonly string[];
  /** Stories that people added and no run has written down yet. */
  readonly additions: readonly PendingAddition[];
  /** What people decided about stories and no run has carried out yet. */
  readonly decisions: readonly PendingDecision[];
  /** Findings that people waived and no run has written down yet. */
  readonly waivers: readonly PendingWaiver[];
}

/** The iteration under way. */
interface UnderWay {
  /** Starts of its agent processes, epoch ms. */
  readonly calls: readonly number[];
  /** US dollars of the run, with what the process at work has told; null when nobody told. */
  readonly costUsd: number | null;
}

interface Known {
  readonly ledger: readonly LedgerLine[];
  readonly entries: readonly SteeringEntry[];
  readonly record: RunRecord | null;
  readonly config: Config;
  /** null when it cannot be read. */
  readonly backlog: Backlog | null;
  readonly live: boolean;
  /** What the ledger does not have yet; absent where nobody looked. */
  readonly underWay?: UnderWay;
  /** Epoch ms. */
  readonly now: number;
}

/** The safeguards as ledger, run record and steering leave them. Pure. */
export function safeguardsView(known: Known): SafeguardsView {
  const { ledger, entries, record, config, backlog, live, now, underWay } = known;
  const unended = record !== null && record.ended === null ? record : null;
  // What it waits for and was asked for holds between turns, too.
  const open = live || isBetween(unended);
  const steering = steeringOf(entries, ledger, unended?.run ?? '');
  const limits = effectiveLimits(unended?.limits ?? limitsOf(config), steering);
  return {
    limits,
    breaker: breakerOf(ledger, config.circuit),
    calls: rateOf({ ledger, now, limit: limits.calls, extra: underWay?.calls ?? [] }),
    budgets: unended === null ? [] : budgetsOf(unended, ledger, limits, live ? now : null, underWay?.costUsd ?? 0),
    waiting: open ? (unended?.waiting ?? null) : null,
    providerLimit: open ? null : providerLimit(ledger, unended?.run ?? '', config, now),
    paused: open && steering.paused,
    stop: open ? steering.stop : null,
    questions: openQuestions(ledger, steering, backlog),
    notes: steering.notes.map(({ text }) => text),
    additions: steering.additions,
    decisions: steering.decisions,
    waivers: steering.waivers,
  };
}

/** Whether nobody works on the run, in order, until its next turn. */
export function isBetween(record: RunRecord | null): boolean {
  return record?.ended === null && typeof record.between === 'number';
}

function providerLimit(
  ledger: readonly LedgerLine[],
  run: string,
  { agent: agents, onUsageLimit, transient: { maxWaitMs } }: Config,
  now: number,
): ProviderLimitNow | null {
  const waits = onUsageLimit !== 'stop';
  // Who would rather end than wait still wants to know until when.
  const routing = routeAgent({ ledger, run, now, agents, onUsageLimit: waits ? onUsageLimit : 'wait', maxWaitMs });
  return routing.kind === 'wait' ? { until: routing.until, reason: routing.reason, waits } : null;
}

/**
 * @param now epoch ms of a live run; null for one that was cut off: its clock stands still
 * @param liveUsd with what the process at work has told
 */
function budgetsOf(
  record: RunRecord,
  ledger: readonly LedgerLine[],
  { maxCost, maxTokens, maxDurationMs }: RunLimits,
  now: number | null,
  liveUsd: number,
): readonly Overrun[] {
  const { costUsd, tokens } = spentBy(ledger, record.run);
  const rows = [
    { budget: 'cost', spent: Math.max(costUsd, liveUsd), limit: maxCost },
    { budget: 'tokens', spent: tokens, limit: maxTokens },
    { budget: 'duration', spent: livedMs(record, ledger, now), limit: maxDurationMs },
  ] as const;
  return rows.flatMap((row) => (row.limit === null ? [] : [{ ...row, limit: row.limit }]));
}

/** A story that was freed in another way, or answered while the run has not looked yet, waits for nobody. */
function openQuestions(
  ledger: readonly LedgerLine[],
  { answers }: Steering,
  backlog: Backlog | null,
): readonly OpenQuestion[] {
  const waits = (id: string, story: string) =>
    // An agent at work may have left the file half-written: the question is in the ledger all the same.
    backlog === null ||
    waitsFor(
      backlog.stories.find((one) => one.id === story),
      id,
    );
  return questionsOf(ledger)
    .filter(({ id, story, answer }) => answer === null && waits(id, story))
    .filter(({ id }) => !answers.some(({ question }) => question === id))
    .map(({ id, story, text }) => ({ id, story, text }));
}
