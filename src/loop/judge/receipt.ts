import { type CheckResult, NO_USAGE, type ReviewFinding, type Story, type Verdict } from '../../contracts/model.ts';
import type { LedgerIteration, LedgerLine } from '../../contracts/state/ledger.ts';
import type { BacklogDocument, Receipt } from '../../rules/backlog/api.ts';
import type { AppliedClaim } from '../../rules/backlog/reviews/review.ts';
import { addUsage } from '../../rules/usage.ts';
import type { RunContext } from '../context.ts';
import { greenCommands, redAtBaseline } from './checks.ts';
import type { Ended, Findings } from './ended.ts';
import { findingsOf } from './findings-of.ts';

const FAILED: ReadonlySet<Verdict> = new Set(['rejected', 'no-progress', 'timed-out', 'agent-error']);

/** What "done" carries: commits, the checks of this approval, and what the story cost over all its iterations. */
export async function buildReceipt(
  context: RunContext,
  { header, outcome, snapshot }: Pick<Ended, 'header' | 'outcome' | 'snapshot'>,
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
    by: APPROVED_BY[applied.outcome] ?? 'review',
    commits: range && { base: range.base, head: range.head, count: range.commits },
    verified: checks.length > 0,
    ...(checks.length > 0 ? { checkedIn: checks.some(({ inTree }) => inTree) ? 'tree' : 'room' } : {}),
    checks: checks.map(({ command, ok, exitCode, durationMs }) => ({
      command,
      ok,
      exitCode,
      durationMs,
      redAtBaseline: red.has(command),
    })),
    reviews: applied.fields.reviewCount ?? story.reviewCount,
    ...testsSeen(context, story, checks),
    ...foundIn(findings.review?.memory.findings ?? (snapshot.document ? findingsOf(snapshot.document, story) : [])),
    ...(findings.proof ? { proof: findings.proof.result } : {}),
    ...shownBefore(earlier),
    ...(findings.weakened.accepted.length > 0 ? { accepted: findings.weakened.accepted } : {}),
    ...spentOn([...earlier, last]),
    ...(applied.concerns ? { concerns: applied.concerns } : {}),
  };
}

const APPROVED_BY: Readonly<Partial<Record<AppliedClaim['outcome'], Receipt['by']>>> = {
  'auto-approved': 'cap',
  converged: 'converged',
  done: 'skip-review',
};

function foundIn(findings: readonly ReviewFinding[]): Pick<Receipt, 'findings'> {
  return findings.length === 0 ? {} : { findings };
}

/** Where no iteration changed anything, the receipt says what the approval rests on. */
function shownBefore(earlier: readonly LedgerIteration[]): Pick<Receipt, 'alreadyDone'> {
  const last = earlier.findLast(({ alreadyDone }) => alreadyDone !== undefined);
  return last?.alreadyDone && earlier.every(({ workFiles }) => workFiles === 0)
    ? { alreadyDone: last.alreadyDone }
    : {};
}

/** Tests that passed before the story's first iteration, and now. Nothing where no output told either. */
function testsSeen(
  { ledger, record, run }: RunContext,
  { id }: Story,
  checks: readonly CheckResult[],
): Pick<Receipt, 'tests'> {
  const lines = ledger.filter((line) => line.kind === 'iteration');
  const first = lines.findIndex(({ story }) => story === id);
  const startedIn = lines[first]?.run ?? run;
  const earlier = first < 0 ? lines : lines.slice(0, first);
  const kept = earlier.findLast(
    (line) => KEPT.has(line.verdict) && line.run === startedIn && passedIn(line.checks) !== null,
  );
  const before = passedIn(kept?.checks ?? (startedIn === run ? (record.baseline ?? []) : []));
  const after = passedIn(checks);
  return before === null && after === null ? {} : { tests: { before, after } };
}

/** Verdicts whose work is on the branch: what its checks said holds for what comes after. */
const KEPT: ReadonlySet<Verdict> = new Set(['accepted', 'advanced']);

function passedIn(checks: readonly Pick<CheckResult, 'tests'>[]): number | null {
  const counts = checks.flatMap(({ tests }) => tests?.passed ?? []);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

/** What a person's word carries as evidence: that nobody checked it, and what the story had cost until then. */
export async function personReceipt(
  { git, ledger }: Pick<RunContext, 'git'> & { readonly ledger: readonly LedgerLine[] },
  document: BacklogDocument,
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
    ...foundIn(findingsOf(document, story)),
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
  return checks.reduce((sum, check) => sum + (check.known ? 0 : check.durationMs), agent);
}
