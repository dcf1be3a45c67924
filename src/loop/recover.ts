import type { AfterState, Checkpoint, TrustSnapshot } from '../adapters/git/port.ts';
import { agentTempPrefix } from '../adapters/workspace/agent-temp.ts';
import { readJournal, writeJournal } from '../adapters/workspace/records/journal.ts';
import type { JournalEntry } from '../contracts/state/journal.ts';
import { removeStaleTemps } from '../platform/files/atomic-file.ts';
import { list, remove, tempFolder } from '../platform/files/files.ts';
import { killMarked } from '../platform/process/tree-kill.ts';
import { close, interruptedLine } from './close.ts';
import { conclude } from './conclude.ts';
import type { RunContext } from './context.ts';
import { afterAgent, dropGuest } from './inside/guest.ts';
import { keepTree } from './keep/keep.ts';
import { restorePrecious } from './keep/precious.ts';
import { hiddenOf, restoreNames } from './keep/protected-names.ts';
import { snapshotFromTree } from './keep/snapshot.ts';
import { putTrustBack } from './keep/trust.ts';
import { settle } from './settle.ts';
import { personsTurn, standAside } from './stand-aside.ts';

/** As settle does it; an iteration that is rolled back does not get there. */
async function putHiddenBack(context: RunContext, entry: JournalEntry): Promise<void> {
  if (entry.names !== undefined) await restoreNames(context, hiddenOf(entry), entry, entry.checkpoint as Checkpoint);
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
    const left = (await list(temp)).filter((name) => name.startsWith(agentTempPrefix(entry.run)));
    for (const name of left) await remove(`${temp}/${name}`);
    const checkpoint = entry.checkpoint as Checkpoint;
    await putTrustBack(context, entry.trust as TrustSnapshot, checkpoint);
    if (entry.phase === 'planned') await finish(context, entry, await context.git.after(checkpoint));
    else {
      const after = await afterAgent(context, entry, checkpoint);
      // Beside a sealed git dir it was a person who moved the branch since: their files are not put back over it.
      const turn = checkpoint.sealed ? await personsTurn(context, entry.iteration, checkpoint, [after.head]) : null;
      if (turn !== null) {
        report(context, entry, 'stopped', null);
        const refusal = await standAside(context, entry, turn, after);
        if (turn.kind !== 'moved') throw refusal;
      } else if (entry.phase === 'agent-ended' && after.tree === entry.afterTree)
        await settleAgain(context, entry, after);
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
  const own = [plan.agentHead, plan.commit ?? ''];
  const turn = await personsTurn(context, entry.iteration, checkpoint, own);
  const half = after.tree !== plan.afterTree && after.tree !== checkpoint.tree;
  const rescue = half
    ? await keepTree(context, entry, checkpoint, after, 'the work tree as the crash left it')
    : plan.rescue;
  report(context, entry, turn === null ? 'finished' : 'stopped', rescue);
  if (turn !== null) throw await standAside(context, entry, turn, after);
  await conclude(context, entry);
}

async function settleAgain(
  context: RunContext,
  entry: Extract<JournalEntry, { phase: 'agent-ended' }>,
  after: AfterState,
): Promise<void> {
  const checkpoint = entry.checkpoint as Checkpoint;
  const snapshot = await snapshotFromTree(context, checkpoint.tree, entry.spec);
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
    interruptedLine(entry, {
      reason: 'the loop was killed; the iteration was rolled back at the next start',
      rescue,
      diffStat: rescue && (await context.git.diffStat(checkpoint.tree, after.tree, 20)),
    }),
  );
}

function report(
  context: RunContext,
  entry: JournalEntry,
  action: 'finished' | 'rolled-back' | 'settled' | 'stopped',
  rescue: string | null,
): void {
  context.emit(entry.iteration, { type: 'recovered', phase: entry.phase, action, rescue, story: entry.story });
}
