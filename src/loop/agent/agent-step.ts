import { type AgentAdapter, type AgentTask, startAgent } from '../../adapters/agents/index.ts';
import type { Checkpoint, TrustSnapshot } from '../../adapters/git/index.ts';
import { writeJournal } from '../../adapters/workspace/index.ts';
import {
  type AddedTokens,
  type AgentEvent,
  type AgentOutcome,
  type AgentResult,
  type AtWork,
  type Config,
  type EventBody,
  type IterationHeader,
  NO_USAGE,
  type Overrun,
} from '../../contracts/index.ts';
import { followSignals } from '../../platform/index.ts';
import { type Remaining, remainingUsd } from '../../rules/safeguards/index.ts';
import { addCost, addUsage } from '../../rules/text/index.ts';
import type { RunContext } from '../context.ts';
import { sharedOf } from '../context.ts';
import { isLoopsOwn } from '../protect/loop-files.ts';
import { putBackAfterChecks } from '../protect/protected-names.ts';
import { putTrustBack } from '../protect/trust.ts';
import { type BudgetWatch, untilNextTry, watchBudgets } from './limits.ts';
import { noteAnswer } from './prove-login.ts';

const TRANSIENT = new Set(['empty', 'network']);

/** Share of a budget at which an agent that enforces it itself stops: it never quite reaches the limit. */
const NEARLY_SPENT = 0.95;

/** Agents refuse a budget of zero; the gate soon lets no iteration start on less. */
const LEAST_BUDGET_USD = 0.01;

/** What all tries of one iteration share. */
export interface Tries {
  readonly agent: AgentAdapter;
  readonly header: IterationHeader;
  readonly checkpoint: Checkpoint;
  readonly hasClaimed: () => boolean;
  /** What the loop added to the context of the process that has just ended. */
  readonly added: () => AddedTokens;
  /** Context windows in tokens by model, as seen in this workspace. */
  readonly windows: Readonly<Record<string, number>>;
  /** For the first process. */
  readonly mounts: ReturnType<RunContext['agentTree']['mounts']>;
  readonly task: Omit<AgentTask, 'try' | 'budgetUsd'>;
}

/**
 * Runs the agent for this iteration. A transient error (no output, network) that left neither work nor a claim is
 * retried, at most `transient.retries` times with doubling back-off; the usage of all tries is summed. Every start
 * counts for the rate limit, and is recorded beforehand where that is possible.
 */
export async function runAgent(context: RunContext, tries: Tries): Promise<AgentOutcome> {
  const { config, clock } = context;
  const { agent, header, checkpoint } = tries;
  const startedAt = clock.now();
  const calls = [header.startedAt];
  let spent: AgentResult | null = null;
  let outputChars = 0;
  const gitDirChanges: string[] = [];
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
      gitDirChanges,
    };
    const transient = outcome.stopped === null && result.error !== null && TRANSIENT.has(result.error.kind);
    if (!transient || attempt > config.transient.retries) return settled;

    // As at the agent's end: before git works there, and before the next process starts.
    gitDirChanges.push(...(await putTrustBack(context, header.trust as TrustSnapshot, checkpoint)));
    const after = await context.agentTree.left(header);
    const backlogTouched = after.changed.some(({ path }) => path === context.workspace.backlog?.path);
    // A reviewer's changes are always thrown away; all other work is judged.
    const hasWork = header.mode !== 'review' && after.changed.some(({ path }) => !isLoopsOwn(context.workspace, path));
    if (backlogTouched || hasWork || tries.hasClaimed()) return settled;
    const rescue = await context.agentTree.keep(header, after, `transient error, try ${attempt}`);
    if (rescue || after.head !== checkpoint.head) await context.git.rollback(checkpoint);
    if (header.names) await putBackAfterChecks(context, header.names, header, checkpoint, 'The agent');
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
 * Records what is known so far, for a recovery that finds nothing else. This process knows it anyway: an agent that
 * makes the folder unusable, or a full disk, must not end the run through this.
 */
async function noteWork({ git }: Pick<RunContext, 'git'>, { header, agent }: Tries, work: AtWork): Promise<void> {
  const entry = { ...header, phase: 'checkpointed', agent: agent.name, ...work } as const;
  await writeJournal(git.repo.stateDir, entry).catch(() => undefined);
}

