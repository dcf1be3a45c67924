import type { AgentAdapter, AgentTask } from '../../adapters/agents/port.ts';
import { startAgent } from '../../adapters/agents/start.ts';
import type { Checkpoint } from '../../adapters/git/port.ts';
import { writeJournal } from '../../adapters/workspace/records/journal.ts';
import type { AgentEvent, AgentResult } from '../../contracts/agent.ts';
import type { Config } from '../../contracts/config.ts';
import { NO_USAGE } from '../../contracts/model.ts';
import type { AgentOutcome } from '../../contracts/state/agent-outcome.ts';
import type { AtWork, IterationHeader } from '../../contracts/state/journal.ts';
import type { Overrun } from '../../contracts/state/run-record.ts';
import { type Remaining, remainingUsd } from '../../rules/safeguards/budgets.ts';
import { addUsage } from '../../rules/usage.ts';
import type { RunContext } from '../context.ts';
import { afterAgent, agentGuest } from '../inside/guest.ts';
import { keepTree } from '../keep/keep.ts';
import { isLoopsOwn } from '../keep/loop-files.ts';
import { sharedOf } from '../shared.ts';
import { type BudgetWatch, watchBudgets } from './budget-watch.ts';
import { untilNextTry } from './next-try.ts';

const TRANSIENT = new Set(['empty', 'network']);

/** Share of a budget from which an agent that keeps to it itself stops: it never quite reaches it. */
const NEARLY_SPENT = 0.95;

/** Agents refuse a budget of nothing; the gate lets no iteration start on less for long. */
const LEAST_BUDGET_USD = 0.01;

/** What the tries of one iteration have in common. */
interface Tries {
  readonly agent: AgentAdapter;
  readonly header: IterationHeader;
  readonly checkpoint: Checkpoint;
  readonly hasClaimed: () => boolean;
  /** Context windows in tokens by model, as this workspace has seen them. */
  readonly windows: Readonly<Record<string, number>>;
  readonly task: Omit<AgentTask, 'try' | 'budgetUsd'>;
}

/**
 * Runs the agent for this iteration. A transient error (nothing said, network) that left neither work nor a claim is
 * tried again, at most `transient.retries` times with doubling back-off; what every try used is summed. Every start
 * counts for the rate limit, and is written down before it happens where that can be done.
 */
export async function runAgent(context: RunContext, tries: Tries): Promise<AgentOutcome> {
  const { config, clock } = context;
  const { agent, header, checkpoint } = tries;
  const startedAt = clock.now();
  const calls = [header.startedAt];
  let spent: AgentResult | null = null;
  let outputChars = 0;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await startOnce(context, tries, { attempt, calls, earlier: spent });
    outputChars += outcome.outputChars;
    const result: AgentResult = spent ? addSpending(outcome.result, spent) : outcome.result;
    const settled = {
      ...outcome,
      result,
      startedAt,
      endedAt: clock.now(),
      agent: agent.name,
      model: tries.task.model,
      calls,
      outputChars,
    };
    const transient = outcome.stopped === null && result.error !== null && TRANSIENT.has(result.error.kind);
    if (!transient || attempt > config.transient.retries) return settled;

    const after = await afterAgent(context, header, checkpoint);
    const backlogTouched = after.changed.some(({ path }) => path === context.workspace.backlog?.path);
    // What a reviewer changed is thrown away in any case; all other work is judged.
    const hasWork = header.mode !== 'review' && after.changed.some(({ path }) => !isLoopsOwn(context.workspace, path));
    if (backlogTouched || hasWork || tries.hasClaimed()) return settled;
    const rescue = await keepTree(context, header, checkpoint, after, `transient error, try ${attempt}`);
    if (rescue || after.head !== checkpoint.head) await context.git.rollback(checkpoint);
    const delayMs = config.transient.delayMs * 2 ** (attempt - 1);
    const reason = result.error?.message ?? 'transient error';
    const { retries } = config.transient;
    context.emit(header.iteration, { type: 'transient', try: attempt, retries, reason, delayMs, rescue });
    spent = result;
    const end = await untilNextTry(context, { header, calls, used: result, delayMs });
    if (end) return { ...settled, ...end };
    calls.push(clock.now());
    await noteWork(context, tries, { calls, usage: result.usage, costUsd: result.costUsd });
  }
}

/**
 * What is known so far, for a recovery that finds nothing else. This process knows it anyway: an agent that puts the
 * folder out of use, or a full disk, must not end the run for it.
 */
async function noteWork({ git }: RunContext, { header, agent }: Tries, work: AtWork): Promise<void> {
  const entry = { ...header, phase: 'checkpointed', agent: agent.name, ...work } as const;
  await writeJournal(git.repo.stateDir, entry).catch(() => undefined);
}

