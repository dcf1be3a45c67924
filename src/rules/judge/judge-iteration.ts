import type {
  CheckResult,
  Claim,
  EventBody,
  FailureContext,
  Signals,
  StoryEdit,
  Violation,
} from '../../contracts/index.ts';
import { announcesEverything, BLOCK_BEGIN, BLOCK_END } from '../analysis/index.ts';
import {
  type AcceptedWeakening,
  type AppliedClaim,
  AWAITS_APPROVAL,
  acceptedAmong,
  applyClaim,
  type Numbered,
  toAnswer,
  unanswered,
  unansweredText,
} from '../backlog/index.ts';
import { isRefused } from '../proof.ts';
import { advancedInRow, attemptsOf, everWorkedOn, storyCost } from '../safeguards/index.ts';
import { type AgentEnd, isCutOff } from './agent-end.ts';
import { type JudgedChecks, judgedChecks } from './checks.ts';
import { commitMessage } from './commit-message.ts';
import type { Evidence, Outcome, StoryProof } from './evidence.ts';
import { type Heard, hear } from './hear.ts';
import { endOf } from './lookups.ts';
import { type Judged, ledgerLine, loopFileTexts } from './records.ts';
import { signalsAfterChecks, signalsOf } from './signals.ts';
import { type Decision, decideVerdict } from './verdict.ts';
import { mergedProgress, mustBeRemoved, noticesOf, ofRefusal, unprovenClaim, violationsOf } from './violations.ts';

/**
 * The judgement on an iteration: its verdict and all consequences. Pure, so that the same evidence always gives the
 * same result. If the commit is refused, or work is saved before a rollback, that becomes additional evidence and the
 * function is called again.
 */
export function judgeIteration(evidence: Evidence): Outcome {
  const { header, config, agent, work, head } = evidence;
  const heard = hear(evidence);
  const progress = mergedProgress(evidence);
  const found = findingsIn(evidence, heard);
  const decision = decide(evidence, heard, found);
  const early = violationsOf(evidence, heard, progress.isRewritten);
  const late = [
    ...found.doubts,
    ...(found.refusedProof === null ? [] : [unprovenClaim(heard.story, found.refusedProof.result)]),
    ...evidence.refusals.flatMap(ofRefusal),
  ];
  const violations = [...early, ...late];

  // `--rollback never` keeps work that would be rolled back as a wip commit, so that the next iteration builds on it.
  const isSpared =
    decision.action === 'roll-back' &&
    config.rollback === 'never' &&
    header.mode !== 'review' &&
    !violations.some(mustBeRemoved);
  const hasMoved = head.after !== head.before;
  const commits = decision.action === 'commit' || (isSpared && work.length > 0);
  // A review's leftovers and an agent's stray index or commits are treated like rejected work: rescued, rolled back.
  const leftovers = header.mode === 'review' && (work.length > 0 || hasMoved);
  const rollBack = (decision.action === 'roll-back' && !isSpared) || leftovers || (!commits && hasMoved);

  const applied = apply(evidence, heard, found, decision);
  const rescue = evidence.kept?.rescue ?? evidence.rescue ?? agent.session?.rescue ?? null;
  const judged: Judged = {
    ...{ heard, decision, applied, violations, rescue, progress: progress.text },
    ...{ proof: found.proof, accepted: found.accepted, signals: found.signals, announced: found.announced },
    blocked: blockedReason(evidence, heard, decision, applied),
    failure: failureOf(evidence, found, decision, violations, rescue),
  };
  const line = ledgerLine(evidence, judged);
  const { files, compacted } = loopFileTexts(evidence, judged, line);
  return {
    ledger: line,
    rollBack,
    commit: commits
      ? {
          ...commitMessage(
            ...([config, header, heard.story, applied, decision, evidence.agentCommits?.messages ?? []] as const),
            found.signals !== null,
          ),
          paths: rollBack ? [] : work.map(({ path }) => path),
          runsHooks: config.commit.verify && !rollBack && !isSpared && work.length > 0,
        }
      : null,
    files,
    events: [
      ...noticesOf(evidence, heard),
      ...early.map(toViolation),
      ...evidence.tampering.map(
        ({ kind, path, line: at, detail }) => ({ type: 'tampering', kind, path, line: at, detail }) as const,
      ),
      ...late.map(toViolation),
      ...compacted,
    ],
  };

  function toViolation(violation: Violation): EventBody {
    return { type: 'violation', violation };
  }
}

