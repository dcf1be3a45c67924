import type { AfterState, Checkpoint, Git } from '../../adapters/git/port.ts';
import type { IterationHeader } from '../../contracts/state/journal.ts';
import type { RunContext } from '../context.ts';

const BRANCHES = 'refs/heads/';
/** What people name; other refs are made anew by what made them. */
const RESTORED = /^refs\/(heads|tags)\//;

/**
 * Refs that moved while the agent worked stay where they are (a person may have moved them), but what they held is
 * kept, and a person is told. Branches and tags that are gone come back where an agent could have deleted them. Nothing is said of branches that are checked out in other work trees: streams and people
 * move those all the time, and whoever works there notices when somebody else did.
 */
export async function keepMovedRefs(
  { git, emit, isolation }: Pick<RunContext, 'git' | 'emit' | 'isolation'>,
  { run, iteration, checkpoint }: Pick<IterationHeader, 'run' | 'iteration' | 'checkpoint'>,
  after: AfterState,
): Promise<void> {
  const elsewhere = await checkedOutElsewhere(git, after);
  const moved = Object.entries(after.movedRefs).filter(([name]) => !elsewhere.has(name));
  if (moved.length === 0) return;
  await git.keepMovedRefs({ run, iteration, movedRefs: Object.fromEntries(moved) });
  const gone = moved.filter(([name, [, now]]) => now === '' && RESTORED.test(name) && name !== branchOf(checkpoint));
  const lost = Object.fromEntries(gone.map(([name, [before]]) => [name, before]));
  const restored = isolation.coversGitDir ? [] : await git.restoreRefs(lost);
  if (restored.length > 0) {
    const text = `Deleted while the agent worked, and restored: ${restored.map(shortName).join(', ')}.`;
    emit(iteration, { type: 'notice', level: 'warning', remember: true, text });
  }
  if (restored.length === moved.length) return;
  const kept = moved.some(([, [before]]) => before !== '');
  const text = `While the agent worked, refs changed: ${moved.flatMap(([name]) => (restored.includes(name) ? [] : [name])).join(', ')}.`;
  const mend = `what they pointed to before is kept under refs/ralph/moved/${run}/${iteration}/`;
  emit(iteration, { type: 'notice', level: 'warning', remember: true, text, ...(kept ? { mend } : {}) });
}

function branchOf(checkpoint: unknown): string | null {
  return (checkpoint as Checkpoint).branch;
}

function shortName(ref: string): string {
  return ref.replace(RESTORED, '');
}

async function checkedOutElsewhere(git: Git, { movedRefs }: AfterState): Promise<ReadonlySet<string>> {
  if (!Object.keys(movedRefs).some((name) => name.startsWith(BRANCHES))) return new Set();
  const others = (await git.worktrees()).filter(({ root, branch }) => root !== git.repo.root && branch !== null);
  return new Set(others.map(({ branch }) => `${BRANCHES}${branch}`));
}
