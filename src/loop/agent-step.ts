import type { AgentTask } from '../adapters/agents/port.ts';
import { startAgent } from '../adapters/agents/start.ts';
import { addUsage } from '../adapters/agents/usage.ts';
import type { Checkpoint } from '../adapters/git/port.ts';
import type { AgentResult, StopReason } from '../contracts/agent.ts';
import type { Config } from '../contracts/config.ts';
import type { Mode, Story } from '../contracts/model.ts';
import type { AgentOutcome, IterationHeader } from '../contracts/state.ts';
import type { RunContext } from './context.ts';
import { keepTree } from './keep.ts';

/** The model for an iteration: the story's own, else the mode's, else the run's; null leaves it to the agent. */
export function modelFor(config: Config, mode: Mode, story: Story): string | null {
  return story.model ?? config.models[mode] ?? config.model;
}

const TRANSIENT = new Set(['empty', 'network']);

/**
 * Runs the agent for this iteration. A transient error (nothing said, network) that left no claim is rolled back and
 * tried again, at most `transient.retries` times with doubling back-off; what every try used is summed.
 */
export async function runAgent(
  context: RunContext,
  header: IterationHeader,
  checkpoint: Checkpoint,
  hasClaimed: () => boolean,
  task: Omit<AgentTask, 'try'>,
): Promise<AgentOutcome> {
  const { config, clock, signal } = context;
  const startedAt = clock.now();
  let spent: AgentResult | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await startOnce(context, header, { ...task, try: attempt });
    const result: AgentResult = spent ? addSpending(outcome.result, spent) : outcome.result;
    const settled = { ...outcome, result, startedAt, endedAt: clock.now() };
    const transient = outcome.stopped === null && result.error !== null && TRANSIENT.has(result.error.kind);
    if (!transient || attempt > config.transient.retries) return settled;

    const after = await context.git.after(checkpoint);
    const backlogTouched = after.changed.some(({ path }) => path === context.workspace.backlog?.path);
    if (backlogTouched || hasClaimed()) return settled;
    const rescue = await keepTree(context, header, checkpoint, after, `transient error, try ${attempt}`);
    if (rescue || after.head !== checkpoint.head) await context.git.rollback(checkpoint);
    const delayMs = config.transient.delayMs * 2 ** (attempt - 1);
    const reason = result.error?.message ?? 'transient error';
    context.emit(header.iteration, { type: 'transient', try: attempt, reason, delayMs, rescue });
    spent = result;
    await clock.sleep(delayMs, signal);
    if (signal.aborted) return { ...settled, stopped: signal.reason as StopReason };
  }
}

async function startOnce(context: RunContext, header: IterationHeader, task: AgentTask): Promise<AgentOutcome> {
  const { agent, isolation, clock, config, signal, emit } = context;
  const { iteration } = header;
  const outcome = await startAgent(agent, task, {
    isolation,
    clock,
    timeoutMs: config.timeoutMs,
    idleTimeoutMs: config.idleTimeoutMs,
    signal,
    onStart: (pid) =>
      emit(iteration, { type: 'agent-start', agent: agent.name, model: task.model, pid, try: task.try }),
    onEvent: (event) => emit(iteration, { type: 'agent', event }),
    onOutput: (chunk) => context.agentOutput(iteration, chunk),
  });
  const { exitCode, signal: deathSignal, ok, error, costUsd, usage, turns } = outcome.result;
  emit(iteration, {
    type: 'agent-end',
    exitCode,
    signal: deathSignal,
    ok,
    error,
    stopped: outcome.stopped,
    durationMs: outcome.endedAt - outcome.startedAt,
    costUsd,
    usage,
    turns,
  });
  return outcome;
}

/** Each try is its own process with its own bill, so the sums are simple. */
function addSpending(result: AgentResult, before: AgentResult): AgentResult {
  const costUsd =
    result.costUsd === null && before.costUsd === null ? null : (result.costUsd ?? 0) + (before.costUsd ?? 0);
  return { ...result, costUsd, usage: addUsage(result.usage, before.usage) };
}