/** What the evidence shows, apart from the claim. */
interface Found extends JudgedChecks {
  readonly end: AgentEnd;
  /** Weakened tests that the claim leaves unanswered, and those that it accepts with a reason. */
  readonly open: readonly Numbered[];
  readonly accepted: readonly AcceptedWeakening[];
  readonly proof: StoryProof | null;
  /** The proof, when it is the reason for not accepting the claim. */
  readonly refusedProof: StoryProof | null;
  readonly signals: Signals | null;
  /** Objections of red checks to the end of a lone prompt. */
  readonly doubts: readonly Violation[];
  /** The agent announced that the whole backlog is done. */
  readonly announced: boolean;
}

function findingsIn(evidence: Evidence, { story, claim, said }: Heard): Found {
  const { agent, before, checks, config, header } = evidence;
  const judged = judgedChecks(evidence, story, checks);
  const end = endAfterChecks(evidence, claim, judged.failing.length > 0);
  const proof = end === 'ok' ? evidence.proof : null;
  const toBeAnswered = toAnswer(evidence.underReview);
  const answers = claim?.kind === 'approved' ? (claim.accepted ?? []) : [];
  const { signals, doubts } = signalsAfterChecks(signalsOf(evidence, said), checks);
  const isLone = before.document?.format === 'prompt';
  return {
    ...judged,
    end,
    open: unanswered(toBeAnswered, answers),
    accepted: acceptedAmong(toBeAnswered, answers),
    proof,
    refusedProof: header.mode !== 'review' && isRefused(proof?.result ?? null) ? proof : null,
    signals,
    doubts,
    announced: !isLone && announcesEverything(agent.result.text, config.promise, header.mode),
  };
}

/**
 * A stop leaves checks incomplete: no conclusion may be drawn from them, nor from half-done work after a lost
 * connection.
 */
function endAfterChecks(evidence: Evidence, claim: Claim | null, isRed: boolean): AgentEnd {
  if (evidence.isStopped) return 'interrupted';
  return isRed && isCutOff(evidence.agent) ? 'limited' : endOf(evidence, claim);
}

function decide(evidence: Evidence, { claim, review, vote }: Heard, found: Found): Decision {
  const { header, config, agent, work, ledger } = evidence;
  const isWorkedOn = work.length > 0 || everWorkedOn(ledger, header.story);
  return decideVerdict({
    mode: header.mode,
    claim,
    agent: found.end,
    outcome: agent,
    changedOutsideLog: work.length > 0,
    changedSinceStoryStart: isWorkedOn,
    alreadyDone: evidence.shownDone,
    skipReview: config.skipReview,
    checks: found,
    reviewTouchedCode: header.mode === 'review' && work.some(({ status }) => status !== 'added'),
    tampering: refusedAtOnce(evidence, found),
    unanswered: found.open.length,
    lost: evidence.lost.map(({ message }) => message),
    excess: agent.excess ?? [],
    gone: found.failing.length > 0 ? (agent.gone ?? []) : [],
    proof: found.proof?.result ?? null,
    review,
    votesToCome: vote?.toCome ?? 0,
    signals: found.signals,
    advancedInRow: advancedInRow(ledger, header.story),
    refusal: evidence.refusals.at(-1) ?? null,
  });
}

/**
 * Without a reviewer no weakened test can be accepted, including one from an earlier iteration that is still there. A
 * lone prompt has no stories that could become done.
 */
function refusedAtOnce({ agent, before, config, tampering }: Evidence, { open }: Found): Evidence['tampering'] {
  const isLone = before.document?.format === 'prompt';
  if (config.onTestTamper !== 'reject' && (!config.skipReview || isLone)) return [];
  const earlier = config.skipReview && !agent.verifyOnly ? open.map(({ finding }) => finding) : [];
  return [...toAnswer(tampering), ...earlier];
}

