import type { AfterState, Checkpoint, TrustSnapshot } from '../adapters/git/port.ts';
import { agentTempPrefix } from '../adapters/workspace/agent-temp.ts';
import { readJournal, writeJournal } from '../adapters/workspace/records/journal.ts';
import { NO_USAGE } from '../contracts/model.ts';
import type { AtWork, JournalEntry } from '../contracts/state/journal.ts';
import { LEDGER_VERSION, type LedgerIteration } from '../contracts/state/ledger.ts';
import { removeStaleTemps } from '../platform/files/atomic-file.ts';
import { list, remove, tempFolder } from '../platform/files/files.ts';
import { killMarked } from '../platform/process/tree-kill.ts';
import { close, conclude, standAside } from './conclude.ts';
import type { RunContext } from './context.ts';
import { afterAgent, dropGuest } from './inside/guest.ts';
import { branchHead, keepTree } from './keep/keep.ts';
import { restorePrecious } from './keep/precious.ts';
import { restoreNames } from './keep/protected-names.ts';
import { snapshotFromTree } from './keep/snapshot.ts';
import { putTrustBack } from './keep/trust.ts';
import { proofPrefix } from './proof/prefix.ts';
import { settle } from './settle.ts';

/** As settle does it; an iteration that is rolled back does not get there. */
async function putHiddenBack(context: RunContext, entry: JournalEntry): Promise<void> {
  if (entry.names !== undefined) await restoreNames(context, entry.names, entry, entry.checkpoint as Checkpoint);
}

const ORPHAN_GRACE_MS = 1_000;

/** Lanes a run may have had; one until stories run in parallel. */
const LANES = [0];

/**
 * Finishes or rolls back what a crash cut in two. Idempotent: a crash during recovery is recovered the same way.
 * Nothing is lost: whatever is taken out of the work tree is under a fresh rescue ref first.
 */
export async function recover(context: RunContext): Promise<void> {
  const { root, stateDir } = context.git.repo;
  // Files whose writer was killed; nobody else writes there while this start holds the lock.
  for (const folder of [
    stateDir,
    `${stateDir}/journal`,
    root,
    `${root}/.ralph`,
    `${root}/${context.workspace.specDir}`,
  ]) {
    await removeStaleTemps(folder);
  }
  for (const lane of LANES) {
    const entry = await readJournal(stateDir, lane);
    if (!entry || entry.phase === 'done') continue;
    // The warden ends orphans within seconds of the loop's death; a start quicker than that must not meet them.
    await killMarked(entry.run, { graceMs: ORPHAN_GRACE_MS });
    const temp = await tempFolder();
    const prefixes = [agentTempPrefix(entry.run), proofPrefix(entry.run)];
    const left = (await list(temp)).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
    for (const name of left) await remove(`${temp}/${name}`);
    await putTrustBack(context, entry.trust as TrustSnapshot);
    const checkpoint = entry.checkpoint as Checkpoint;
    if (entry.phase === 'planned') await finish(context, entry, await context.git.after(checkpoint));
    else {
      const after = await afterAgent(context, entry, checkpoint);
      if (entry.phase === 'agent-ended' && after.tree === entry.afterTree) await settleAgain(context, entry, after);
      else {
        await rollBack(context, entry, after);
        await putHiddenBack(context, entry);
      }
    }
    await dropGuest(context, entry);
  }
}

async function finish(
  context: RunContext,
  entry: Extract<JournalEntry, { phase: 'planned' }>,
  after: AfterState,
): Promise<void> {
  const { plan } = entry;
  const checkpoint = entry.checkpoint as Checkpoint;
  const expected = [checkpoint.head, plan.agentHead, plan.commit];
  const moved = !expected.includes(branchHead(checkpoint, after));
  const half = after.tree !== plan.afterTree && after.tree !== checkpoint.tree;
  const rescue = half
    ? await keepTree(context, entry, checkpoint, after, 'the work tree as the crash left it')
    : plan.rescue;
  report(context, entry, moved ? 'stopped' : 'finished', rescue);
  if (moved) await restorePrecious(context, { ...entry, head: checkpoint.head }, false);
  if (moved) throw await standAside(context, entry, plan.commit ?? after.head);
  await conclude(context, entry);
}

async function settleAgain(
  context: RunContext,
  entry: Extract<JournalEntry, { phase: 'agent-ended' }>,
  after: AfterState,
): Promise<void> {
  const checkpoint = entry.checkpoint as Checkpoint;
  const snapshot = await snapshotFromTree(context, checkpoint.tree);
  if (!snapshot.document) return rollBack(context, entry, after);
  report(context, entry, 'settled', null);
  const { outcome, afterTree: _, ...header } = entry;
  const plan = await settle(context, { header, checkpoint, snapshot, outcome, after });
  const planned = { ...header, phase: 'planned', plan } as const;
  await writeJournal(context.git.repo.stateDir, planned);
  await conclude(context, planned);
}

async function rollBack(context: RunContext, entry: JournalEntry, after: AfterState): Promise<void> {
  const checkpoint = entry.checkpoint as Checkpoint;
  const rescue = await keepTree(context, entry, checkpoint, after, 'cut off by a crash');
  await context.git.rollback(checkpoint);
  await restorePrecious(context, { ...entry, head: checkpoint.head }, true);
  report(context, entry, 'rolled-back', rescue);
  await close(
    context,
    entry,
    crashLine(entry, rescue, rescue && (await context.git.diffStat(checkpoint.tree, after.tree, 20))),
  );
}

function crashLine(entry: JournalEntry, rescue: string | null, diffStat: string | null): LedgerIteration {
  const reason = 'the loop was killed; the iteration was rolled back at the next start';
  return {
    version: LEDGER_VERSION,
    kind: 'iteration',
    run: entry.run,
    iteration: entry.iteration,
    story: entry.story,
    mode: entry.mode,
    verdict: 'interrupted',
    counts: 'ignored',
    stateChanged: false,
    state: null,
    blocked: null,
    reason,
    error: null,
    startedAt: entry.startedAt,
    durationMs: 0,
    model: null,
    ...workOf(entry),
    commit: null,
    subject: null,
    workFiles: 0,
    rescue,
    checks: [],
    violations: [],
    failure: { reason, checks: [], rescue, diffStat },
  };
}

/** What the journal knows of the agent: its starts and its bill count although nothing came of them. */
function workOf(entry: JournalEntry): Pick<LedgerIteration, 'agent' | 'calls' | 'usage' | 'costUsd'> {
  const work: AtWork =
    entry.phase === 'agent-ended'
      ? { ...entry.outcome, usage: entry.outcome.result.usage, costUsd: entry.outcome.result.costUsd }
      : entry.phase === 'checkpointed'
        ? entry
        : {};
  const { agent = 'none', calls = [entry.startedAt], usage = NO_USAGE, costUsd = null } = work;
  return { agent, calls, usage, costUsd };
}

function report(
  context: RunContext,
  entry: JournalEntry,
  action: 'finished' | 'rolled-back' | 'settled' | 'stopped',
  rescue: string | null,
): void {
  context.emit(entry.iteration, { type: 'recovered', phase: entry.phase, action, rescue, story: entry.story });
}
