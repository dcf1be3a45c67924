import type { AfterState, Checkpoint, TrustSnapshot } from '../adapters/git/index.ts';
import { agentTempPrefix, readJournal } from '../adapters/workspace/index.ts';
import type { JournalEntry, Plan } from '../contracts/index.ts';
import { killFamily, list, remove, removeStaleTemps, tempFolder } from '../platform/index.ts';
import { interruptedLine } from '../rules/judge/index.ts';
import { apply } from './apply.ts';
import { close, giveWayToUser, userIntervention } from './close.ts';
import type { RunContext } from './context.ts';
import { conclude } from './iteration.ts';
import { restorePrecious } from './protect/precious.ts';
import { hiddenOf, restoreNames } from './protect/protected-names.ts';
import { snapshotFromTree } from './protect/snapshot.ts';
import { putTrustBack } from './protect/trust.ts';

const ORPHAN_GRACE_MS = 1_000;

/**
 * Finishes or rolls back what a crash interrupted. Idempotent: a crash during recovery is recovered the same way.
 * Nothing is lost: all that is removed from the work tree is first under a new rescue ref.
 */
export async function recover(context: RunContext): Promise<void> {
  const { root, stateDir } = context.git.repo;
  // Temp files of killed writers; no other process writes there while this start holds the lock.
  for (const folder of [
    stateDir,
    `${stateDir}/journal`,
    root,
    `${root}/.ralph`,
    `${root}/${context.workspace.specDir}`,
  ]) {
    await removeStaleTemps(folder);
  }
  const entry = await readJournal(stateDir);
  if (!entry || entry.phase === 'done') return;
  // The warden ends orphans within seconds of the loop's death; a faster start must not meet them.
  await killFamily({ run: entry.run }, ORPHAN_GRACE_MS);
  const temp = await tempFolder();
  const left = (await list(temp)).filter((name) => name.startsWith(agentTempPrefix(entry.run)));
  for (const name of left) await remove(`${temp}/${name}`);
  const checkpoint = entry.checkpoint as Checkpoint;
  await putTrustBack(context, entry.trust as TrustSnapshot, checkpoint);
  if (entry.phase === 'planned') await finish(context, entry, await context.git.after(checkpoint));
  else {
    const after = await context.agentTree.left(entry);
    // With a sealed git dir only a person can have moved the branch since: their files are not overwritten.
    const turn = checkpoint.sealed ? await userIntervention(context, entry.iteration, checkpoint, [after.head]) : null;
    if (turn !== null) {
      report(context, entry, 'stopped', null);
      const refusal = await giveWayToUser(context, entry, turn, after);
      if (turn.kind !== 'moved') throw refusal;
    } else if (entry.phase === 'agent-ended' && after.tree === entry.afterTree) await judgeAgain(context, entry, after);
    else await rollBack(context, entry, after);
  }
  await context.agentTree.dropGuest();
}

async function finish(
  context: RunContext,
  entry: Extract<JournalEntry, { phase: 'planned' }>,
  after: AfterState,
): Promise<void> {
  const { plan } = entry;
  const checkpoint = entry.checkpoint as Checkpoint;
  const own = [plan.agentHead, plan.commit ?? ''];
  const turn = await userIntervention(context, entry.iteration, checkpoint, own);
  const half = after.tree !== plan.afterTree && after.tree !== checkpoint.tree;
  const rescue = half ? await context.agentTree.keep(entry, after, 'the work tree after the crash') : plan.rescue;
  report(context, entry, turn === null ? 'finished' : 'stopped', rescue);
  if (turn !== null) throw await giveWayToUser(context, entry, turn, after);
  await apply(context, { ...entry, plan: { ...plan, files: { ...plan.files, ...(await heldFiles(context, plan)) } } });
}

/** The text of the files that only the commit holds. */
async function heldFiles({ git }: RunContext, { commit, held = [] }: Plan): Promise<Plan['files']> {
  const texts: Record<string, string> = {};
  if (commit === null) return texts;
  for (const path of held) {
    const bytes = await git.show(commit, path);
    // Without its objects the commit cannot be applied either: git says so.
    if (bytes !== null) texts[path] = Buffer.from(bytes).toString('utf8');
  }
  return texts;
}

async function judgeAgain(
  context: RunContext,
  entry: Extract<JournalEntry, { phase: 'agent-ended' }>,
  after: AfterState,
): Promise<void> {
  const checkpoint = entry.checkpoint as Checkpoint;
  const snapshot = await snapshotFromTree(context, checkpoint.tree, entry.spec);
  if (!snapshot.document) return rollBack(context, entry, after);
  report(context, entry, 'settled', null);
  const { outcome, afterTree: _, ...header } = entry;
  await conclude(context, { header, checkpoint, snapshot, outcome, after });
}

async function rollBack(context: RunContext, entry: JournalEntry, after: AfterState): Promise<void> {
  const checkpoint = entry.checkpoint as Checkpoint;
  const rescue = await context.agentTree.keep(entry, after, 'cut off by a crash');
  await context.git.rollback(checkpoint);
  // All before the journal is closed: no later start would look for what is left.
  if (entry.names !== undefined) await restoreNames(context, hiddenOf(entry), entry, checkpoint);
  await restorePrecious(context, { ...entry, head: checkpoint.head }, true);
  report(context, entry, 'rolled-back', rescue);
  await close(
    context,
    entry,
    interruptedLine(entry, {
      reason: 'the run was killed; the iteration was rolled back at the next start',
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
