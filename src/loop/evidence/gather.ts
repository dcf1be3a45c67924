import type { AfterState, Checkpoint } from '../../adapters/git/index.ts';
import { readDocument, writeFiles } from '../../adapters/workspace/index.ts';
import type { Claim, IterationHeader, LedgerIteration, SeenTests } from '../../contracts/index.ts';
import { remove, stat } from '../../platform/index.ts';
import type { Answer } from '../../plugins/plugin.ts';
import { citedBy, type ShownDone } from '../../rules/backlog/index.ts';
import {
  type Evidence,
  greenCommands,
  lookupsFor,
  needsProof,
  type PutBack,
  redAtBaseline,
  type WorkLeft,
} from '../../rules/judge/index.ts';
import type { Found } from '../../rules/plugins.ts';
import { linesOf } from '../../rules/safeguards/index.ts';
import { isProtectedPath } from '../../rules/trust/index.ts';
import type { Ended, RunContext } from '../context.ts';
import { isAboveLoopFiles, isLoopsOwn } from '../protect/loop-files.ts';
import { restoreNames } from '../protect/protected-names.ts';
import { readProgress } from '../protect/snapshot.ts';
import { keepMovedRefs, userCommits } from '../protect/user-work.ts';
import { runChecks } from './checks.ts';

/**
 * Gathers the evidence for the verdict on an iteration: puts protected files back, reads what the agent left, runs
 * checks and the proof. It has effects but makes no judgement: the judge decides what has to be looked at.
 */
export async function gather(context: RunContext, ended: Ended): Promise<Evidence> {
  const { git, signal } = context;
  const { header, checkpoint, after } = ended;
  // First: files that agents may not change affect how the backlog is read.
  const restored = await restoreProtected(context, ended);
  const seen = await workLeft(context, ended, restored);
  const { tree } = seen;
  const asked = lookupsFor(seen);
  // Nothing in it can be adopted, but a person may still want to look at it.
  const rescue =
    seen.rescue ??
    (asked.keepBacklog ? await context.agentTree.keep(header, after, 'the backlog as the agent left it') : null);
  const left = { ...seen, rescue };
  const damage = await damageIn(context, ended, left);
  const underReview = asked.weakenedTests
    ? await (await import('./tampering.ts')).tamperingUnderReview(
        context,
        header.mode === 'review' ? checkpoint.head : tree,
      )
    : [];

  if (asked.checks.length > 0) await context.baseline;
  const { record, ledger } = context;
  const redBefore = redAtBaseline(record, greenCommands(record, ledger));
  const what = { commands: asked.checks, redBefore, tree, head: checkpoint.head };
  const checks = await runChecks(context, header.iteration, what);
  const proof =
    !signal.aborted && needsProof({ ...left, record }, asked, checks)
      ? await (await import('./proof.ts')).storyProof(context, ended, { story: asked.story, checks, tree })
      : null;
  const isStopped = signal.aborted && (asked.checks.length > 0 || proof !== null);

  const shown = await shownDone(context, checkpoint, asked.claim);
  const range = asked.mayBeDone ? await git.storyRange(asked.story.safeId) : null;
  // With a sealed git dir only people can move refs.
  if (!checkpoint.sealed) await keepMovedRefs(context, header, after);
  const { run, iteration } = header;
  const from = (await userCommits(context, ended))?.base ?? checkpoint.head;
  const agentCommits = await git.keepAgentCommits({ run, iteration, from, agentHead: after.head });
  return {
    ...left,
    ...damage,
    ...{ record, limits: context.steering.limits(), underReview, checks, proof, isStopped, range, agentCommits },
    shownDone: shown,
    refusals: [],
    kept: null,
  };
}

/** What can be seen without running anything. */
async function workLeft(
  context: RunContext,
  { header, checkpoint, snapshot, outcome, after }: Ended,
  restored: Pick<WorkLeft, 'putBack' | 'rescue' | 'tree'>,
): Promise<WorkLeft> {
  const { config, git, ledger, workspace } = context;
  const { root, commonDir, stateDir } = git.repo;
  const work = after.changed.filter(({ path }) => !isLoopsOwn(workspace, path));
  const { text, why } = await readProgress(workspace);
  return {
    ...{ header, config, ledger, work, ...restored },
    agent: outcome,
    before: snapshot,
    head: { before: checkpoint.head, after: after.head },
    analyzers: await askAnalyzers(context, { header, snapshot, outcome }, work),
    backlog: await readDocument(workspace),
    progress: { text, isUnreadable: why !== null },
    changedSinceReview: header.mode !== 'review' || (await changedSinceReview(context, header, checkpoint)),
    places: {
      ...{ root, commonDir, stateDir },
      name: workspace.name,
      backlog: workspace.backlog?.path ?? null,
      progress: workspace.progressPath,
    },
  };
}

/** Weakened tests in the work, and missing accepted work. A review has none: its changes are thrown away. */
async function damageIn(context: RunContext, ended: Ended, { tree, work }: WorkLeft): Promise<Damage> {
  const { header } = ended;
  if (header.mode === 'review') return { lost: [], tampering: [] };
  const left = { tree, work: work.map(({ path }) => path) };
  // A large module that only runs with agents need.
  const { historyLost, storiesUndone } = await import('./lost-work.ts');
  const { tamperingIn } = await import('./tampering.ts');
  const lost = await historyLost(context, ended, left);
  const tampering = [...(await tamperingIn(context, ended, left.work)), ...(await storiesUndone(context, ended, left))];
  return { lost, tampering };
}