/** Applies an accepted claim to the story. */
function apply(
  evidence: Evidence,
  { story, claim, review, vote, edits }: Heard,
  found: Found,
  decision: Decision,
): AppliedClaim | null {
  const { agent, config, header } = evidence;
  if (decision.verdict !== 'accepted' || claim === null || (vote?.toCome ?? 0) > 0) return null;
  const { failing, proof } = found;
  return applyClaim({
    story,
    claim,
    skipReview: config.skipReview,
    reviewCap: config.reviewCap,
    onReviewCap: config.onReviewCap,
    checksGreen: failing.length === 0,
    failingOutput: failing.map((check) => `$ ${check.command}\n${check.tail}`).join('\n\n'),
    unproven: proof !== null && isRefused(proof.result) ? `Red-green proof: ${proof.result.detail}.` : '',
    unanswered: unansweredText(found.open),
    converged: review?.converged ?? false,
    agentNotes: agentNotes(edits, story.id) ?? story.notes,
    summary: lastParagraph(agent.result.text) || `done in iteration ${header.iteration}; the agent left no note`,
  });
}

/** Why the story is blocked; null when it is not. */
function blockedReason(
  evidence: Evidence,
  { story, claim }: Heard,
  decision: Decision,
  applied: AppliedClaim | null,
): string | null {
  const { agent, before, ledger, limits, config } = evidence;
  if (config.gate === 'story' && applied?.fields.passes === true) return AWAITS_APPROVAL;
  if (applied?.fields.blocked) return applied.fields.blocked;
  const isIgnored = decision.verdict === 'interrupted' || decision.verdict === 'limited';
  if (claim?.kind === 'blocked' && !isIgnored) return claim.reason;
  const attempts = attemptsOf(ledger, story.id) + decision.attemptDelta;
  // Without a backlog there is no next story to continue with: the breaker ends such a run.
  const most = before.document?.format === 'prompt' ? Number.POSITIVE_INFINITY : limits.storyMaxAttempts;
  if (decision.attemptDelta > 0 && attempts >= most) return `${attempts} failed attempts; the last: ${decision.reason}`;
  const cost = storyCost(ledger, story.id) + (agent.result.costUsd ?? 0);
  const { storyMaxCost } = limits;
  const isSpent = agent.overrun?.budget === 'story-cost' || (storyMaxCost !== null && cost >= storyMaxCost);
  return isSpent && applied?.fields.passes !== true
    ? `its budget is spent: $${cost.toFixed(2)} of $${storyMaxCost?.toFixed(2)}`
    : null;
}

/** What the next prompt must report; null when nothing went wrong. */
function failureOf(
  evidence: Evidence,
  found: Found,
  decision: Decision,
  violations: readonly Violation[],
  rescue: string | null,
): FailureContext | null {
  const isGood = decision.verdict === 'accepted' || decision.verdict === 'advanced';
  if (isGood && violations.length === 0) return null;
  const doubted = found.doubts.length > 0 ? evidence.checks.filter(({ ok }) => !ok) : [];
  const hooks = evidence.refusals.flatMap((refusal) => (refusal.kind === 'hook' ? [refusal.check] : []));
  const failing = [...new Set([...found.failing, ...doubted, ...hooks])];
  return {
    reason: decision.reason,
    checks: failing.length > 0 ? failing : seenFailing(evidence),
    rescue,
    diffStat: evidence.kept?.diffStat ?? null,
  };
}

/** The agent's own last failures: reported to the next iteration if no check of the loop shows them better. */
function seenFailing({ agent }: Evidence): readonly CheckResult[] {
  const tests = agent.session?.tests ?? null;
  if (tests === null || (tests.outcome !== 'fail' && tests.outcome !== 'error')) return [];
  const { command, exitCode, tail, ...counts } = tests;
  return [{ command, ok: false, exitCode, timedOut: false, durationMs: 0, tail, tests: counts }];
}

/** The agent's notes for its story, if it wrote any. */
function agentNotes(edits: readonly StoryEdit[], story: string): string | null {
  for (const edit of edits) if (edit.kind === 'set' && edit.id === story && edit.fields.notes) return edit.fields.notes;
  return null;
}

const STATUS_BLOCK = new RegExp(`${BLOCK_BEGIN}[\\s\\S]*?${BLOCK_END}`, 'g');

/** Replacement for missing notes: the last paragraph of what the agent said, without its status block. */
function lastParagraph(text: string): string {
  const plain = text.replace(STATUS_BLOCK, '').trim();
  const last = plain.split(/\n\s*\n/).at(-1) ?? '';
  return last.replace(/\s+/g, ' ').slice(0, 500);
}
