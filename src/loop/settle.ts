import type { Claim, Story, TamperFinding, Violation } from '../contracts/model.ts';
import type { AgentOutcome } from '../contracts/state/agent-outcome.ts';
import type { IterationHeader, Plan } from '../contracts/state/journal.ts';
import { parseStatusBlock } from '../rules/analysis/status-block.ts';
import { mergeClaims } from '../rules/backlog/claims.ts';
import { acceptedAmong, toAnswer, unanswered } from '../rules/backlog/reviews/weakened.ts';
import type { Found } from '../rules/plugins/replies.ts';
import { addNotes } from '../rules/progress/notes.ts';
import { isRefused } from '../rules/proof/outcome.ts';
import { rescueName } from '../rules/rescue-name.ts';
import { agentEndOf, endWith, isCutOff, stoppedFromOutside } from '../rules/safeguards/agent-end.ts';
import { advancedInRow } from '../rules/safeguards/attempts.ts';
import { budgetText } from '../rules/safeguards/budget-words.ts';
import { type AgentEnd, type Decision, decideVerdict } from '../rules/safeguards/verdict.ts';
import { everWorkedOn } from './agent/prompt.ts';
import type { RunContext } from './context.ts';
import { shownDone } from './judge/already-done.ts';
import { checkCommands } from './judge/check-commands.ts';
import { greenCommands, redAtBaseline, runChecks } from './judge/checks.ts';
import type { AnsweredWeakenings, Ended, Findings } from './judge/ended.ts';
import { claimWith, hearAnalyzers } from './judge/hear-analyzers.ts';
import { judgeAgent } from './judge/judge-agent.ts';
import { gitDirViolations, mergeProgress, restoreProtected } from './judge/put-back.ts';
import { inTheLightOf, recall } from './judge/recall.ts';
import { inTheLightOfProof, storyProof, unprovenClaim } from './judge/story-proof.ts';
import { keepTree } from './keep/keep.ts';
import { isAboveLoopFiles, isProtected, loopFiles } from './keep/loop-files.ts';
import { planIteration } from './plan.ts';

/**
 * Judges what the agent left: its claims against the snapshot, its work by the loop's own checks. Puts protected
 * files back, and decides; conclude alone writes the rest.
 */
