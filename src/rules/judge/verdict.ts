import type {
  AgentOutcome,
  CheckResult,
  Claim,
  Mode,
  RedGreenProof,
  Signals,
  TamperFinding,
  Verdict,
} from '../../contracts/index.ts';
import { type HeardReview, type ShownDone, whyNotShown } from '../backlog/index.ts';
import { isRefused } from '../proof.ts';
import { ADVANCED_FREE, budgetText } from '../safeguards/index.ts';
import { describeFailure } from '../text/index.ts';
import { type AgentEnd, stoppedFromOutside } from './agent-end.ts';
import { type Refusal, secretsIn } from './evidence.ts';

/*
 * The table "What each verdict does" of the loop's specification. The reason of a verdict is written only here. Reports
 * group iterations by how it begins.
 */

interface VerdictInput {
  readonly mode: Mode;
  /** Already limited to what the mode allows. */
  readonly claim: Claim | null;
  readonly agent: AgentEnd;
  /** How the process ended, in the words of the provider and the program. */
  readonly outcome: Pick<AgentOutcome, 'result' | 'stopped' | 'overrun'>;
  /** Something outside backlog and progress log differs from the checkpoint. */
  readonly changedOutsideLog: boolean;
  /** Something outside backlog and progress log differs from the story's first checkpoint. */
  readonly changedSinceStoryStart: boolean;
  /** Evidence that the story was done before; null when the agent does not claim that. */
  readonly alreadyDone: ShownDone | null;
  readonly skipReview: boolean;
  readonly checks: {
    /** Red now, green at the baseline or later. */
    readonly regressions: readonly CheckResult[];
    /** The story's own red commands. */
    readonly ownFailures: readonly CheckResult[];
  };
  /** A review changed tracked files besides backlog and progress log. */
  readonly reviewTouchedCode: boolean;
  /** Weakened tests that reject the iteration; empty when a reviewer is asked about them. */
  readonly tampering: readonly TamperFinding[];
  /** How many weakened tests an approval leaves unanswered. */
  readonly unanswered: number;
  /** Accepted work of other stories that is gone because the agent went back in the history, in words. */
  readonly lost: readonly string[];
  /** Content that no checkpoint can hold, in words; it was moved aside. */
  readonly excess: readonly string[];
  /** Ignored folders that are missing while checks fail: such a failure says nothing about the story. */
  readonly gone: readonly string[];
  /** Whether the story's tests fail without its code; null when this was not tried. */
  readonly proof: RedGreenProof | null;
  /** How this review compares with the memory of earlier ones. */
  readonly review: Pick<HeardReview, 'settledOnly' | 'converged'> | null;
  /** Reviews of the panel still to come: only then does it decide. */
  readonly votesToCome: number;
  /** Only without a backlog. */
  readonly signals: Signals | null;
  /** `advanced` verdicts of this story directly before this iteration. */
  readonly advancedInRow: number;
  /** Why the commit could not be made; null if it was not refused. */
  readonly refusal: Refusal | null;
}

export interface Decision {
  readonly verdict: Verdict;
  /** One sentence for the user and for the next prompt. */
  readonly reason: string;
  /** For the circuit breaker. */
  readonly counts: 'good' | 'bad' | 'ignored';
  readonly action: 'commit' | 'roll-back' | 'keep';
  /** What the iteration adds to the story's spent attempts; a change of review state resets that count. */
  readonly attemptDelta: 0 | 1;
}

export function decideVerdict(input: VerdictInput): Decision {
  if (input.refusal !== null) return bad('rejected', refused(input.refusal));
  const decision = verdictOn(input);
  if (input.gone.length === 0 || decision.counts !== 'bad') return decision;
  return { ...decision, reason: `${decision.reason}; ${input.gone.join(', ')} is gone`, attemptDelta: 0 };
}

/** An iteration that ended before it could be judged: the loop was killed, or a person did something that takes precedence. */
export function cutOff(reason: string): Decision {
  return ignored('interrupted', reason);
}

