import { NO_USAGE, type Usage } from '../../../contracts/model.ts';
import { allTokens } from '../../../rules/usage.ts';
import { durationOf } from '../../../rules/view/duration.ts';
import type { IterationView, RunView } from '../../../rules/view/model.ts';
import { grouped } from '../grouped.ts';
import type { AgentUse, BudgetUse, Report } from '../model.ts';
import { sumCosts } from './stories.ts';

/** Tokens of all runs together. */
export function usageOf(views: readonly RunView[]): Usage {
  return views.reduce(
    (sum, { usage }) => ({
      inputTokens: sum.inputTokens + usage.inputTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
      cacheReadTokens: sum.cacheReadTokens + usage.cacheReadTokens,
      cacheWriteTokens: sum.cacheWriteTokens + usage.cacheWriteTokens,
    }),
    NO_USAGE,
  );
}

/** Share of the input that was read from the cache; null without any. */
export function cacheShareOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number | null {
  const input = inputTokens + cacheReadTokens + cacheWriteTokens;
  return input === 0 ? null : cacheReadTokens / input;
}

/** Who worked, the busiest first. */
export function agentsOf(iterations: readonly IterationView[]): readonly AgentUse[] {
  const worked = iterations.filter(({ agent }) => agent !== null);
  return [...grouped(worked, ({ agent, model }) => JSON.stringify([agent, model])).values()]
    .map(agentUse)
    .toSorted((a, b) => b.iterations - a.iterations);
}

function agentUse(own: readonly IterationView[]): AgentUse {
  return {
    agent: own[0]?.agent ?? '',
    model: own[0]?.model ?? null,
    iterations: own.length,
    good: own.filter(({ verdict }) => verdict === 'accepted' || verdict === 'advanced').length,
    durationMs: own.reduce((sum, { agentMs }) => sum + agentMs, 0),
    costUsd: sumCosts(own.map(({ costUsd }) => costUsd)),
    tokens: own.reduce((sum, { usage }) => sum + allTokens(usage), 0),
  };
}

/** What a run used of its limits, those without one left out. Every run has budgets of its own. */
export function budgetsOf(view: RunView): readonly BudgetUse[] {
  const { limits, used, maxIterations, costUsd, usage, waitedMs, calls } = view;
  const aliveMs = Math.max(0, durationOf(view, null) - waitedMs);
  const all: readonly (Omit<BudgetUse, 'limit'> & { readonly limit: number | null })[] = [
    { name: 'iterations', unit: 'count', used, limit: limits?.maxIterations ?? maxIterations },
    { name: 'cost', unit: 'usd', used: costUsd, limit: limits?.maxCost ?? null },
    { name: 'tokens', unit: 'tokens', used: allTokens(usage), limit: limits?.maxTokens ?? null },
    { name: 'time', unit: 'ms', used: aliveMs, limit: limits?.maxDurationMs ?? null },
    { name: 'calls in the last hour', unit: 'count', used: calls.length, limit: limits?.calls ?? null },
  ];
  return all.flatMap(({ limit, ...use }) => (limit === null || limit <= 0 ? [] : [{ ...use, limit }]));
}

/** Iterations, time and cost by mode, in the order of a story's life. */
export function modesOf(iterations: readonly IterationView[]): Report['modes'] {
  return (['implement', 'review', 'review-fix'] as const)
    .map((mode) => ({ mode, own: iterations.filter((one) => one.mode === mode) }))
    .filter(({ own }) => own.length > 0)
    .map(({ mode, own }) => ({
      mode,
      count: own.length,
      durationMs: own.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
      costUsd: sumCosts(own.map(({ costUsd }) => costUsd)) ?? 0,
    }));
}
