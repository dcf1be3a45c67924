import { mainRoot, WORKTREES_FOLDER } from '../../adapters/workspace/worktrees/places.ts';
import type { RunContext } from '../../loop/context.ts';
import { exists } from '../../platform/files/files.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { withRunLock } from '../shared/with-run-lock.ts';

/**
 * Before a run without lanes: finishes a landing that a crash of one with lanes cut off, and tells what lanes hold, as
 * this run begins those stories anew.
 */
export async function tellOfHeldLanes(place: Pick<RunContext, 'git' | 'workspace'>, io: Io): Promise<void> {
  if (!(await hasWorktrees(place))) return;
  const { lanesOf } = await import('../../streams/parallel/team.ts');
  const held = (await lanesOf({ ...place, env: io.env })).filter(({ work }) => work !== null);
  if (held.length === 0) return;
  const { finishMoves } = await import('../../streams/parallel/finish-moves.ts');
  const { stateDir } = place.git.repo;
  await withRunLock(stateDir, 'ralph run', () => finishMoves({ ...place, env: io.env }));
  const stories = oneLine(held.map(({ work }) => work?.story).join(', '));
  io.stderr.write(
    `warning: an earlier \`ralph run --parallel\` has unfinished work on ${stories}; \`ralph run --parallel ${Math.max(2, held.length)}\` goes on with it, this run begins anew\n`,
  );
}

/** After a run without lanes: those whose stories it has done are cleared away, and what they had of them is kept. */
export async function clearHeldLanes(place: Pick<RunContext, 'git' | 'workspace' | 'clock'>, io: Io): Promise<void> {
  if (!(await hasWorktrees(place))) return;
  const { clearLanes } = await import('../../streams/parallel/clear-lanes.ts');
  const { stateDir } = place.git.repo;
  const cleared = await withRunLock(stateDir, 'ralph run', () => clearLanes({ ...place, env: io.env }));
  for (const { story, rescue } of cleared) {
    io.stderr.write(`${oneLine(story)}: what an earlier lane had of it is kept: ralph rescue show ${rescue}\n`);
  }
}

async function hasWorktrees({ git }: Pick<RunContext, 'git'>): Promise<boolean> {
  return exists(`${await mainRoot(git)}/${WORKTREES_FOLDER}`);
}
