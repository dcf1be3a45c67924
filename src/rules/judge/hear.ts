import type { AgentOutcome, Claim, Mode, ReviewFinding, Story, StoryEdit, Violation } from '../../contracts/index.ts';
import { parseStatusBlock } from '../analysis/index.ts';
import {
  type BacklogDocument,
  type HeardReview,
  hearReview,
  type Judgement,
  judge,
  type Loaded,
  mergeClaims,
  mergeVotes,
  propose,
  readFindings,
  votesOf,
} from '../backlog/index.ts';
import { agentEndOf } from './agent-end.ts';
import type { Snapshot, WorkLeft } from './evidence.ts';
import { saysFinished } from './signals.ts';

/** What the agent says about its story through any channel, as far as its mode allows it. */
export interface Heard {
  /** The story before the iteration. */
  readonly story: Story;
  /** Also null without a backlog: there is no story to finish, and the agent's words count as a signal. */
  readonly claim: Claim | null;
  /** The claim without that rule, and before comparison with earlier reviews. */
  readonly said: Claim | null;
  /** The review of this iteration, compared with earlier ones; null for everything else. */
  readonly review: HeardReview | null;
  /** What this review says as one of a panel, and how many are still to come before they decide together. */
  readonly vote: { readonly claim: Claim; readonly toCome: number } | null;
  readonly violations: readonly Violation[];
  /** The agent's legal changes to the backlog. */
  readonly edits: readonly StoryEdit[];
  /** Worth reporting, but no violation. */
  readonly warnings: readonly string[];
}

/** Collects what the agent says: its tools, its version of the backlog, its status block, its words. */
export function hear(left: WorkLeft): Heard {
  const { header, before, agent, config, analyzers } = left;
  const story = before.document?.backlog.stories.find(({ id }) => id === header.story);
  if (!story) throw new Error(`story ${header.story} is not in the snapshot of its own iteration`);
  if (agent.verifyOnly) {
    const claim = { kind: 'ready', source: 'resolved' } as const;
    return { story, claim, said: null, review: null, vote: null, violations: [], edits: [], warnings: [] };
  }
  const judgement = judgeBacklog({
    ...header,
    ...config,
    before,
    now: left.backlog,
    edits: agent.session?.edits ?? [],
  });
  const merged = mergeClaims({
    mode: header.mode,
    story: story.id,
    skipReview: config.skipReview,
    tool: agent.session?.claim ?? null,
    backlog: judgement.claim,
    block: parseStatusBlock(agent.result.text) ?? parseStatusBlock(agent.session?.statusMessage ?? ''),
    cutShort: agentEndOf(agent) !== 'ok',
    // A plugin's word is no better than the agent's: without a review only the promise counts.
    saidInWords: saysFinished(agent, config) || (analyzers.completion && !config.skipReview),
  });
  const said = withBlocker(merged.claim, analyzers.blocked);
  const isSignal = before.document?.format === 'prompt' && said?.kind !== 'blocked';
  const claim = isSignal ? null : said;
  const { vote, joint } = askPanel(left, story, claim);
  const review = reviewOf(left, story, joint);
  return {
    story,
    claim: review?.claim ?? claim,
    said,
    review,
    vote,
    violations: [...judgement.violations, ...merged.violations],
    edits: judgement.edits,
    warnings: judgement.warnings,
  };
}

/**
 * Judges the agent's backlog against the snapshot: its current file, with the changes announced through its tools
 * applied. The Stop hook asks the same question while the agent works.
 */
export function judgeBacklog(input: {
  readonly mode: Mode;
  readonly story: string;
  readonly skipReview: boolean;
  readonly reviewCap: number;
  readonly before: Snapshot;
  readonly now: Loaded;
  readonly edits: NonNullable<AgentOutcome['session']>['edits'];
}): Judgement {
  const { mode, story, skipReview, reviewCap, before, now, edits } = input;
  const proposal = now.document && edits.length > 0 ? propose(now.document, edits) : null;
  const judgement = judge({
    mode,
    selected: story,
    skipReview,
    reviewCap,
    snapshot: before.document,
    agent: proposal?.document ?? now.document,
    problems: now.problems,
  });
  const clashes = (proposal?.refused ?? []).map(
    ({ problems }): Violation => ({
      rule: 'tool/clash',
      message: `A tool call contradicts the file: ${problems.map(({ message }) => message).join('; ')}.`,
    }),
  );
  return { ...judgement, violations: [...judgement.violations, ...clashes] };
}

/** A plugin's reason why the agent cannot continue counts only if the agent made no claim except by its words. */
function withBlocker(claim: Claim | null, blocked: string | null): Claim | null {
  if (blocked === null || (claim !== null && claim.source !== 'words')) return claim;
  return { kind: 'blocked', source: 'words', reason: blocked };
}

/** What a panel says together once all of its reviews are in; until then null. Without a panel, the claim itself. */
function askPanel(
  { header, agent, config, ledger }: WorkLeft,
  story: Story,
  claim: Claim | null,
): { readonly vote: Heard['vote']; readonly joint: Claim | null } {
  const isVerdict = claim?.kind === 'approved' || claim?.kind === 'changes-requested';
  const { panel } = config.review;
  if (header.mode !== 'review' || panel === 1 || !isVerdict) return { vote: null, joint: claim };
  const votes = [...votesOf(ledger, story.id), { agent: agent.agent ?? 'none', claim }];
  const toCome = Math.max(0, panel - votes.length);
  return { vote: { claim, toCome }, joint: toCome > 0 ? null : mergeVotes(votes, story.acceptanceCriteria) };
}

/** The review of this iteration, compared with earlier findings; null when it gave no verdict. */
function reviewOf(
  { header, before, changedSinceReview }: WorkLeft,
  story: Story,
  claim: Claim | null,
): HeardReview | null {
  if (header.mode !== 'review' || !before.document) return null;
  return hearReview({ claim, story, before: findingsOf(before.document, story), changed: changedSinceReview });
}

/** The findings of a story. If its reviews start again, only those that a person waived or asked for remain. */
export function findingsOf(
  { reviewsText }: Pick<BacklogDocument, 'reviewsText'>,
  story: Story,
): readonly ReviewFinding[] {
  const all = readFindings(reviewsText, story.id);
  return story.reviewCount > 0 ? all : all.filter(({ state, from }) => state === 'waived' || from !== undefined);
}