function verdictOn(input: VerdictInput): Decision {
  const { mode, agent } = input;
  if (agent === 'interrupted') return ignored('interrupted', interruption(input));
  if (agent === 'limited') return ignored('limited', limitation(input));
  if (mode === 'review' && input.reviewTouchedCode) {
    return bad('rejected', 'the review changed files, which reviews may not do; its decision does not count');
  }
  const [beyond] = input.excess;
  if (beyond !== undefined) return bad('rejected', `${beyond}: it was moved aside`);
  const [lost] = input.lost;
  if (lost !== undefined) return bad('rejected', lost);
  const [weakened] = input.tampering;
  if (weakened !== undefined && mode !== 'review') {
    return bad('rejected', `tests or checks were weakened: ${weakened.path}:${weakened.line}: ${weakened.detail}`);
  }
  const unproven = refusesClaim(input);
  const claim = unproven === null ? input.claim : null;
  const obstacle = claim === null ? null : obstacleTo(claim, input);
  if (agent !== 'ok') return badEnd(agent, input, obstacle);
  if (claim !== null) return obstacle ?? accepted(claim, input);
  if (mode === 'review') return noProgress('the review ended without a decision');
  if (!input.changedOutsideLog) return unproven === null ? idle(input) : noProgress(unproven);
  return regression(input) ?? advanced(input, unproven);
}

/** Why its proof keeps a finished story from counting as finished. For a review, a refused proof is an objection. */
function refusesClaim({ mode, agent, proof }: VerdictInput): string | null {
  if (proof === null || mode === 'review' || agent !== 'ok' || !isRefused(proof)) return null;
  return `the agent says the story is finished, but its proof is refused: ${proof.outcome}`;
}

/** What prevents a legal claim from being accepted; null when nothing does. */
function obstacleTo(claim: Claim, input: VerdictInput): Decision | null {
  // A review changes no code: red checks turn its verdict into requested changes when it is applied.
  if (input.mode === 'review') return null;
  const broken = regression(input);
  // An agent that reports a blocker did not finish: the story's own checks are not required.
  if (broken !== null || claim.kind === 'blocked') return broken;
  const [failing] = input.checks.ownFailures;
  if (failing !== undefined)
    return bad('rejected', `the agent says the story is finished, but its own check ${ending(failing)}`);
  const why = input.changedSinceStoryStart ? null : whyNotShown(input.alreadyDone, input.skipReview);
  return why === null
    ? null
    : noProgress(`the agent says the story is finished, but nothing was changed for it: ${why}`);
}

function regression({ checks }: VerdictInput): Decision | null {
  const [failing, ...more] = checks.regressions;
  if (failing === undefined) return null;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return bad('rejected', `a check that passed before fails now: ${ending(failing)}${others}`);
}

function ending(check: CheckResult): string {
  return `\`${check.command}\` ${describeFailure(check)}`;
}

/** A process that ended badly: its work counts only with a legal claim and green checks. */
function badEnd(agent: 'timed-out' | 'error', input: VerdictInput, obstacle: Decision | null): Decision {
  const said = messageOf(input);
  const failed = `the agent ended with an error${said === '' ? '' : ` (${said})`}`;
  const how = agent === 'timed-out' ? 'the agent ran out of time' : failed;
  const verdict = agent === 'timed-out' ? 'timed-out' : 'agent-error';
  if (input.claim === null) return bad(verdict, `${how} without a claim`);
  if (obstacle !== null) return bad(verdict, `${how}; besides, ${obstacle.reason}`);
  const red = input.checks.regressions[0] ?? input.checks.ownFailures[0];
  if (input.mode === 'review' && red !== undefined) return bad(verdict, `${how}, and ${ending(red)}`);
  const decision = accepted(input.claim, input);
  return { ...decision, reason: `${decision.reason}, although ${how}` };
}

function accepted(claim: Claim, input: VerdictInput): Decision {
  const { votesToCome } = input;
  if (votesToCome > 0 && claim.kind !== 'blocked') {
    // It does not say what this review found: the next agent of the panel reads the progress log.
    const reason = `one review of the panel is done; it decides after ${votesToCome === 1 ? 'one more' : `${votesToCome} more`}`;
    return { verdict: 'accepted', reason, counts: 'good', action: 'commit', attemptDelta: 0 };
  }
  const objection = claim.kind === 'approved' || claim.kind === 'ready' ? objectionTo(input) : null;
  const reason =
    objection === null ? acceptance(claim, input) : `${opinion(claim, input)}, but ${objection}: changes are requested`;
  return { verdict: 'accepted', reason, counts: 'good', action: 'commit', attemptDelta: 0 };
}