export async function settle(context: RunContext, ended: Ended): Promise<Plan> {
  const { emit } = context;
  const { header, snapshot, outcome, after } = ended;
  // First: the backlog is read with files beside it that agents may not change.
  const restored = await restoreProtected(context, ended);
  const { workspace } = context;
  const own = new Set(loopFiles(workspace));
  const changed = after.changed.filter(
    ({ path }) => !own.has(path) && !isProtected(workspace, path) && !isAboveLoopFiles(workspace, path),
  );
  const work = changed.map(({ path }) => path);
  const heard = await hearAnalyzers(context, ended, work);
  const said = await judgeClaims(context, ended, heard);
  const review = await recall(context, ended, said.story, said.claim);
  const judged = review === null ? said : { ...said, claim: review.claim };
  const dropped = droppedWords(judged.violations);
  const isKept = judged.unreadable || dropped.length > 0;
  const rescue = restored.rescue ?? (isKept ? await keepBacklog(context, ended) : null);
  if (dropped.length > 0) tellDropped(context, ended, dropped, rescue);
  const progress = await mergeProgress(context, snapshot);
  const day = new Date(outcome.endedAt).toISOString().slice(0, 10);
  const noted = addNotes(progress.text, {
    heading: `${day} ${judged.story.safeId} (${header.mode})`,
    notes: outcome.desk?.notes ?? [],
    patterns: outcome.desk?.patterns ?? [],
  });
  const left = { tree: restored.tree, work };
  const { historyLost, storiesUndone } = await import('./judge/lost-work.ts');
  const lost = header.mode === 'review' ? [] : await historyLost(context, ended, left);
  const violations = [
    ...judged.violations,
    ...lost,
    ...restored.violations,
    ...progress.violations,
    ...gitDirViolations(context, outcome),
  ];
  for (const violation of violations) emit(header.iteration, { type: 'violation', violation });

  const { announcesEverything, excuseIdle, signalsOfAnswer, unlessRed } = await loadSignals();
  const lone = snapshot.document?.format === 'prompt';
  const { promise } = context.config;
  const { completion } = heard;
  const signalled = lone ? signalsOfAnswer(outcome, { claim: judged.said, work, promise, completion }) : null;
  const { tamperingIn } = await import('./judge/tampering.ts');
  const tampering =
    header.mode === 'review'
      ? []
      : [...(await tamperingIn(context, ended, work)), ...(await storiesUndone(context, ended, left))];
  const weakened = await answeredWeakenings(context, ended, judged.claim, restored.tree);
  for (const { kind, path, line, detail } of tampering) {
    emit(header.iteration, { type: 'tampering', kind, path, line, detail });
  }
  let end = endWith(outcome, {
    hasClaim: judged.claim !== null,
    hasWork: work.length > 0 && header.mode !== 'review',
  });
  // Without a backlog nobody reviews what is called done: the checks are all there is.
  const ran =
    needsChecks(header, end, judged.claim, work) || (signalled?.done && end === 'ok')
      ? await runOwnChecks(context, ended, judged.story, restored.tree)
      : { checks: [], regressions: [], ownFailures: [] };

  const isRed = ran.regressions.length > 0 || ran.ownFailures.length > 0;
  if (isRed && isCutOff(outcome)) end = 'limited';
  const proof =
    context.config.proof === 'none' || end !== 'ok' || isRed || context.signal.aborted
      ? null
      : await storyProof(context, ended, { ...judged, checks: ran.checks, tree: restored.tree });
  // A signal during the checks leaves them unfinished: nothing may be concluded from them.
  if (context.signal.aborted && (ran.checks.length > 0 || proof !== null)) end = 'interrupted';
  const refusal = end === 'ok' && header.mode !== 'review' && isRefused(proof?.result ?? null) ? proof : null;
  const claim = refusal === null ? judged.claim : null;
  const judgedSoFar = decideVerdict({
    mode: header.mode,
    claim,
    changedOutsideLog: work.length > 0,
    changedSinceStoryStart: work.length > 0 || everWorkedOn(context.ledger, header.story),
    alreadyDone: await shownDone(context, ended.checkpoint, claim),
    skipReview: context.config.skipReview,
    agent: end,
    tampering: refusedAtOnce(context, ended, { tampering, weakened, lone }),
    lost: lost.map(({ message }) => message),
    excess: outcome.excess ?? [],
    advancedInRow: advancedInRow(context.ledger, header.story),
    checks: { regressions: ran.regressions, ownFailures: ran.ownFailures },
    reviewTouchedCode: header.mode === 'review' && changed.some(({ status }) => status !== 'added'),
  });
  const proven = inTheLightOfProof(proof, refusal, inItsOwnWords(judgedSoFar, outcome));
  const inWords = withUnanswered(weakened.open, inTheLightOf(review, proven));
  const { signals, doubts } = unlessRed(signalled, ran.checks);
  const later = [...doubts, ...(refusal === null ? [] : [unprovenClaim(judged.story, refusal.result)])];
  for (const violation of later) emit(header.iteration, { type: 'violation', violation });
  const decision = excuseGone(signals ? excuseIdle(inWords, signals) : inWords, isRed ? (outcome.gone ?? []) : []);
  const findings: Findings = {
    ...judged,
    claim,
    review,
    proof: end === 'ok' ? proof : null,
    violations: [...violations, ...later],
    checks: ran.checks,
    failing: [
      ...new Set([
        ...ran.regressions,
        ...ran.ownFailures,
        ...(doubts.length > 0 ? ran.checks.filter(({ ok }) => !ok) : []),
      ]),
    ],
    work,
    progress: noted,
    tests: outcome.desk?.tests ?? null,
    tampering,
    weakened,
    announced: !lone && announcesEverything(outcome.result.text, promise, header.mode),
    signals,
    pluginNotes: heard.notes,
    rescue,
    tree: restored.tree,
  };
  return planIteration(context, ended, findings, decision);
}

