import type { CheckResult, Claim, RedGreenProof, Story, Violation } from '../../contracts/model.ts';
import type { LedgerIteration, LedgerLine } from '../../contracts/state/ledger.ts';
import { isRefused } from '../../rules/proof/outcome.ts';
import type { Decision } from '../../rules/safeguards/verdict.ts';
import type { RunContext } from '../context.ts';
import { isLoopsOwn } from '../keep/loop-files.ts';
import type { Ended, StoryProof } from './ended.ts';

/** A label by which people except a story, such as one that must change no behaviour. Agents cannot give it. */
const NO_PROOF = 'no-proof';

interface Claimed {
  readonly claim: Claim | null;
  readonly story: Story;
  readonly checks: readonly CheckResult[];
  /** Work tree as the iteration leaves it. */
  readonly tree: string;
}

/**
 * With `proof: "red-green"`: whether the story's tests fail without its code. Asked whenever it is called finished or
 * reviewed; tried only where neither its base nor its work is what it was the last time. Null where nobody asks.
 */
export async function storyProof(context: RunContext, ended: Ended, claimed: Claimed): Promise<StoryProof | null> {
  const { config, git, ledger, emit } = context;
  const { header, checkpoint, snapshot } = ended;
  const { claim, story, checks, tree } = claimed;
  if (config.proof !== 'red-green' || claim === null || claim.kind === 'blocked') return null;
  if (snapshot.document?.format === 'prompt' || story.labels?.includes(NO_PROOF)) return null;
  const range = await git.storyRange(story.safeId);
  const base = range?.base ?? checkpoint.head;
  const last = lastProof(ledger, story.id);
  // Of a proof by an earlier version only the commit is known, which does not have what a person left lying about.
  const triedWith = last?.proof?.tree ?? last?.commit ?? null;
  if (last?.proof?.base === base && triedWith !== null && (await isSameWork(context, triedWith, tree)))
    return last.proof;
  emit(header.iteration, {
    type: 'notice',
    level: 'info',
    text: `Trying whether the tests of ${story.safeId} fail without its code.`,
  });
  const { prove } = await import('../proof/prove.ts');
  const result = await prove(context, { base, tree, checks });
  if (!context.signal.aborted) emit(header.iteration, { type: 'proof', story: story.id, proof: result });
  return { base, tree, result };
}

function lastProof(ledger: readonly LedgerLine[], story: string): LedgerIteration | undefined {
  return ledger.findLast(
    (line): line is LedgerIteration => line.kind === 'iteration' && line.story === story && line.proof !== undefined,
  );
}

/** Whether nothing but the loop's own files differs. A tree that is gone says no. */
async function isSameWork({ git, workspace }: RunContext, before: string, tree: string): Promise<boolean> {
  const changes = await git.changes(before, tree).catch(() => null);
  return changes?.every(({ path }) => isLoopsOwn(workspace, path)) ?? false;
}

/** What a refused proof is to the agent that called its story finished. */
export function unprovenClaim(story: Story, { outcome, detail }: RedGreenProof): Violation {
  return {
    rule: `proof/${outcome}`,
    story: story.id,
    message: `${story.safeId} does not count as finished: ${detail}.`,
  };
}

/** A decision that the proof made another one, in words that say so. `refusal`: the claim was not accepted for it. */
export function inTheLightOfProof(proof: StoryProof | null, refusal: StoryProof | null, decision: Decision): Decision {
  if (refusal !== null && (decision.verdict === 'advanced' || decision.verdict === 'no-progress')) {
    return {
      ...decision,
      reason: `the story was called finished, but its proof is refused: ${refusal.result.outcome}`,
    };
  }
  const isApproval = decision.verdict === 'accepted' && refusal === null && proof !== null && isRefused(proof.result);
  return isApproval
    ? { ...decision, reason: `${decision.reason}, but ${proof.result.detail}: changes are requested` }
    : decision;
}

/** Why a reviewed story must not be done; empty where nothing is in the way. */
export function unprovenReason(proof: StoryProof | null): string {
  return proof !== null && isRefused(proof.result) ? `Red-green proof: ${proof.result.detail}.` : '';
}
