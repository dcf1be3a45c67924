import type { Claim, Mode, Violation } from '../../contracts/model.ts';
import type { StatusBlock } from '../analysis/status-block.ts';
import { violation } from './violation.ts';

export interface ClaimInput {
  readonly mode: Mode;
  /** Id of the story under work. */
  readonly story: string;
  readonly skipReview: boolean;
  /** Through a tool call; null when the agent has no tools or used none. */
  readonly tool: Claim | null;
  /** From the agent's edit of the backlog, as `judge` read it. */
  readonly backlog: Claim | null;
  readonly block: StatusBlock | null;
  /** The final message calls the story finished outside of the block; absent where nobody asks. */
  readonly saidInWords?: boolean;
  /** Something else ended the agent: it never came to say what it is expected to end with. */
  readonly cutShort?: boolean;
}

export interface MergedClaim {
  readonly claim: Claim | null;
  readonly violations: readonly Violation[];
}

/**
 * The one claim of an iteration: a tool call beats an edit of the backlog, which beats the status block, which beats
 * mere words. A claim that the mode does not allow is passed over; a worker's approval of itself counts as `ready`,
 * whatever channel it took.
 */
export function mergeClaims(input: ClaimInput): MergedClaim {
  const block = input.block === null ? null : claimOfBlock(input.block, input.mode);
  const violations: Violation[] = [];
  let claim: Claim | null = null;
  for (const candidate of [input.tool, input.backlog, block, claimInWords(input)]) {
    if (candidate === null) continue;
    const legal = legalise(candidate, input);
    violations.push(...legal.violations);
    claim ??= legal.claim;
  }
  claim = withBlock(claim, input.block);
  if (input.mode === 'review' && claim === null && !input.cutShort) violations.push(missing(input.story));
  return { claim, violations };
}

/** What a claim through another channel leaves to the block: the file of stories has no field for it. */
function withBlock(claim: Claim | null, block: StatusBlock | null): Claim | null {
  if (claim?.kind === 'ready' && claim.alreadyDone === undefined && block?.alreadyDone) {
    return { ...claim, alreadyDone: block.evidence };
  }
  if (claim?.kind === 'approved' && claim.accepted === undefined && block && block.acceptedFindings.length > 0) {
    return { ...claim, accepted: block.acceptedFindings };
  }
  return claim;
}

/**
 * What a status block claims. A block is the only channel of agents without tools on foreign formats, so it may carry
 * everything. `EXIT_SIGNAL: false` says that work goes on and beats `COMPLETE`; it does not weaken a review's verdict.
 */
function claimOfBlock(block: StatusBlock, mode: Mode): Claim | null {
  const source = 'status-block';
  if (block.status === 'BLOCKED') {
    return {
      kind: 'blocked',
      source,
      reason: block.recommendation || 'the agent reported a blocker without naming it',
    };
  }
  if (block.review === 'APPROVED') return { kind: 'approved', source };
  if (block.review === 'CHANGES_REQUESTED') {
    return { kind: 'changes-requested', source, feedback: block.feedback || block.recommendation };
  }
  const complete = block.status === 'COMPLETE' && block.exitSignal !== false;
  return complete && mode !== 'review' ? { kind: 'ready', source } : null;
}

/** Who is finished but forgot to signal it is heard all the same, unless the block says that work is left. */
function claimInWords({ mode, block, saidInWords = false }: ClaimInput): Claim | null {
  if (!saidInWords || mode === 'review') return null;
  const goesOn = block?.exitSignal === false || block?.status === 'IN_PROGRESS' || block?.status === 'BLOCKED';
  return goesOn ? null : { kind: 'ready', source: 'words' };
}

/** The claim as far as the mode allows it. */
function legalise(claim: Claim, { mode, story, skipReview }: ClaimInput): MergedClaim {
  const refused = (instead: string): MergedClaim => ({
    claim: null,
    violations: [violation({ rule: 'claim/mode', story, instead })],
  });
  if (claim.kind === 'blocked') return { claim, violations: [] };
  if (mode === 'review') {
    if (claim.kind === 'ready') return refused('a review decides about the story; it does not implement it.');
    if (claim.kind === 'changes-requested' && claim.feedback.trim() === '') {
      return refused('requested changes need feedback that says what to change, item by item.');
    }
    return { claim, violations: [] };
  }
  if (claim.kind === 'changes-requested') return refused(`a verdict belongs to a review; this was ${mode}.`);
  if (claim.kind === 'ready') return { claim, violations: [] };
  const ready: Claim = { kind: 'ready', source: claim.source };
  if (skipReview) return { claim: ready, violations: [] };
  const instead = 'an agent never approves its own work; signal STATUS: COMPLETE and a fresh review decides.';
  return { claim: ready, violations: [violation({ rule: 'claim/self-approval', story, instead })] };
}

function missing(story: string): Violation {
  const instead = 'a review ends with a verdict: REVIEW: APPROVED, or REVIEW: CHANGES_REQUESTED with FEEDBACK.';
  return violation({ rule: 'claim/review-missing', story, instead });
}
