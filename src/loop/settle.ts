import type { AfterState, Checkpoint } from '../adapters/git/port.ts';
import { writeFiles } from '../adapters/workspace/document.ts';
import type { CheckResult, Claim, Story, StoryEdit, Violation } from '../contracts/model.ts';
import type { AgentOutcome, IterationHeader, Plan } from '../contracts/state.ts';
import { readText } from '../platform/files.ts';
import { parseStatusBlock } from '../rules/analysis/status-block.ts';
import { mergeClaims } from '../rules/backlog/claims.ts';
import { judge } from '../rules/backlog/judge.ts';
import { initialProgress } from '../rules/progress/initial.ts';
import { mergeAgentEntries } from '../rules/progress/merge.ts';
import { advancedInRow } from '../rules/safeguards/attempts.ts';
import { type AgentEnd, type Decision, decideVerdict } from '../rules/safeguards/verdict.ts';
import { checkCommands, greenCommands, redAtBaseline, runChecks } from './checks.ts';
import type { RunContext } from './context.ts';
import { keepTree } from './keep.ts';
import { isProtected, loopFiles } from './loop-files.ts';
import { planIteration } from './plan.ts';
import { everWorkedOn } from './prompt.ts';
import { readBacklog, type Snapshot } from './snapshot.ts';

/** What settle found out about an iteration; the plan is made from it. */
export interface Findings {
  readonly story: Story;
  readonly claim: Claim | null;
  readonly violations: readonly Violation[];
  /** Legal changes of the agent to the backlog. */
  readonly edits: readonly StoryEdit[];
  readonly checks: readonly CheckResult[];
  /** Checks whose failure counts: green once, or the story's own. */
  readonly failing: readonly CheckResult[];
  /** Paths of the iteration's work: everything that changed but the loop's and the protected files. */
  readonly work: readonly string[];
  /** The progress log as it was, with what the agent may add to it. */
  readonly progress: string;
  /** Ref that holds protected files as the agent left them; null when it left them alone. */
  readonly rescue: string | null;
  /** The work tree once protected files were put back. */
  readonly tree: string;
}

/**
 * Judges what the agent left: its claims against the snapshot, its work by the loop's own checks. Puts protected
 * files back, and decides; conclude alone writes the rest.
 */
export async function settle(
  context: RunContext,
  header: IterationHeader,
  checkpoint: Checkpoint,
  snapshot: Snapshot,
  outcome: AgentOutcome,
  after: AfterState,
): Promise<Plan> {
  const { emit } = context;
  const judged = await judgeClaims(context, header, snapshot, outcome);
  const restored = await restoreProtected(context, header, checkpoint, after);
  const progress = await mergeProgress(context, snapshot);
  const violations = [
    ...judged.violations,
    ...restored.violations,
    ...progress.violations,
    ...gitDirViolations(context, outcome),
  ];
  for (const violation of violations) emit(header.iteration, { type: 'violation', violation });

  const own = new Set(loopFiles(context.workspace));
  const changed = after.changed.filter(({ path }) => !own.has(path) && !isProtected(context.workspace, path));
  const work = changed.map(({ path }) => path);
  let end = agentEnd(outcome);
  const ran = needsChecks(header, end, judged.claim, work)
    ? await runOwnChecks(context, header, judged.story, snapshot)
    : { checks: [], regressions: [], ownFailures: [] };

  // A signal during the checks leaves them unfinished: nothing may be concluded from them.
  if (context.signal.aborted && ran.checks.length > 0) end = 'interrupted';
  const judgedSoFar = decideVerdict({
    mode: header.mode,
    claim: judged.claim,
    changedOutsideLog: work.length > 0,
    changedSinceStoryStart: work.length > 0 || everWorkedOn(context.ledger, header.story),
    skipReview: context.config.skipReview,
    agent: end,
    advancedInRow: advancedInRow(context.ledger, header.story),
    checks: { regressions: ran.regressions, ownFailures: ran.ownFailures },
    reviewTouchedCode: header.mode === 'review' && changed.some(({ status }) => status !== 'added'),
  });
  const decision = inItsOwnWords(judgedSoFar, outcome);
  const findings: Findings = {
    ...judged,
    violations,
    checks: ran.checks,
    failing: [...new Set([...ran.regressions, ...ran.ownFailures])],
    work,
    progress: progress.text,
    rescue: restored.rescue,
    tree: restored.tree,
  };
  return planIteration(context, header, checkpoint, snapshot, outcome, after, findings, decision);
}

