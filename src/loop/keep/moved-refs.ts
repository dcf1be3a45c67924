import type { AfterState, Git } from '../../adapters/git/port.ts';
import type { IterationHeader } from '../../contracts/state/journal.ts';
import type { RunContext } from '../context.ts';

const BRANCHES = 'refs/heads/';

/**
 * Refs that moved while the agent worked stay where they are (a person may have moved them), but what they held is
 * kept, and a person is told. Nothing is said of branches that are checked out in other work trees: streams and people
 * move those all the time, and whoever works there notices when somebody else did.
 */
export async function keepMovedRefs(
  { git, emit }: Pick<RunContext, 'git' | 'emit'>,
  { run, iteration }: Pick<IterationHeader, 'run' | 'iteration'>,
  after: AfterState,
): Promise<void> {
  const elsewhere = await checkedOutElsewhere(git, after);
  const moved = Object.entries(after.movedRefs).filter(([name]) => !elsewhere.has(name));
  if (moved.length === 0) return;
  await git.keepMovedRefs({ run, iteration, movedRefs: Object.fromEntries(moved) });
  const kept = moved.some(([, [before]]) => before !== '');
  const text = `While the agent worked, refs changed: ${moved.map(([name]) => name).join(', ')}.`;
  const mend = `what they pointed to before is kept under refs/ralph/moved/${run}/${iteration}/`;
  emit(iteration, { type: 'notice', level: 'warning', text, ...(kept ? { mend } : {}) });
}

async function checkedOutElsewhere(git: Git, { movedRefs }: AfterState): Promise<ReadonlySet<string>> {
  if (!Object.keys(movedRefs).some((name) => name.startsWith(BRANCHES))) return new Set();
  const others = (await git.worktrees()).filter(({ root, branch }) => root !== git.repo.root && branch !== null);
  return new Set(others.map(({ branch }) => `${BRANCHES}${branch}`));
}
