import type { AfterState, Checkpoint } from '../adapters/git/port.ts';
import type { Claim, StoryEdit, StoryFields } from '../contracts/model.ts';
import {
  type AgentOutcome,
  type FailureContext,
  type IterationHeader,
  LEDGER_VERSION,
  type LedgerIteration,
  type Plan,
} from '../contracts/state.ts';
import type { BacklogDocument } from '../rules/backlog/api.ts';
import { editBacklog } from '../rules/backlog/edit.ts';
import { type AppliedClaim, applyClaim } from '../rules/backlog/review.ts';
import { mergeReceipt } from '../rules/backlog/reviews.ts';
import { appendEntry, compact } from '../rules/progress/entry.ts';
import { attemptsOf } from '../rules/safeguards/attempts.ts';
import type { Decision } from '../rules/safeguards/verdict.ts';
import { modelFor } from './agent-step.ts';
import { commitMessage } from './commit-message.ts';
import type { RunContext } from './context.ts';
import { keepTree } from './keep.ts';
import { buildReceipt } from './receipt.ts';
import type { Findings } from './settle.ts';
import type { Snapshot } from './snapshot.ts';

/** A decision together with everything it does to the story. */
interface Conclusion {
  readonly decision: Decision;
  readonly applied: AppliedClaim | null;
  readonly blocked: string | null;
  readonly failure: FailureContext | null;
}

/**
 * Turns a decision into the plan that conclude carries out: the bytes of the loop's files, the prepared commit, the
 * rescue. Refs and objects may be made here, the work tree and the branch stay as they are. A commit hook that fails
 * on work turns the decision into `rejected`, with its output as the reason.
 */
export async function planIteration(
  context: RunContext,
  header: IterationHeader,
  checkpoint: Checkpoint,
  snapshot: Snapshot,
  outcome: AgentOutcome,
  after: AfterState,
  findings: Findings,
  decision: Decision,
): Promise<Plan> {
  const attempt = (conclusion: Conclusion) =>
    drawUp(context, header, checkpoint, snapshot, outcome, after, findings, conclusion);
  const plan = await attempt(await concludeFrom(context, header, findings, decision, outcome));
  if (plan.kind === 'plan') return plan.plan;
  const reason = `the commit hook ${plan.hook} refused the work`;
  const rejected: Decision = { verdict: 'rejected', reason, counts: 'bad', action: 'roll-back', attemptDelta: 1 };
  const hookCheck = {
    command: `git hook ${plan.hook}`,
    ok: false,
    exitCode: 1,
    timedOut: false,
    durationMs: 0,
    tail: plan.output,
  };
  const again = await attempt(
    await concludeFrom(context, header, { ...findings, failing: [...findings.failing, hookCheck] }, rejected, outcome),
  );
  if (again.kind !== 'plan') throw new Error('a rolled-back iteration made a commit');
  return again.plan;
}

/** The story's side of a decision: review state, attempts, and what the next prompt has to know. */
async function concludeFrom(
  context: RunContext,
  header: IterationHeader,
  findings: Findings,
  decision: Decision,
  outcome: AgentOutcome,
): Promise<Conclusion> {
  const { config, ledger } = context;
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
          agentNotes: agentNotes(findings.edits, story.id) ?? story.notes,
          summary:
            lastParagraph(outcome.result.text) || `done in iteration ${header.iteration}; the agent left no note`,
        })
      : null;
  const attempts = attemptsOf(ledger, header.story) + decision.attemptDelta;
  const blocked = blockedReason(findings.claim, applied, attempts, decision, config.storyMaxAttempts);
  const good = decision.verdict === 'accepted' || decision.verdict === 'advanced';
  const failure =
    good && findings.violations.length === 0
      ? null
      : { reason: decision.reason, checks: failing, rescue: null, diffStat: null };
  return { decision, applied, blocked, failure };
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

type Drawn =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'hook-failed'; readonly hook: string; readonly output: string };

async function drawUp(
  context: RunContext,
  header: IterationHeader,
  checkpoint: Checkpoint,
  snapshot: Snapshot,
  outcome: AgentOutcome,
  after: AfterState,
  findings: Findings,
  conclusion: Conclusion,
): Promise<Drawn> {
  const { git, config } = context;
  const { decision } = conclusion;
  // `--rollback never` keeps what would be taken back as a wip commit, so that the next iteration builds on it.
  const spared = decision.action === 'roll-back' && config.rollback === 'never' && header.mode !== 'review';
  const commits = decision.action === 'commit' || (spared && findings.work.length > 0);
  // A review's leftovers and an agent's stray index or commits go the same way as rejected work: rescued, rolled back.
  const leftovers = header.mode === 'review' && (findings.work.length > 0 || after.head !== checkpoint.head);
  const rollBack =
    (decision.action === 'roll-back' && !spared) || leftovers || (!commits && after.head !== checkpoint.head);
  const left = { tree: findings.tree, head: after.head };
  const rescue =
    findings.rescue ?? (rollBack ? await keepTree(context, header, checkpoint, left, decision.reason) : null);
  const diffStat = rescue && rollBack ? await git.diffStat(checkpoint.tree, findings.tree, 20) : null;
  const failure = conclusion.failure && { ...conclusion.failure, rescue, diffStat };

  const ledger = ledgerLine(context, header, outcome, findings, conclusion, failure, rescue);
  const files = await loopFileBytes(context, header, snapshot, findings, conclusion, ledger, outcome);
  await keepMovedRefs(context, header, after);
  const agentCommits = await git.keepAgentCommits({
    run: header.run,
    iteration: header.iteration,
    checkpoint,
    agentHead: after.head,
  });
  const plan: Plan = {
    verdict: decision.verdict,
    rollBack,
    commit: null,
    commitFiles: 0,
    agentHead: after.head,
    agentCommits: agentCommits?.ref ?? null,
    afterTree: findings.tree,
    rescue,
    rescuedFiles: rescue && rollBack ? after.changed.length : 0,
    files,
    ledger,
  };
  if (!commits) return { kind: 'plan', plan };

  const message = commitMessage(
    config,
    header,
    findings.story,
    conclusion.applied,
    decision,
    agentCommits?.messages ?? [],
  );
  const prepared = await git.prepareCommit({
    checkpoint,
    paths: rollBack ? [] : findings.work,
    files,
    ...message,
    date: outcome.endedAt,
    hooks: config.commit.verify && !rollBack && !spared && findings.work.length > 0,
    sign: config.commit.sign,
    ...(config.commits === 'keep' && !rollBack ? { parent: after.head } : {}),
  });
  if (prepared.kind === 'hook-failed') return prepared;
  if (prepared.kind === 'empty') return { kind: 'plan', plan };
  const { commit } = prepared;
  return {
    kind: 'plan',
    plan: {
      ...plan,
      commit,
      commitFiles: prepared.files,
      ledger: { ...ledger, commit, subject: message.subject, workFiles: rollBack ? 0 : findings.work.length },
    },
  };
}

