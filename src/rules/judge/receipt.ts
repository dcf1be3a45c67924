import {
  type CheckResult,
  type LedgerIteration,
  type LedgerLine,
  NO_USAGE,
  type ReviewFinding,
  type Story,
  type Verdict,
} from '../../contracts/index.ts';
import {
  type AcceptedWeakening,
  type AppliedClaim,
  AWAITS_APPROVAL,
  type BacklogDocument,
  type HeardReview,
  type Receipt,
  readReceipt,
} from '../backlog/index.ts';
import { addUsage } from '../text/index.ts';
import { greenCommands, redAtBaseline } from './checks.ts';
import type { Evidence, StoryProof } from './evidence.ts';
import { findingsOf } from './hear.ts';

const FAILED: ReadonlySet<Verdict> = new Set(['rejected', 'no-progress', 'timed-out', 'agent-error']);

/** What an approval is based on, in addition to the evidence. */
interface Approved {
  readonly story: Story;
  readonly applied: AppliedClaim;
  readonly review: HeardReview | null;
  readonly proof: StoryProof | null;
  readonly accepted: readonly AcceptedWeakening[];
}

/** The receipt of a done story: commits, the checks of this approval, and the story's cost over all its iterations. */
export function buildReceipt(evidence: Evidence, { story, applied, review, proof, accepted }: Approved): Receipt {
  const { agent, before, checks, ledger, range, record } = evidence;
  const earlier = iterationsOf(ledger, story.id);
  const red = redAtBaseline(record, greenCommands(record, ledger));
  const { costUsd, usage } = agent.result;
  const last = { verdict: 'accepted', costUsd, usage, durationMs: durationOf(evidence) } as const;
  return {
    story: story.id,
    approvedAt: new Date(agent.endedAt).toISOString(),
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
    ...testsSeen(evidence, story),
    ...foundIn(review?.memory.findings ?? (before.document ? findingsOf(before.document, story) : [])),
    ...(proof ? { proof: proof.result } : {}),
    ...shownBefore(earlier),
    ...(accepted.length > 0 ? { accepted } : {}),
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

/** If no iteration changed anything, the receipt names what the approval is based on. */
function shownBefore(earlier: readonly LedgerIteration[]): Pick<Receipt, 'alreadyDone'> {
  const last = earlier.findLast(({ alreadyDone }) => alreadyDone !== undefined);
  return last?.alreadyDone && earlier.every(({ workFiles }) => workFiles === 0)
    ? { alreadyDone: last.alreadyDone }
    : {};
}

/** Tests that passed before the story's first iteration, and now. Empty when no output gave either count. */
function testsSeen({ ledger, record, checks }: Evidence, { id }: Story): Pick<Receipt, 'tests'> {
  const { run } = record;
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

/** Verdicts whose work is on the branch, so that their check results apply to later iterations. */
const KEPT: ReadonlySet<Verdict> = new Set(['accepted', 'advanced']);

function passedIn(checks: readonly Pick<CheckResult, 'tests'>[]): number | null {
  const counts = checks.flatMap(({ tests }) => tests?.passed ?? []);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

/** The receipt of an approval by hand: not checked, with the story's cost up to then. */
export function userReceipt({
  ledger,
  range,
  document,
  story,
  at,
}: {
  readonly ledger: readonly LedgerLine[];
  readonly range: Evidence['range'];
  readonly document: BacklogDocument;
  readonly story: Story;
  /** Epoch ms. */
  readonly at: number;
}): Receipt {
  const approvedAt = new Date(at).toISOString();
  const held = heldReceipt(document, ledger, story);
  if (held !== null) return { ...held, approvedAt, by: 'person' };
  return {
    story: story.id,
    approvedAt,
    by: 'person',
    commits: range && { base: range.base, head: range.head, count: range.commits },
    verified: false,
    checks: [],
    reviews: story.reviewCount,
    ...foundIn(findingsOf(document, story)),
    ...spentOn(iterationsOf(ledger, story.id)),
  };
}

/** What the loop itself found when it approved a story that only lacked a person; null for any other story. */
function heldReceipt({ reviewsText }: BacklogDocument, ledger: readonly LedgerLine[], story: Story): Receipt | null {
  // An agent can block its story with the same words: only the ledger tells who did.
  const last = iterationsOf(ledger, story.id).at(-1);
  if (story.blocked !== AWAITS_APPROVAL || last?.blocked !== AWAITS_APPROVAL || last.state === 'blocked') return null;
  return readReceipt(reviewsText, story.id);
}

function iterationsOf(ledger: readonly LedgerLine[], story: string): readonly LedgerIteration[] {
  return ledger.filter((line): line is LedgerIteration => line.kind === 'iteration' && line.story === story);
}

/** Time, cost and tokens of a story's iterations in total. */
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

/** The time of the agent and the checks; not wall-clock time, which would include a crash in between. */
export function durationOf({ header, agent, checks }: Pick<Evidence, 'header' | 'agent' | 'checks'>): number {
  const worked = Math.max(0, agent.endedAt - header.startedAt);
  return checks.reduce((sum, check) => sum + (check.known ? 0 : check.durationMs), worked);
}