/** One process of the agent, with the budgets watched beside it. */
async function startOnce(
  context: RunContext,
  tries: Tries,
  {
    attempt,
    calls,
    earlier,
  }: { readonly attempt: number; readonly calls: readonly number[]; readonly earlier: AgentResult | null },
): Promise<AgentOutcome & { readonly outputChars: number }> {
  const { isolation, clock, config, signal, emit } = context;
  const { agent, header, task, windows } = tries;
  const { iteration } = header;
  const given = budgetFor(context, header, earlier?.costUsd ?? 0);
  const before = { usage: earlier?.usage ?? NO_USAGE, costUsd: earlier?.costUsd ?? 0 };
  const budgets = watchBudgets(context, header, before, (used) => {
    const costUsd = used.costUsd === null ? (earlier?.costUsd ?? null) : before.costUsd + used.costUsd;
    return noteWork(context, tries, { calls, usage: addUsage(before.usage, used.usage), costUsd });
  });
  let outputChars = 0;
  const windowOf = (model: string | null) => knownWindow(config, windows, model);
  const see = (event: AgentEvent) => {
    if (event.type === 'text') outputChars += event.text.length;
    budgets.see(event);
    emit(iteration, {
      type: 'agent',
      event: event.type === 'session' ? { ...event, ...windowOf(event.model) } : event,
    });
  };
  // With the person's own rights an agent could raise its limits: what raises them waits until its process has ended.
  const release = isolation.name === 'none' ? context.steering.holdRaises() : () => undefined;
  try {
    const outcome = await startAgent(
      agent,
      { ...task, try: attempt, budgetUsd: given?.usd ?? null },
      {
        isolation,
        mounts: await agentGuest(context, header),
        clock,
        timeoutMs: config.timeoutMs,
        idleTimeoutMs: config.idleTimeoutMs,
        signal: AbortSignal.any([signal, budgets.signal]),
        onStart: (pid) =>
          emit(iteration, {
            type: 'agent-start',
            agent: agent.name,
            model: task.model,
            pid,
            try: attempt,
            ...windowOf(task.model),
            idleTimeoutMs: config.idleTimeoutMs,
          }),
        onEvent: see,
        onOutput: (chunk) => context.agentOutput(iteration, chunk),
      },
    );
    const result = withUsage(outcome.result, budgets.used());
    announceEnd(context, iteration, { ...outcome, result });
    return { ...outcome, result, overrun: overrunOf(outcome, budgets, given), outputChars };
  } finally {
    release();
    await budgets.end();
  }
}

/** How much the model's window holds, where a person or the agent's client said so; nothing is guessed. */
function knownWindow(
  { context }: Config,
  windows: Tries['windows'],
  model: string | null,
): { readonly window?: number } {
  const window = context.window ?? (model !== null && Object.hasOwn(windows, model) ? windows[model] : undefined);
  return window === undefined ? {} : { window };
}

/** What a process may cost: the least of what is left to the run, to those it shares with, and to the story; null when nobody has a budget. */
function budgetFor(context: RunContext, { story }: IterationHeader, spentUsd: number): Remaining | null {
  const { ledger, run, steering } = context;
  const left = remainingUsd({ ledger, run, story, limits: steering.limits(), shared: sharedOf(context) });
  return left && { ...left, usd: Math.max(LEAST_BUDGET_USD, left.usd - spentUsd) };
}

/**
 * The budget that ended the process: stopped by the loop, or kept to by the agent itself. Who finished in the moment in
 * which it was spent was not ended by it.
 */
function overrunOf(
  { result, stopped }: Pick<AgentOutcome, 'result' | 'stopped'>,
  budgets: BudgetWatch,
  given: Remaining | null,
): Overrun | null {
  if (stopped === 'budget') return budgets.overrun();
  if (given === null || result.error?.kind !== 'exhausted') return null;
  const spent = result.costUsd ?? 0;
  const { usd: limit, ...which } = given;
  return spent >= limit * NEARLY_SPENT ? { ...which, spent, limit } : null;
}

function announceEnd({ emit, isolation }: RunContext, iteration: number, outcome: AgentOutcome): void {
  const { exitCode, signal, ok, error, costUsd, usage, turns } = outcome.result;
  emit(iteration, {
    type: 'agent-end',
    exitCode,
    signal,
    ok,
    error,
    stopped: outcome.stopped,
    durationMs: outcome.endedAt - outcome.startedAt,
    costUsd,
    usage,
    turns,
  });
  if (error?.kind === 'auth' && isolation.name !== 'none') {
    const text = `Logins of yours do not count inside ${isolation.name}: the agent has its own there.`;
    const mend = '`ralph sandbox shell` and log in once, or export the key of the provider';
    emit(iteration, { type: 'notice', level: 'warning', text, mend });
  }
}

/** A process that was stopped gave no result: what it reported while it worked was paid for all the same. */
function withUsage(result: AgentResult, used: ReturnType<BudgetWatch['used']>): AgentResult {
  const isSilent = Object.values(result.usage).every((tokens) => tokens === 0);
  return { ...result, usage: isSilent ? used.usage : result.usage, costUsd: result.costUsd ?? used.costUsd };
}

/** Each try is its own process with its own bill, so the sums are simple. */
function addSpending(result: AgentResult, before: AgentResult): AgentResult {
  const costUsd =
    result.costUsd === null && before.costUsd === null ? null : (result.costUsd ?? 0) + (before.costUsd ?? 0);
  return { ...result, costUsd, usage: addUsage(result.usage, before.usage) };
}