/** Large, and most commands that load this file judge no answer. */
const loadSignals = () => import('./judge/signals.ts');

async function judgeClaims(context: RunContext, { header, snapshot, outcome }: Ended, heard: Found) {
  const { config } = context;
  const story = snapshot.document?.backlog.stories.find(({ id }) => id === header.story);
  if (!story) throw new Error(`story ${header.story} is not in the snapshot of its own iteration`);
  if (outcome.verifyOnly)
    return {
      story,
      claim: { kind: 'ready', source: 'resolved' } as const,
      said: null,
      unreadable: false,
      violations: [],
      edits: [],
    };
  const judgement = await judgeAgent(context, header, snapshot, outcome.desk);
  for (const text of judgement.warnings) context.emit(header.iteration, { type: 'notice', level: 'warning', text });
  const { saysFinished } = await loadSignals();
  const merged = mergeClaims({
    mode: header.mode,
    story: story.id,
    skipReview: config.skipReview,
    tool: outcome.desk?.claim ?? null,
    backlog: judgement.claim,
    block: parseStatusBlock(outcome.result.text) ?? parseStatusBlock(outcome.desk?.statusMessage ?? ''),
    // A plugin's word is no better than the agent's own: where nobody reviews, only the promise will do.
    cutShort: agentEndOf(outcome) !== 'ok',
    saidInWords: saysFinished(outcome, config) || (heard.completion && !config.skipReview),
  });
  const claim = claimWith(merged.claim, heard);
  // Without a backlog there is no story to finish: what is said about it is a signal.
  const isSignal = snapshot.document?.format === 'prompt' && claim?.kind !== 'blocked';
  return {
    story,
    claim: isSignal ? null : claim,
    said: claim,
    unreadable: judgement.violations.some(({ rule }) => rule === 'transition/backlog-unreadable'),
    violations: [...judgement.violations, ...merged.violations],
    edits: judgement.edits,
  };
}

/** Where a story may become done by this claim: the weakened tests of its iterations, and what the claim says to them. */
async function answeredWeakenings(
  context: RunContext,
  { header, checkpoint }: Ended,
  claim: Claim | null,
  treeNow: string,
): Promise<AnsweredWeakenings> {
  const mayBeDone = claim?.kind === 'approved' || (claim?.kind === 'ready' && context.config.skipReview);
  if (!mayBeDone) return { open: [], accepted: [] };
  const { tamperingUnderReview } = await import('./judge/tampering.ts');
  const findings = toAnswer(await tamperingUnderReview(context, header.mode === 'review' ? checkpoint.head : treeNow));
  const accepted = claim.kind === 'approved' ? (claim.accepted ?? []) : [];
  return { open: unanswered(findings, accepted), accepted: acceptedAmong(findings, accepted) };
}

/**
 * Without a reviewer nobody can accept a weakened test, nor one of an earlier iteration that is still there. A lone
 * prompt has no stories that could become done.
 */
function refusedAtOnce(
  { config }: RunContext,
  { outcome }: Ended,
  found: Pick<Findings, 'tampering' | 'weakened'> & { readonly lone: boolean },
): readonly TamperFinding[] {
  if (config.onTestTamper !== 'reject' && (!config.skipReview || found.lone)) return [];
  const earlier = config.skipReview && !outcome.verifyOnly ? found.weakened.open.map(({ finding }) => finding) : [];
  return [...toAnswer(found.tampering), ...earlier];
}

/** An approval that says nothing about a weakened test is none, and its words say so. */
function withUnanswered(open: readonly unknown[], decision: Decision): Decision {
  if (open.length === 0 || decision.verdict !== 'accepted') return decision;
  const what = open.length === 1 ? 'a weakened test' : `${open.length} weakened tests`;
  return { ...decision, reason: `the story is approved, but nothing says why ${what} may stay: changes are requested` };
}

/** Changes to what stories say that no agent may make in its mode: a person may have typed them beside it. */
const WORDS = /^transition\/(story-added|story-removed|text|other-criteria|criteria-weakened)$/;

