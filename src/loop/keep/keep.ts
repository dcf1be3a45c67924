import type { AfterState, Checkpoint } from '../../adapters/git/port.ts';
import type { IterationHeader } from '../../contracts/state/journal.ts';
import type { RunContext } from '../context.ts';

/** Where the branch of the checkpoint is now, wherever the agent took HEAD. */
export function branchHead(checkpoint: Checkpoint, after: AfterState): string {
  if (checkpoint.branch === null || after.branch === checkpoint.branch) return after.head;
  return after.movedRefs[checkpoint.branch]?.[1] ?? checkpoint.head;
}

/**
 * Keeps what an agent left under a rescue ref, before anything of it is taken away. Nothing to keep (the tree is the
 * checkpoint's and no commit was made) gives null. Always a new ref: an earlier rescue is never overwritten.
 */
export async function keepTree(
  context: RunContext,
  header: IterationHeader,
  checkpoint: Checkpoint,
  after: Pick<AfterState, 'tree' | 'head'>,
  why: string,
): Promise<string | null> {
  if (after.tree === checkpoint.tree && after.head === checkpoint.head) return null;
  const rescue = await context.git.rescue({
    run: header.run,
    iteration: header.iteration,
    tree: after.tree,
    parents: [after.head],
    subject: `rescue(${header.story}): ${why}`,
    body: `Mode: ${header.mode}\nCheckpoint: ${checkpoint.tree}`,
    date: context.clock.now(),
  });
  return rescue.ref;
}
