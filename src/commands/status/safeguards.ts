import type {
  Backlog,
  Config,
  LedgerLine,
  Overrun,
  RunLimits,
  RunRecord,
  SteeringEntry,
} from '../../contracts/index.ts';
import { BUDGET, breakerOf, livedMs, questionsOf, rateOf, routeAgent, spentBy } from '../../rules/safeguards/index.ts';
import { effectiveLimits, limitsOf, type Steering, steeringOf, waitsFor } from '../../rules/steering/index.ts';
import { BREAKER_TONE, clockTime, counted, oneLine, WAIT_TEXT } from '../../rules/text/index.ts';
import { type Paint, timeLeft } from '../../surfaces/terminal/index.ts';

/** An unanswered question of a story that waits for the answer. */
interface OpenQuestion {
  readonly id: string;
  readonly story: string;
  readonly text: string;
}

/** No agent of the list can be used before `until`. */
interface ProviderLimitNow {
  /** Epoch ms. */
  readonly until: number;
  /** The agent and its limit. */
  readonly reason: string;
  /** Whether `ralph run` waits for it; otherwise it ends at once. */
  readonly waits: boolean;
}

interface UnderWay {
  /** Starts of its agent processes, epoch ms. */
  readonly calls: readonly number[];
  /** US dollars of the run, including those the current process reported; null when none were reported. */
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
  /** What the ledger does not have yet; absent when it was not read. */
  readonly underWay?: UnderWay;
  /** Epoch ms. */
  readonly now: number;
}

export type SafeguardsView = ReturnType<typeof safeguardsView>;

/** What holds a run back, or soon will, and what people asked of it. */
export function safeguardsView(known: Known) {
  const { ledger, entries, record, config, backlog, live, now, underWay } = known;
  const unended = record !== null && record.ended === null ? record : null;
  // What it waits for, and what was asked of it, holds between turns, too.
  const open = live || isBetween(unended);
  const steering = steeringOf(entries, ledger, unended?.run ?? '');
  const limits = effectiveLimits(unended?.limits ?? limitsOf(config), steering);
  return {
    /** Of the open run, as people changed them; else those that the next run starts with. */
    limits,
    breaker: breakerOf(ledger, config.circuit),
    /** Agent processes of the last hour, over all runs. */
    calls: rateOf({ ledger, now, limit: limits.calls, extra: underWay?.calls ?? [] }),
    /** Of an open run; only what has a limit. */
    budgets: unended === null ? [] : budgetsOf(unended, ledger, limits, live ? now : null, underWay?.costUsd ?? 0),
    waiting: open ? (unended?.waiting ?? null) : null,
    /** The provider's limit that the next run would wait for; null without one, and while a run is active. */
    providerLimit: open ? null : providerLimit(ledger, unended?.run ?? '', config, now),
    /** A pause was requested; the run may still finish its iteration first. */
    paused: open && steering.paused,
    stop: open ? steering.stop : null,
    questions: openQuestions(ledger, steering, backlog),
    /** Notes that no prompt has included yet, oldest first. */
    notes: steering.notes.map(({ text, story }) => (story === undefined ? text : `${story}: ${text}`)),
    /** What people asked for and no run has recorded or carried out yet. */
    additions: steering.additions,
    edits: steering.edits,
    decisions: steering.decisions,
    waivers: steering.waivers,
  };
}

/** Whether no process works on the run until its next turn, as intended. */
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
  // A user who would end rather than wait still wants to know until when.
  const routing = routeAgent({ ledger, run, now, agents, onUsageLimit: waits ? onUsageLimit : 'wait', maxWaitMs });
  return routing.kind === 'wait' ? { until: routing.until, reason: routing.reason, waits } : null;
}

/**
 * @param now epoch ms of a live run; null for an interrupted one: its clock stands still
 * @param liveUsd including what the current process reported
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

/** A story freed in another way, or answered while the run has not checked yet, does not wait for a person. */
function openQuestions(
  ledger: readonly LedgerLine[],
  { answers }: Steering,
  backlog: Backlog | null,
): readonly OpenQuestion[] {
  const waits = (id: string, story: string) =>
    // A working agent may have left the file half-written: the ledger still has the question.
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

type LabelledLine = readonly [label: string, text: string];

const DECIDED = { approve: 'approved', reopen: 'opened again', block: 'blocked', reject: 'sent back' } as const;

export function safeguardsLines(view: SafeguardsView, now: number, paint: Paint): readonly LabelledLine[] {
  const { breaker, calls, budgets, notes, questions, additions, edits, decisions, waivers } = view;
  const isCalm = breaker.state === 'closed' && calls.used === 0 && budgets.length === 0;
  return [
    ...holdsBack(view, now, paint),
    ...(isCalm ? [] : [['limits', limitsText(view, now, paint)] as const]),
    ...(breaker.state === 'closed' ? [] : [['', paint('dim', oneLine(breaker.reason))] as const]),
    ...questions.map(({ id, story, text }) => ['asks', `${id} on ${oneLine(story)}: ${oneLine(text)}`] as const),
    ...additions.map(
      ({ story }) => ['new', `${oneLine(`${story.id} ${story.title}`)} is added before the next iteration`] as const,
    ),
    ...edits.map(
      ({ story, fields }) =>
        [
          'edited',
          `${oneLine(story)} is ${fields === null ? 'removed' : 'changed'} before the next iteration`,
        ] as const,
    ),
    ...decisions.map(
      ({ story, decision }) =>
        ['decided', `${oneLine(story)} is ${DECIDED[decision]} before the next iteration`] as const,
    ),
    ...waivers.map(
      ({ story, finding }) =>
        ['waived', `${finding} of ${oneLine(story)} is waived before the next iteration`] as const,
    ),
    ...(notes.length === 0 ? [] : [['notes', `${notesText(notes)} ${paint('dim', '(ralph steer)')}`] as const]),
  ];
}

function holdsBack(
  { waiting, providerLimit, paused, stop }: SafeguardsView,
  now: number,
  paint: Paint,
): readonly LabelledLine[] {
  if (waiting) {
    const why = waiting.until === null ? '' : ` · ${WAIT_TEXT[waiting.why]}`;
    return [['waits', paint('warn', timeLeft(waiting, now)) + why]];
  }
  if (providerLimit) {
    const { reason } = providerLimit;
    return [['provider', `${paint('warn', timeLeft(providerLimit, now))} · ${oneLine(reason)}`]];
  }
  if (stop !== null) return [['stops', paint('warn', stop === 'now' ? 'now' : 'before the next iteration')]];
  return paused ? [['pauses', paint('warn', 'before the next iteration; `ralph resume` cancels the pause')]] : [];
}

function limitsText({ breaker, calls, budgets }: SafeguardsView, now: number, paint: Paint): string {
  const next = calls.freeAt === null ? '' : paint('warn', ` (the next at ${clockTime(calls.freeAt, now)})`);
  return [
    `breaker ${paint(BREAKER_TONE[breaker.state], breaker.state)}`,
    `${calls.used} of ${counted(calls.limit, 'call')} in the last hour${next}`,
    ...budgets.map((budget) => budgetShare(budget, paint)),
  ].join(' · ');
}

function budgetShare({ budget, spent, limit }: Overrun, paint: Paint): string {
  const { amount } = BUDGET[budget];
  const text = `${amount(spent)} of ${amount(limit)}`;
  return spent >= limit ? paint('warn', text) : text;
}

function notesText(notes: readonly string[]): string {
  return notes.length === 1 ? '1 waits for the next prompt' : `${notes.length} wait for the next prompt`;
}