/** One process of the agent, with its budgets watched. */
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
  let model = task.model;
  let most = 0;
  const windowOf = (model: string | null) => knownWindow(config, windows, model);
  const see = (event: AgentEvent) => {
    if (event.type === 'text') outputChars += event.text.length;
    if (event.type === 'session') model = event.model ?? model;
    if (event.type === 'usage') most = Math.max(most, event.contextTokens ?? 0);
    budgets.see(event);
    emit(iteration, {
      type: 'agent',
      event: event.type === 'session' ? { ...event, ...windowOf(event.model) } : event,
    });
  };
  // With the person's own rights an agent could raise its limits: raises wait until its process has ended.
  const release = isolation.name === 'none' ? context.steering.holdRaises() : () => undefined;
  const stop = followSignals(signal, budgets.signal);
  try {
    const outcome = await startAgent(
      agent,
      { ...task, try: attempt, budgetUsd: given?.usd ?? null },
      {
        isolation,
        mounts: await (attempt === 1 ? tries.mounts : context.agentTree.mounts()),
        clock,
        timeoutMs: config.timeoutMs,
        idleTimeoutMs: config.idleTimeoutMs,
        signal: stop.signal,
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
    await noteAnswer(context, agent, result.error);
    // The agent may have named the size of its window only now.
    const { window } = knownWindow(config, { ...windows, ...result.windows }, model);
    announceEnd(
      context,
      iteration,
      { ...outcome, result },
      {
        added: tries.added(),
        ...(model === null ? {} : { model }),
        ...(most > 0 && window !== undefined ? { context: { tokens: most, window } } : {}),
      },
    );
    return { ...outcome, result, overrun: overrunOf(outcome, budgets, given), outputChars };
  } finally {
    stop.forget();
    release();
    await budgets.end();
  }
}

/** The size of the model's window, where a person or the agent's client reported it; it is never guessed. */
function knownWindow(
  { context }: Config,
  windows: Tries['windows'],
  model: string | null,
): { readonly window?: number } {
  const window = context.window ?? (model !== null && Object.hasOwn(windows, model) ? windows[model] : undefined);
  return window === undefined ? {} : { window };
}

/**
 * What a process may cost: the least of what is left to the run, to the runs it shares with, and to the story; null
 * without any budget.
 */
function budgetFor(context: RunContext, { story }: IterationHeader, spentUsd: number): Remaining | null {
  const { ledger, run, steering } = context;
  const left = remainingUsd({ ledger, run, story, limits: steering.limits(), shared: sharedOf(context) });
  return left && { ...left, usd: Math.max(LEAST_BUDGET_USD, left.usd - spentUsd) };
}

/**
 * The budget that ended the process, enforced by the loop or by the agent itself. It did not end a process that
 * finished just when it was spent.
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

function announceEnd(
  { emit, isolation }: Pick<RunContext, 'emit' | 'isolation'>,
  iteration: number,
  outcome: AgentOutcome,
  more: Pick<Extract<EventBody, { type: 'agent-end' }>, 'added' | 'model' | 'context'>,
): void {
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
    ...more,
  });
  if (error?.kind === 'auth' && isolation.name !== 'none') {
    const text = `Your login is not available inside ${isolation.name}: the agent needs its own there.`;
    const fix = 'run `ralph sandbox shell` and log in once, or export the API key of the provider';
    emit(iteration, { type: 'notice', level: 'warning', text, fix });
  }
}

/** A stopped process gives no result, but what it reported while it worked was still paid for. */
function withUsage(result: AgentResult, used: ReturnType<BudgetWatch['used']>): AgentResult {
  const isSilent = Object.values(result.usage).every((tokens) => tokens === 0);
  return { ...result, usage: isSilent ? used.usage : result.usage, costUsd: result.costUsd ?? used.costUsd };
}

/** Each try is a separate process with its own bill, so the values are simply added. */
function addSpending(result: AgentResult, before: AgentResult): AgentResult {
  const costUsd = addCost(result.costUsd, before.costUsd);
  return { ...result, costUsd, usage: addUsage(result.usage, before.usage) };
}