/** The reason for an accepted claim without obstacles. */
function acceptance(claim: Claim, input: VerdictInput): string {
  switch (claim.kind) {
    case 'ready':
      if (input.skipReview) return 'the story is implemented and its checks pass';
      return input.changedSinceStoryStart
        ? 'implemented; goes to review'
        : 'the agent says no change was needed; a review decides';
    case 'approved':
      return input.review?.settledOnly
        ? 'the review raised only settled findings: it counts as an approval'
        : 'the review approved the story';
    case 'changes-requested':
      return input.review?.converged
        ? 'the review found nothing new in unchanged work: the reviews converged'
        : 'the review requested changes';
    case 'blocked':
      return `the agent is blocked: ${claim.reason}`;
  }
}

/** The reviewer's opinion in words, to be followed by a "but". */
function opinion(claim: Claim, input: VerdictInput): string {
  if (claim.kind === 'ready') return 'the agent says the story is finished';
  return input.review?.settledOnly ? 'the review raised only settled findings' : 'the review approved the story';
}

/** The reason that turns an approval into requested changes. */
function objectionTo({ unanswered, checks, proof }: VerdictInput): string | null {
  const red = checks.regressions[0] ?? checks.ownFailures[0];
  if (unanswered > 0) {
    return `no reason was given for accepting ${unanswered === 1 ? 'a weakened test' : `${unanswered} weakened tests`}`;
  }
  if (red !== undefined) return ending(red);
  return proof !== null && isRefused(proof) ? proof.detail : null;
}

/** Without a claim, green work stays and the next iteration builds on it. */
function advanced(input: VerdictInput, unproven: string | null): Decision {
  const said = messageOf(input);
  const isNetwork = input.outcome.result.error?.kind === 'network';
  const how = said === '' ? '' : `; the agent ${isNetwork ? `lost its provider (${said})` : 'ended without an answer'}`;
  // A lone prompt has no story to claim.
  const done = input.signals?.done ? '; the agent says that everything is done' : '';
  const claimed = input.signals === null ? '; the agent made no claim' : done;
  return {
    verdict: 'advanced',
    reason: unproven ?? `files changed and no check got worse${claimed}${how}`,
    counts: 'good',
    action: 'commit',
    attemptDelta: input.advancedInRow >= ADVANCED_FREE ? 1 : 0,
  };
}

/**
 * Without a backlog an agent that changes nothing may be right: everything is done, or only testing is left. The exit
 * signals judge that, not the breaker.
 */
function idle({ signals }: VerdictInput): Decision {
  if (signals?.done) {
    return { ...noProgress('nothing was changed: the agent says that everything is done'), counts: 'ignored' };
  }
  if (signals?.testOnly) return { ...noProgress('only tests were run'), counts: 'ignored' };
  return noProgress(signals === null ? 'the agent changed nothing and made no claim' : 'the agent changed nothing');
}

function interruption({ outcome }: VerdictInput): string {
  const { result, overrun } = outcome;
  if (overrun) {
    const whose = overrun.budget === 'story-cost' ? 'the story' : null;
    return `the agent was stopped: ${budgetText(overrun, whose)}`;
  }
  if (stoppedFromOutside(outcome) === null) return 'the iteration was interrupted before it ended';
  return `the agent was stopped from outside this run (${result.signal ?? `exit code ${result.exitCode}`})`;
}

/** A provider's refusal explains itself better than this table can. */
function limitation(input: VerdictInput): string {
  const said = messageOf(input);
  if (said === '') return 'the provider stopped the agent: a usage limit was reached';
  return input.outcome.result.error?.kind === 'network' ? `the agent could not reach its provider: ${said}` : said;
}

function messageOf({ outcome }: VerdictInput): string {
  return outcome.result.error?.message ?? '';
}

function refused(refusal: Refusal): string {
  if (refusal.kind === 'hook')
    return refusal.hook === null
      ? 'git cannot convert the files as .gitattributes says'
      : `the commit hook ${refusal.hook} refused the work`;
  const [first, ...more] = refusal.files;
  const others = more.length > 0 ? ` and ${more.length} more files do, too` : '';
  return `${first?.path} holds ${secretsIn(first?.names ?? [])}${others}`;
}

function noProgress(reason: string): Decision {
  return { verdict: 'no-progress', reason, counts: 'bad', action: 'keep', attemptDelta: 1 };
}

function bad(verdict: 'rejected' | 'timed-out' | 'agent-error', reason: string): Decision {
  return { verdict, reason, counts: 'bad', action: 'roll-back', attemptDelta: 1 };
}

function ignored(verdict: 'interrupted' | 'limited', reason: string): Decision {
  return { verdict, reason, counts: 'ignored', action: 'roll-back', attemptDelta: 0 };
}