async function judgeClaims(context: RunContext, header: IterationHeader, snapshot: Snapshot, outcome: AgentOutcome) {
  const { config } = context;
  const story = snapshot.document?.backlog.stories.find(({ id }) => id === header.story);
  if (!story) throw new Error(`story ${header.story} is not in the snapshot of its own iteration`);
  if (outcome.verifyOnly)
    return { story, claim: { kind: 'ready', source: 'resolved' } as const, violations: [], edits: [] };
  const loaded = await readBacklog(context);
  const judgement = judge({
    mode: header.mode,
    selected: header.story,
    skipReview: config.skipReview,
    reviewCap: config.reviewCap,
    snapshot: snapshot.document,
    agent: loaded.document,
    problems: loaded.problems,
  });
  for (const text of judgement.warnings) context.emit(header.iteration, { type: 'notice', level: 'warning', text });
  const merged = mergeClaims({
    mode: header.mode,
    story: story.id,
    skipReview: config.skipReview,
    tool: null,
    backlog: judgement.claim,
    block: parseStatusBlock(outcome.result.text),
  });
  return {
    story,
    claim: merged.claim,
    violations: [...judgement.violations, ...merged.violations],
    edits: judgement.edits,
  };
}

/** Older entries of the log stand as they were; what the agent added is kept, whatever becomes of its code. */
async function mergeProgress({ git, workspace }: RunContext, snapshot: Snapshot) {
  const before = snapshot.progress ?? initialProgress(workspace.name);
  const after = (await readText(`${git.repo.root}/${workspace.progressPath}`)) ?? before;
  const { text, rewritten } = mergeAgentEntries({ before, after });
  const violations: Violation[] = rewritten
    ? [
        {
          rule: 'progress/rewritten',
          field: workspace.progressPath,
          message: 'Older entries of the progress log were changed; they were put back. Only append.',
        },
      ]
    : [];
  return { text, violations };
}

/** Every replaced version goes to a rescue first; the bytes come from the checkpoint's tree. */
async function restoreProtected(
  context: RunContext,
  header: IterationHeader,
  checkpoint: Checkpoint,
  after: AfterState,
) {
  const { git, workspace } = context;
  const touched = after.changed.filter(({ path }) => isProtected(workspace, path));
  if (touched.length === 0) return { rescue: null, tree: after.tree, violations: [] };
  const rescue = await keepTree(context, header, checkpoint, after, 'protected files as the agent left them');
  const originals: Record<string, Uint8Array | null> = {};
  for (const { path } of touched) originals[path] = await git.show(checkpoint.tree, path);
  await writeFiles(git.repo.root, originals);
  const violations: Violation[] = touched.map(({ path, status }) => ({
    rule: 'protected-file',
    field: path,
    message: `${path} is read-only for agents and was ${status}; it was put back. Leave it alone; note what should change in the progress log.`,
  }));
  return { rescue, tree: await git.tree(), violations };
}

/** Settings, hooks and attributes of git would run on the host; they were put back before settle looked. */
function gitDirViolations({ git }: RunContext, { gitDirChanges = [] }: AgentOutcome): Violation[] {
  return gitDirChanges.map((path) => {
    const field = path.replace(`${git.repo.commonDir}/`, '.git/');
    return {
      rule: 'protected-git-dir',
      field,
      message: `${field} decides what git runs and was changed; it was put back. Leave the git dir alone.`,
    };
  });
}

/** A provider's refusal and a failing program explain themselves better than the table does. */
function inItsOwnWords(decision: Decision, { result }: AgentOutcome): Decision {
  const message = result.error?.message;
  if (message === undefined || message === '') return decision;
  if (decision.verdict === 'limited') return { ...decision, reason: message };
  return {
    ...decision,
    reason: decision.reason.replace('the agent ended with an error', (words) => `${words} (${message})`),
  };
}

/** How the agent's process ended, in the terms of the verdict table. */
function agentEnd({ stopped, result }: AgentOutcome): AgentEnd {
  if (stopped === 'interrupted' || stopped === 'terminated' || stopped === 'budget') return 'interrupted';
  if (stopped !== null) return 'timed-out';
  if (result.ok) return 'ok';
  return result.limit?.status === 'rejected' || UNCHARGED.has(result.error?.kind ?? '') ? 'limited' : 'error';
}

/** No fault of the story's: the provider or the installation refused. */
const UNCHARGED: ReadonlySet<string> = new Set(['limit', 'auth', 'model', 'unavailable']);

/** Checks cost minutes: they run only where their answer can change the verdict. */
function needsChecks(header: IterationHeader, agent: AgentEnd, claim: Claim | null, work: readonly string[]): boolean {
  if (agent === 'interrupted' || agent === 'limited') return false;
  if (header.mode === 'review') return claim !== null && claim.kind !== 'blocked';
  if (agent !== 'ok') return claim?.kind === 'ready';
  return claim?.kind === 'ready' || work.length > 0;
}

async function runOwnChecks(context: RunContext, header: IterationHeader, story: Story, snapshot: Snapshot) {
  const backlog = snapshot.document?.backlog;
  if (!backlog) return { checks: [], regressions: [], ownFailures: [] };
  const green = greenCommands(context.record, context.ledger);
  const checks = await runChecks(
    context,
    header.iteration,
    checkCommands(context.config, backlog, story),
    redAtBaseline(context.record, green),
  );
  const own = new Set(story.verifyCommands ?? []);
  const red = checks.filter((check) => !check.ok);
  return {
    checks,
    regressions: red.filter((check) => green.has(check.command)),
    ownFailures: red.filter((check) => own.has(check.command)),
  };
}