/** Refs that the agent moved stay where they are (a person may have moved them), but what they held is kept. */
async function keepMovedRefs(
  { git, emit }: RunContext,
  { run, iteration }: IterationHeader,
  { movedRefs }: AfterState,
): Promise<void> {
  const names = Object.keys(movedRefs);
  if (names.length === 0) return;
  await git.keepMovedRefs({ run, iteration, movedRefs });
  const kept = Object.values(movedRefs).some(([before]) => before !== '');
  const text = `While the agent worked, refs changed: ${names.join(', ')}.`;
  emit(iteration, {
    type: 'notice',
    level: 'warning',
    text,
    ...(kept ? { mend: `what they pointed to before is kept under refs/ralph/moved/${run}/${iteration}/` } : {}),
  });
}

/** New text of backlog, reviews and progress log: the snapshot plus what is legal, plus the loop's own word. */
async function loopFileBytes(
  context: RunContext,
  header: IterationHeader,
  snapshot: Snapshot,
  findings: Findings,
  conclusion: Conclusion,
  ledger: LedgerIteration,
  outcome: AgentOutcome,
): Promise<Readonly<Record<string, string | null>>> {
  const { workspace, config } = context;
  const files: Record<string, string | null> = {};
  if (snapshot.document) {
    const fields: StoryFields = {
      ...conclusion.applied?.fields,
      ...(conclusion.blocked ? { blocked: conclusion.blocked } : {}),
    };
    const own: StoryEdit[] = Object.keys(fields).length > 0 ? [{ kind: 'set', id: header.story, fields }] : [];
    const edited: BacklogDocument = editBacklog(snapshot.document, [...findings.edits, ...own]);
    const done = conclusion.applied && fields.passes === true;
    const reviews = done
      ? mergeReceipt(edited.reviewsText, await buildReceipt(context, header, findings, conclusion.applied, outcome))
      : edited.reviewsText;
    files[edited.file] = edited.text;
    if (reviews !== null) files[edited.reviewsFile] = reviews;
  }
  const entry = {
    iteration: header.iteration,
    date: outcome.endedAt,
    verdict: ledger.verdict,
    mode: header.mode,
    storyId: findings.story.safeId,
    title: findings.story.title,
    reason: ledger.reason,
    durationMs: ledger.durationMs,
    costUsd: ledger.costUsd,
    commits: conclusion.decision.action === 'commit' ? 1 : 0,
    checks: ledger.checks,
    rescue: ledger.rescue,
  };
  files[workspace.progressPath] = compact(appendEntry(findings.progress, entry), config.progress.keep);
  return files;
}

function ledgerLine(
  context: RunContext,
  header: IterationHeader,
  outcome: AgentOutcome,
  findings: Findings,
  { decision, applied, blocked }: Conclusion,
  failure: FailureContext | null,
  rescue: string | null,
): LedgerIteration {
  return {
    version: LEDGER_VERSION,
    kind: 'iteration',
    run: header.run,
    iteration: header.iteration,
    story: header.story,
    mode: header.mode,
    verdict: decision.verdict,
    counts: decision.counts,
    stateChanged: applied !== null,
    state: applied?.state ?? null,
    blocked,
    reason: decision.reason,
    error: outcome.result.error,
    startedAt: header.startedAt,
    durationMs: Math.max(0, outcome.endedAt - header.startedAt),
    costUsd: outcome.result.costUsd,
    usage: outcome.result.usage,
    agent: context.agent.name,
    model: modelFor(context.config, header.mode, findings.story),
    commit: null,
    subject: null,
    workFiles: 0,
    rescue,
    checks: findings.checks.map(({ command, ok, exitCode, durationMs }) => ({ command, ok, exitCode, durationMs })),
    violations: findings.violations,
    failure,
  };
}

/** The notes the agent wrote for its story, when it wrote any. */
function agentNotes(edits: readonly StoryEdit[], story: string): string | null {
  for (const edit of edits) if (edit.kind === 'set' && edit.id === story && edit.fields.notes) return edit.fields.notes;
  return null;
}

/** What stands in for notes when the agent left none: the end of what it said, without its status block. */
function lastParagraph(text: string): string {
  const plain = text.replace(/---RALPH_STATUS---[\s\S]*?---END_RALPH_STATUS---/g, '').trim();
  const last = plain.split(/\n\s*\n/).at(-1) ?? '';
  return last.replace(/\s+/g, ' ').slice(0, 500);
}
