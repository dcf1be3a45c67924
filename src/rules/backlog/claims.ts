import type { Claim, Mode, Violation } from '../../contracts/index.ts';
import type { StatusBlock } from '../analysis/index.ts';
import { shortLine } from '../text/index.ts';
import { violation } from './changes.ts';

interface ClaimInput {
  readonly mode: Mode;
  readonly story: string;
  readonly skipReview: boolean;
  /** Made by a tool call; null when the agent has no tools or used none. */
  readonly tool: Claim | null;
  /** Made by the agent's edit of the backlog, as `judge` read it. */
  readonly backlog: Claim | null;
  readonly block: StatusBlock | null;
  /** The final message calls the story finished outside the status block; absent when this is not checked. */
  readonly saidInWords?: boolean;
  /** The agent was ended from outside, before it could write its closing words. */
  readonly cutShort?: boolean;
}

interface MergedClaim {
  readonly claim: Claim | null;
  readonly violations: readonly Violation[];
}

/**
 * The single claim of an iteration: a tool call beats an edit of the backlog, which beats the status block, which beats
 * plain words. A claim that the mode does not allow is ignored; a worker that approves its own story counts as `ready`,
 * through any channel.
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

/** Adds to a claim from another channel what only the block says: the backlog file has no field for it. */
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
 * Agents without tools on foreign formats have no other channel, so a status block may carry any claim.
 * `EXIT_SIGNAL: false` beats `COMPLETE`; it does not weaken a review's verdict.
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

/** An agent that finishes but forgets the signal still makes a claim, unless its block says that work is left. */
function claimInWords({ mode, block, saidInWords = false }: ClaimInput): Claim | null {
  if (!saidInWords || mode === 'review') return null;
  const goesOn = block?.exitSignal === false || block?.status === 'IN_PROGRESS' || block?.status === 'BLOCKED';
  return goesOn ? null : { kind: 'ready', source: 'words' };
}

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

/** A story that the agent calls finished without having changed anything: its evidence that it was done before. */
export interface ShownDone {
  /** In the agent's words: commits, tests or files. */
  readonly evidence: readonly string[];
  readonly missing: readonly string[];
}

interface Cited {
  /** Possible paths, the most literal first: `test/a.test.ts:12`, then `test/a.test.ts`. */
  readonly paths: readonly string[];
  /** The commit name, if the text looks like one. */
  readonly commit: string | null;
}

/** The end of the path in `src/a.ts:12`, `test/a.test.ts::says hello`, `src/a.ts (the parser)`. */
const AFTER_PATH = /:|#|\(| > |\s/;

/** Git fails on these paths instead of reporting that there is no such file. */
const OUTSIDE = /^\/|(?:^|\/)\.\.(?:\/|$)|\0/;

/** Reads a piece of evidence: a file or test, possibly with text after its path, or a commit. */
export function citedBy(evidence: string): Cited {
  const plain = evidence.replace(/[`'"]/g, '').trim();
  const [short = ''] = plain.split(AFTER_PATH);
  const paths = [plain, short.trim()].map((path) => path.replace(/^\.\//, '').replace(/[.,]$/, ''));
  const commit = /^(?:commit )?([0-9a-f]{7,64})\b/.exec(plain)?.[1] ?? null;
  return { paths: [...new Set(paths)].filter((path) => path !== '' && !OUTSIDE.test(path)), commit };
}

/** Why the story does not count as done already, for the agent and the user; null when a review may decide. */
export function whyNotShown(shown: ShownDone | null, skipReview: boolean): string | null {
  if (skipReview) return 'without a review nothing can show that it was done before';
  if (shown === null || shown.evidence.length === 0) return 'no evidence says that it was done before';
  const [first] = shown.missing;
  if (first === undefined) return null;
  return `its evidence is neither a file nor a commit from before: ${shortLine(first, 120)}`;
}
