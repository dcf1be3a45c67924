import type { CheckResult, Claim, StoryEdit } from '../../contracts/model.ts';
import type { FailureContext } from '../../contracts/state/ledger.ts';
import { BLOCK_BEGIN, BLOCK_END } from '../../rules/analysis/status-block.ts';
import { type AppliedClaim, applyClaim } from '../../rules/backlog/reviews/review.ts';
import { unansweredText } from '../../rules/backlog/reviews/weakened.ts';
import { attemptsOf } from '../../rules/safeguards/attempts.ts';
import { storyCost } from '../../rules/safeguards/budgets.ts';
import type { Decision } from '../../rules/safeguards/verdict.ts';
import type { RunContext } from '../context.ts';
import type { Ended, Findings } from './ended.ts';
import { unprovenReason } from './story-proof.ts';

/** A decision together with everything it does to the story. */
export interface Conclusion {
  readonly decision: Decision;
  readonly applied: AppliedClaim | null;
  readonly blocked: string | null;
  readonly failure: FailureContext | null;
}

/** The story's side of a decision: review state, attempts, and what the next prompt has to know. */
export function concludeFrom(
  context: RunContext,
  { header, outcome, snapshot }: Ended,
  findings: Findings,
  decision: Decision,
): Conclusion {
  const { config, ledger } = context;
  const { storyMaxAttempts, storyMaxCost } = context.steering.limits();
  const { story, claim, failing } = findings;
  const applied =
    decision.verdict === 'accepted' && claim
      ? applyClaim({
          story,
          claim,
          skipReview: config.skipReview,
          reviewCap: config.reviewCap,
          onReviewCap: config.onReviewCap,
          checksGreen: failing.length === 0,
          failingOutput: failing.map((check) => `$ ${check.command}\n${check.tail}`).join('\n\n'),
          unproven: unprovenReason(findings.proof),
          unanswered: unansweredText(findings.weakened.open),
          converged: findings.review?.converged ?? false,
          agentNotes: agentNotes(findings.edits, story.id) ?? story.notes,
          summary:
            lastParagraph(outcome.result.text) || `done in iteration ${header.iteration}; the agent left no note`,
        })
      : null;
  const attempts = attemptsOf(ledger, header.story) + decision.attemptDelta;
  const cost = storyCost(ledger, story.id) + (outcome.result.costUsd ?? 0);
  // Without a backlog there is no next story to go on with: the breaker ends such a run.
  const isLone = snapshot.document?.format === 'prompt';
  const isSpent = outcome.overrun?.budget === 'story-cost' || (storyMaxCost !== null && cost >= storyMaxCost);
  const blocked =
    blockedReason(findings.claim, applied, attempts, decision, isLone ? Number.POSITIVE_INFINITY : storyMaxAttempts) ??
    (isSpent && applied?.fields.passes !== true
      ? `its budget is spent: $${cost.toFixed(2)} of $${storyMaxCost?.toFixed(2)}`
      : null);
  const good = decision.verdict === 'accepted' || decision.verdict === 'advanced';
  const failure =
    good && findings.violations.length === 0
      ? null
      : {
          reason: decision.reason,
          checks: failing.length > 0 ? failing : seenFailing(findings),
          rescue: null,
          diffStat: null,
        };
  return { decision, applied, blocked, failure };
}

/** What the agent last saw fail itself: told to the next iteration where no check of the loop says it better. */
function seenFailing({ tests }: Findings): readonly CheckResult[] {
  if (tests === null || (tests.outcome !== 'fail' && tests.outcome !== 'error')) return [];
  const { command, exitCode, tail, ...counts } = tests;
  return [{ command, ok: false, exitCode, timedOut: false, durationMs: 0, tail, tests: counts }];
}

function blockedReason(
  claim: Claim | null,
  applied: AppliedClaim | null,
  attempts: number,
  decision: Decision,
  maxAttempts: number,
): string | null {
  if (applied?.fields.blocked) return applied.fields.blocked;
  if (claim?.kind === 'blocked' && decision.verdict !== 'interrupted' && decision.verdict !== 'limited')
    return claim.reason;
  if (decision.attemptDelta > 0 && attempts >= maxAttempts)
    return `${attempts} failed attempts; the last: ${decision.reason}`;
  return null;
}

/** The notes the agent wrote for its story, when it wrote any. */
function agentNotes(edits: readonly StoryEdit[], story: string): string | null {
  for (const edit of edits) if (edit.kind === 'set' && edit.id === story && edit.fields.notes) return edit.fields.notes;
  return null;
}

const STATUS_BLOCK = new RegExp(`${BLOCK_BEGIN}[\\s\\S]*?${BLOCK_END}`, 'g');

/** What stands in for notes when the agent left none: the end of what it said, without its status block. */
function lastParagraph(text: string): string {
  const plain = text.replace(STATUS_BLOCK, '').trim();
  const last = plain.split(/\n\s*\n/).at(-1) ?? '';
  return last.replace(/\s+/g, ' ').slice(0, 500);
}
