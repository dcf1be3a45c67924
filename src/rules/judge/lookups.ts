import type { CheckResult, Claim, Story } from '../../contracts/index.ts';
import { type AgentEnd, endWith } from './agent-end.ts';
import { checkCommands, judgedChecks } from './checks.ts';
import type { Evidence, WorkLeft } from './evidence.ts';
import { type Heard, hear } from './hear.ts';
import { signalsOf } from './signals.ts';
import { droppedWords, isUnreadable } from './violations.ts';

/** What else must be looked up before an iteration can be judged: only facts that can change the result. */
interface Lookups {
  readonly story: Story;
  readonly claim: Claim | null;
  /** The agent's version of the backlog is worth keeping, in addition to the files put back. */
  readonly keepBacklog: boolean;
  /** The claim has to answer for weakened tests of earlier iterations. */
  readonly weakenedTests: boolean;
  /** The story may become done, so its commits are needed. */
  readonly mayBeDone: boolean;
  /** Commands to run. Only those needed, because checks take minutes. */
  readonly checks: readonly string[];
}

export function lookupsFor(left: WorkLeft): Lookups {
  const { header, before, config } = left;
  const heard = hear(left);
  const { story, claim } = heard;
  const weakenedTests = claim?.kind === 'approved' || (claim?.kind === 'ready' && config.skipReview);
  const backlog = before.document?.backlog;
  return {
    story,
    claim,
    keepBacklog: isUnreadable(heard.violations) || droppedWords(heard.violations).length > 0,
    weakenedTests,
    // The review cap may approve it.
    mayBeDone: weakenedTests || claim?.kind === 'changes-requested',
    checks: backlog && needsChecks(left, heard) ? checkCommands(config, backlog, story) : [],
  };

  function needsChecks(of: WorkLeft, { claim: made, said }: Heard): boolean {
    const end = endOf(of, made);
    if (end === 'interrupted' || end === 'limited') return false;
    if (header.mode === 'review') return made !== null && made.kind !== 'blocked';
    if (end !== 'ok') return made?.kind === 'ready';
    // Without a backlog no review examines work that is called done: only the checks judge it.
    return made?.kind === 'ready' || of.work.length > 0 || (signalsOf(of, said)?.done ?? false);
  }
}

/** How the agent ended, considering what it left. */
export function endOf({ agent, header, work }: WorkLeft, claim: Claim | null): AgentEnd {
  return endWith(agent, { hasClaim: claim !== null, hasWork: work.length > 0 && header.mode !== 'review' });
}

/** A label with which a person exempts a story, such as one that must not change behaviour. Agents cannot set it. */
const NO_PROOF = 'no-proof';

/**
 * Whether the red-green proof is required: only for work with green checks, whenever it is called finished or is
 * reviewed.
 */
export function needsProof(
  left: WorkLeft & Pick<Evidence, 'record'>,
  { story, claim }: Pick<Lookups, 'story' | 'claim'>,
  checks: readonly CheckResult[],
): boolean {
  if (left.config.proof !== 'red-green' || claim === null || claim.kind === 'blocked') return false;
  if (left.before.document?.format === 'prompt' || story.labels?.includes(NO_PROOF)) return false;
  return endOf(left, claim) === 'ok' && judgedChecks(left, story, checks).failing.length === 0;
}
