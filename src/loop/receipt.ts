import { NO_USAGE, type Story, type Verdict } from '../contracts/model.ts';
import type { LedgerIteration, LedgerLine } from '../contracts/state.ts';
import type { Receipt } from '../rules/backlog/api.ts';
import type { AppliedClaim } from '../rules/backlog/review.ts';
import { addUsage } from '../rules/usage.ts';
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
  const earlier = iterationsOf(context.ledger, story.id);
  const range = await context.git.storyRange(story.safeId);
  const red = redAtBaseline(context.record, greenCommands(context.record, context.ledger));
  const { costUsd, usage } = outcome.result;
  const last = { verdict: 'accepted', costUsd, usage, durationMs: durationOf({ header, outcome }, findings) } as const;
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
    ...spentOn([...earlier, last]),
    ...(applied.concerns ? { concerns: applied.concerns } : {}),
  };
}

/** What a person's word carries as evidence: that nobody checked it, and what the story had cost until then. */
export async function personReceipt(
  { git, ledger }: Pick<RunContext, 'git'> & { readonly ledger: readonly LedgerLine[] },
  story: Story,
  at: number,
): Promise<Receipt> {
  const range = await git.storyRange(story.safeId);
  return {
    story: story.id,
    approvedAt: new Date(at).toISOString(),
    by: 'person',
    commits: range && { base: range.base, head: range.head, count: range.commits },
    verified: false,
    checks: [],
    reviews: story.reviewCount,
    ...spentOn(iterationsOf(ledger, story.id)),
  };
}

function iterationsOf(ledger: readonly LedgerLine[], story: string): readonly LedgerIteration[] {
  return ledger.filter((line): line is LedgerIteration => line.kind === 'iteration' && line.story === story);
}

/** What iterations of a story came to, all together. */
function spentOn(
  lines: readonly Pick<LedgerIteration, 'verdict' | 'costUsd' | 'usage' | 'durationMs'>[],
): Pick<Receipt, 'attempts' | 'costUsd' | 'tokens' | 'durationMs'> {
  const costs = lines.flatMap(({ costUsd }) => costUsd ?? []);
  const usage = lines.reduce((sum, line) => addUsage(sum, line.usage), NO_USAGE);
  return {
    attempts: lines.filter(({ verdict }) => FAILED.has(verdict)).length,
    costUsd: costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) : null,
    tokens: {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cacheRead: usage.cacheReadTokens,
      cacheWrite: usage.cacheWriteTokens,
    },
    durationMs: lines.reduce((sum, line) => sum + line.durationMs, 0),
  };
}

/** The agent's time and that of the checks; not by the clock, which a crash in between would run on. */
export function durationOf({ header, outcome }: Pick<Ended, 'header' | 'outcome'>, { checks }: Findings): number {
  const agent = Math.max(0, outcome.endedAt - header.startedAt);
  return checks.reduce((sum, check) => sum + check.durationMs, agent);
}
