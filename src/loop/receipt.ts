import { addUsage } from '../adapters/agents/usage.ts';
import { NO_USAGE, type Verdict } from '../contracts/model.ts';
import type { LedgerIteration } from '../contracts/state.ts';
import type { Receipt } from '../rules/backlog/api.ts';
import type { AppliedClaim } from '../rules/backlog/review.ts';
import { greenCommands, redAtBaseline } from './checks.ts';
import type { RunContext } from './context.ts';
import type { Ended, Findings } from './ended.ts';

const FAILED: ReadonlySet<Verdict> = new Set(['rejected', 'no-progress', 'timed-out', 'agent-error']);

/** What "done" carries: commits, the checks of this approval, and what the story cost over all its iterations. */
export async function buildReceipt(
  context: RunContext,
  { header, outcome }: Pick<Ended, 'header' | 'outcome'>,
  findings: Findings,
  applied: AppliedClaim,
): Promise<Receipt> {
  const { story, checks } = findings;
  const earlier = context.ledger.filter(
    (line): line is LedgerIteration => line.kind === 'iteration' && line.story === story.id,
  );
  const range = await context.git.storyRange(story.safeId);
  const red = redAtBaseline(context.record, greenCommands(context.record, context.ledger));
  const costs = [...earlier.map((line) => line.costUsd), outcome.result.costUsd].filter((cost) => cost !== null);
  const usage = earlier.reduce((sum, line) => addUsage(sum, line.usage), addUsage(NO_USAGE, outcome.result.usage));
  return {
    story: story.id,
    approvedAt: new Date(outcome.endedAt).toISOString(),
    by: applied.outcome === 'auto-approved' ? 'cap' : applied.outcome === 'done' ? 'skip-review' : 'review',
    commits: range && { base: range.base, head: range.head, count: range.commits },
    verified: checks.length > 0,
    checks: checks.map(({ command, ok, exitCode, durationMs }) => ({
      command,
      ok,
      exitCode,
      durationMs,
      redAtBaseline: red.has(command),
    })),
    reviews: applied.fields.reviewCount ?? story.reviewCount,
    attempts: earlier.filter(({ verdict }) => FAILED.has(verdict)).length,
    costUsd: costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) : null,
    tokens: {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cacheRead: usage.cacheReadTokens,
      cacheWrite: usage.cacheWriteTokens,
    },
    durationMs: earlier.reduce((sum, line) => sum + line.durationMs, durationOf({ header, outcome }, findings)),
    ...(applied.concerns ? { concerns: applied.concerns } : {}),
  };
}

/** The agent's time and that of the checks; not by the clock, which a crash in between would run on. */
export function durationOf({ header, outcome }: Pick<Ended, 'header' | 'outcome'>, { checks }: Findings): number {
  const agent = Math.max(0, outcome.endedAt - header.startedAt);
  return checks.reduce((sum, check) => sum + check.durationMs, agent);
}
