import type { Checkpoint } from '../../adapters/git/port.ts';
import type { Claim } from '../../contracts/model.ts';
import { citedBy, type ShownDone } from '../../rules/backlog/already-done.ts';
import type { RunContext } from '../context.ts';
import { isLoopsOwn } from '../keep/loop-files.ts';

/**
 * Looks for the evidence of a claim that nothing had to be changed: files as they were before the iteration, and commits
 * in its history. The loop's own files show nothing.
 * @returns null when the agent does not claim it
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

/** Each piece costs a look at git; what is beyond that is not looked at and does not count. */
const MOST_EVIDENCE = 20;