function droppedWords(violations: readonly Violation[]): readonly string[] {
  return [...new Set(violations.flatMap(({ rule, story }) => (WORDS.test(rule) && story ? [story] : [])))];
}

function tellDropped(context: RunContext, { header }: Ended, stories: readonly string[], rescue: string | null): void {
  const file = context.workspace.backlog?.path ?? 'the backlog';
  const text = `${file} was changed beside the review cycle while the agent worked (${stories.join(', ')}); that is not taken over.`;
  const show = rescue === null ? '' : `ralph rescue show ${rescueName(rescue)}; `;
  const mend = `if you typed it: ${show}during a run, \`ralph stories add\` and \`ralph steer\` are heard`;
  context.emit(header.iteration, { type: 'notice', level: 'warning', remember: true, text, mend });
}

/** Checks that fail because what git ignores was deleted say nothing of the story: no attempt is charged. */
function excuseGone(decision: Decision, gone: readonly string[]): Decision {
  if (gone.length === 0 || decision.counts !== 'bad') return decision;
  return { ...decision, reason: `${decision.reason}; ${gone.join(', ')} is gone`, attemptDelta: 0 };
}

/** Nothing can be taken over from a file that cannot be read: a person may still want to look at it. */
function keepBacklog(context: RunContext, { header, checkpoint, after }: Ended): Promise<string | null> {
  return keepTree(context, header, checkpoint, after, 'the backlog as the agent left it');
}

/** A provider's refusal and a failing program explain themselves better than the table does. */
function inItsOwnWords(decision: Decision, outcome: AgentOutcome): Decision {
  const { result, overrun } = outcome;
  if (overrun && decision.verdict === 'interrupted') {
    const whose = overrun.budget === 'story-cost' ? 'the story' : null;
    return { ...decision, reason: `the agent was stopped: ${budgetText(overrun, whose)}` };
  }
  if (decision.verdict === 'interrupted' && stoppedFromOutside(outcome) !== null) {
    const how = result.signal ?? `exit code ${result.exitCode}`;
    return { ...decision, reason: `the agent was stopped by somebody else than this run (${how})` };
  }
  const message = result.error?.message;
  if (message === undefined || message === '') return decision;
  const isNetwork = result.error?.kind === 'network';
  if (decision.verdict === 'limited') {
    return { ...decision, reason: isNetwork ? `the agent could not reach its provider: ${message}` : message };
  }
  if (decision.verdict === 'advanced') {
    const how = isNetwork ? `lost its provider (${message})` : 'ended without a word';
    return { ...decision, reason: `${decision.reason}; the agent ${how}` };
  }
  return {
    ...decision,
    reason: decision.reason.replace('the agent ended with an error', (words) => `${words} (${message})`),
  };
}

/** Checks cost minutes: they run only where their answer can change the verdict. */
function needsChecks(header: IterationHeader, agent: AgentEnd, claim: Claim | null, work: readonly string[]): boolean {
  if (agent === 'interrupted' || agent === 'limited') return false;
  if (header.mode === 'review') return claim !== null && claim.kind !== 'blocked';
  if (agent !== 'ok') return claim?.kind === 'ready';
  return claim?.kind === 'ready' || work.length > 0;
}

async function runOwnChecks(context: RunContext, { header, checkpoint, snapshot }: Ended, story: Story, tree: string) {
  const backlog = snapshot.document?.backlog;
  if (!backlog) return { checks: [], regressions: [], ownFailures: [] };
  await context.baseline;
  const green = greenCommands(context.record, context.ledger);
  const checks = await runChecks(context, header.iteration, {
    commands: checkCommands(context.config, backlog, story),
    redBefore: redAtBaseline(context.record, green),
    tree,
    head: checkpoint.head,
  });
  const own = new Set(story.verifyCommands ?? []);
  const red = checks.filter((check) => !check.ok);
  return {
    checks,
    regressions: red.filter((check) => green.has(check.command)),
    ownFailures: red.filter((check) => own.has(check.command)),
  };
}
