import type { RunContext } from '../../loop/context.ts';
import { lanesOf } from './team.ts';

/**
 * A landing that was cut off while the branch and its work tree were moved leaves files of both states: that is finished
 * before anything looks for uncommitted changes. The caller holds the lock of the work tree.
 */
export async function finishMoves(place: Pick<RunContext, 'git' | 'workspace' | 'env'>): Promise<void> {
  for (const { work } of await lanesOf(place)) {
    const move = work?.landing?.move;
    if (move) await place.git.advanceBranch({ branch: move.branch, expected: move.from, to: move.to });
  }
}