type Damage = Pick<Evidence, 'lost' | 'tampering'>;

const NOTHING: Found = { completion: false, blocked: null, notes: [] };

/** What plugin analyzers find in the agent's last message. */
async function askAnalyzers(
  { plugins }: Pick<RunContext, 'plugins'>,
  { header, snapshot, outcome }: Pick<Ended, 'header' | 'snapshot' | 'outcome'>,
  work: WorkLeft['work'],
): Promise<Found> {
  const { result, session } = outcome;
  const text = result.text.trim() === '' ? (session?.statusMessage ?? '') : result.text;
  // A message that was cut short says nothing about the work.
  if (outcome.verifyOnly || outcome.stopped !== null || text === '') return NOTHING;
  const story = snapshot.document?.backlog.stories.find(({ id }) => id === header.story);
  const { iteration, mode } = header;
  return plugins.analyze({
    iteration,
    mode,
    story: header.story,
    title: story?.title ?? '',
    text,
    ok: result.ok,
    changedFiles: work.map(({ path }) => path),
    tests: session?.tests ? toldOf(session.tests) : null,
    lonePrompt: snapshot.document?.format === 'prompt',
  });
}

function toldOf({ command, outcome, passed, failed }: SeenTests): NonNullable<Answer['tests']> {
  return { command, outcome, passed, failed };
}

/** Whether anything but the loop's own files changed since the last review. If unknown, it counts as changed. */
async function changedSinceReview(
  { git, ledger, workspace }: Pick<RunContext, 'git' | 'ledger' | 'workspace'>,
  { story }: Pick<IterationHeader, 'story'>,
  { head }: Pick<Checkpoint, 'head'>,
): Promise<boolean> {
  const last = linesOf(ledger, story).findLast(
    (line): line is LedgerIteration => line.kind === 'iteration' && line.reviewed !== undefined,
  );
  if (last?.reviewed === undefined) return true;
  const changes = await git.changes(last.reviewed, head).catch(() => null);
  return changes === null || changes.some(({ path }) => !isLoopsOwn(workspace, path));
}

/** Each piece of evidence costs a git lookup; any beyond this number are ignored. */
const MOST_EVIDENCE = 20;

/**
 * Looks for the evidence of a claim that no change was needed: files from before the iteration, and commits in its
 * history. The loop's own files are not evidence.
 * @returns null when the agent does not make that claim
 */
export async function shownDone(
  { git, workspace }: Pick<RunContext, 'git' | 'workspace'>,
  checkpoint: Pick<Checkpoint, 'head' | 'tree'>,
  claim: Claim | null,
): Promise<ShownDone | null> {
  if (claim?.kind !== 'ready' || claim.alreadyDone === undefined) return null;
  const missing = claim.alreadyDone.slice(MOST_EVIDENCE);
  for (const evidence of claim.alreadyDone.slice(0, MOST_EVIDENCE))
    if (!(await exists(evidence))) missing.push(evidence);
  return { evidence: claim.alreadyDone, missing };

  async function exists(evidence: string): Promise<boolean> {
    const { paths, commit } = citedBy(evidence);
    if (commit !== null && (await git.descends(checkpoint.head, commit))) return true;
    for (const path of paths) {
      if (!isLoopsOwn(workspace, path) && (await git.show(checkpoint.tree, path)) !== null) return true;
    }
    return false;
  }
}

/** What was put back, the resulting work tree, and the rescue that holds the replaced files. */
type Restored = Pick<WorkLeft, 'putBack' | 'tree' | 'rescue'>;

/** Every replaced version goes to a rescue first; the bytes come from the checkpoint's tree. */
async function restoreProtected(context: RunContext, { header, checkpoint, after }: Ended): Promise<Restored> {
  const { git, workspace } = context;
  const { root } = git.repo;
  const planted = await plantedFolders(context, after);
  const touched = after.changed.filter(({ path }) => isProtectedPath(workspace, path));
  if (touched.length + planted.length === 0) {
    return { rescue: null, tree: after.tree, putBack: await restoreHidden(context, { header, checkpoint }) };
  }
  const rescue = await context.agentTree.keep(header, after, 'protected files as the agent left them');
  for (const path of planted) await remove(`${root}/${path}`);
  const originals: Record<string, Uint8Array | null> = {};
  for (const { path } of touched) originals[path] = await git.show(checkpoint.tree, path);
  await writeFiles(root, originals);
  const putBack: readonly PutBack[] = [
    ...(await restoreHidden(context, { header, checkpoint })),
    ...planted.map((path) => ({ kind: 'folder', path }) as const),
    ...touched.map(({ path, status }) => ({ kind: 'file', path, how: status }) as const),
  ];
  return { rescue, tree: await git.tree(), putBack };
}

/** Protected names whose content git does not see: ignored, or not a file. */
async function restoreHidden(
  context: RunContext,
  { header, checkpoint }: Pick<Ended, 'header' | 'checkpoint'>,
): Promise<readonly PutBack[]> {
  if (header.names === undefined) return [];
  const changed = await restoreNames(context, header.names, header, checkpoint);
  return changed.map((found) => ({ kind: 'hidden', ...found }));
}

/** Links and files in place of a folder that should hold the loop's own files. */
async function plantedFolders(
  { git, workspace }: Pick<RunContext, 'git' | 'workspace'>,
  after: AfterState,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { path } of after.changed) {
    if (!isAboveLoopFiles(workspace, path)) continue;
    const now = await stat(`${git.repo.root}/${path}`);
    if (now && now.kind !== 'dir') found.push(path);
  }
  return found;
}
