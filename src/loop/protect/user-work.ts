import type { AfterState, Checkpoint, Git, HeadMove } from '../../adapters/git/index.ts';
import type { IterationHeader } from '../../contracts/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import { isProtectedPath } from '../../rules/trust/index.ts';
import type { Ended, RunContext } from '../context.ts';
import { loopFiles } from './loop-files.ts';

/**
 * A person's uncommitted work in the work tree when the iteration began: untracked files, and changes under `--dirty
 * keep`. If accepted work overwrote or deleted it, its earlier version is kept: git would forget it with the next
 * checkpoint. Deleted untracked files are restored: work of the story is in commits, so they are not the agent's to
 * delete.
 * @returns the paths that applying the plan puts back
 */
export async function keepUsersFiles(
  { git, workspace, emit, clock }: Pick<RunContext, 'git' | 'workspace' | 'emit' | 'clock'>,
  { header, checkpoint, after }: Ended,
): Promise<readonly string[]> {
  const own = new Set(loopFiles(workspace));
  const lost = after.changed.filter(({ path, status }) => status !== 'added' && !own.has(path));
  if (lost.length === 0) return [];
  const changed = lost.map(({ path }) => path);
  const paths = await git.uncommittedAmong(changed, checkpoint.head, checkpoint.tree);
  if (paths.length === 0) return [];
  const deleted = new Set(lost.flatMap(({ path, status }) => (status === 'deleted' ? [path] : [])));
  const untracked = new Set((await git.changes(checkpoint.head, checkpoint.tree)).flatMap(addedPath));
  const back = paths.filter((path) => deleted.has(path) && untracked.has(path));
  const { name } = await git.rescue({
    run: header.run,
    iteration: header.iteration,
    tree: checkpoint.tree,
    parents: [checkpoint.head],
    subject: `rescue(${header.story}): your files before iteration ${header.iteration}`,
    body: paths.join('\n'),
    date: clock.now(),
  });
  const rest = paths.filter((path) => !back.includes(path));
  if (rest.length === 0) return back;
  emit(header.iteration, {
    type: 'notice',
    level: 'warning',
    remember: true,
    text: `The agent changed your uncommitted files: ${shown(rest)}.`,
    fix: `your versions are kept: ralph rescue restore ${name} ${rest.length === 1 ? shellWord(rest[0] ?? '') : 'PATH'}`,
  });
  return back;
}

/** Restores what {@link keepUsersFiles} found deleted. Repeating it changes nothing. */
export async function putUsersFilesBack(
  { git, emit }: Pick<RunContext, 'git' | 'emit'>,
  iteration: number,
  checkpoint: Checkpoint,
  paths: readonly string[],
): Promise<void> {
  const back = await git.putBack(checkpoint, paths);
  const stay = paths.filter((path) => !back.includes(path));
  const tell = (text: string) => emit(iteration, { type: 'notice', level: 'warning', remember: true, text });
  if (back.length > 0) tell(`The agent deleted your untracked files: ${shown(back)}. They were restored.`);
  if (stay.length > 0) tell(`The agent replaced your files: ${shown(stay)}. Your versions are kept in a rescue.`);
}

function addedPath({ path, status }: { readonly path: string; readonly status: string }): readonly string[] {
  return status === 'added' ? [path] : [];
}

function shown(paths: readonly string[]): string {
  return paths.slice(0, 5).join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '');
}

const BRANCHES = 'refs/heads/';
/** Refs that people name; other refs are recreated by the tools that made them. */
const RESTORED = /^refs\/(heads|tags)\//;

/**
 * Refs that moved while the agent worked stay unchanged (a person may have moved them), but what they held is kept, and
 * a person is told. Deleted branches and tags are restored where an agent could have deleted them. Branches checked out
 * in other work trees are not reported: streams and people move those all the time, and a person working there notices
 * changes by others.
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
  const gone = moved.filter(
    ([name, [, now]]) => now === '' && RESTORED.test(name) && name !== (checkpoint as Checkpoint).branch,
  );
  const lost = Object.fromEntries(gone.map(([name, [before]]) => [name, before]));
  const restored = isolation.coversGitDir ? [] : await git.restoreRefs(lost);
  if (restored.length > 0) {
    const text = `Deleted while the agent worked, and restored: ${restored.map(shortName).join(', ')}.`;
    emit(iteration, { type: 'notice', level: 'warning', remember: true, text });
  }
  if (restored.length === moved.length) return;
  const kept = moved.some(([, [before]]) => before !== '');
  const text = `While the agent worked, refs changed: ${moved.flatMap(([name]) => (restored.includes(name) ? [] : [name])).join(', ')}.`;
  const fix = `what they pointed to before is kept under refs/ralph/moved/${run}/${iteration}/`;
  emit(iteration, { type: 'notice', level: 'warning', remember: true, text, ...(kept ? { fix } : {}) });
}

function shortName(ref: string): string {
  return ref.replace(RESTORED, '');
}

async function checkedOutElsewhere(git: Git, { movedRefs }: AfterState): Promise<ReadonlySet<string>> {
  if (!Object.keys(movedRefs).some((name) => name.startsWith(BRANCHES))) return new Set();
  const others = (await git.worktrees()).filter(({ root, branch }) => root !== git.repo.root && branch !== null);
  return new Set(others.map(({ branch }) => `${BRANCHES}${branch}`));
}

/** What a person committed in the work tree while an agent shared its git dir. */
export interface UserCommits {
  /** Oldest first. */
  readonly moves: readonly HeadMove[];
  /** The last of them, if no commit of the agent lies below it: the iteration's commit can go on top. */
  readonly base: string | null;
}

/** Read from the log of HEAD; null without commits of a person, and where the agent has a separate git dir. */
export async function userCommits(context: RunContext, ended: Ended): Promise<UserCommits | null> {
  const { checkpoint, after } = ended;
  if (checkpoint.sealed || after.head === checkpoint.head) return null;
  const all = await context.git.movesSince(checkpoint);
  const moves = all.filter(({ by, from, to, message }) => by === 'person' && from !== to && COMMITS.test(message));
  if (moves.length === 0) return null;
  let base = checkpoint.head;
  for (const { by, from, to } of all) {
    if (by !== 'person' || from !== base) break;
    base = to;
  }
  const isLast = base === moves.at(-1)?.to && after.branch === checkpoint.branch;
  return { moves, base: isLast && (await mayStay(context, ended, base)) ? base : null };
}

/** An agent that hid its mark is taken for the person, so nothing that agents may not change may stay this way. */
async function mayStay(
  { git, workspace }: Pick<RunContext, 'git' | 'workspace'>,
  { checkpoint, after }: Ended,
  base: string,
): Promise<boolean> {
  const from = checkpoint.head;
  if (!(await git.descends(base, from)) || !(await git.descends(after.head, base))) return false;
  if ((await git.changes(from, base)).some(({ path }) => isProtectedPath(workspace, path))) return false;
  return !(await git.secretsBetween(from, base));
}

/** Git's log messages for commands that make commits. */
const COMMITS = /^(commit|merge|cherry-pick|revert|pull|am|rebase)\b/;

/** @param stays whether the branch has them below the iteration's commit; else they are kept under a ref */
export async function noteUserCommits(
  { git, emit }: Pick<RunContext, 'git' | 'emit'>,
  { header, checkpoint, after }: Ended,
  { moves }: UserCommits,
  stays: boolean,
): Promise<void> {
  const { run, iteration } = header;
  const branch = (checkpoint.branch ?? 'HEAD').replace('refs/heads/', '');
  const shown = moves.slice(0, 5).map(({ to, message }) => `${to.slice(0, 7)} (${message})`);
  const list = shown.join(', ') + (moves.length > 5 ? ` and ${moves.length - 5} more` : '');
  const text = `While the agent worked you committed on ${branch}: ${list}.`;
  if (stays) {
    emit(iteration, {
      type: 'notice',
      level: 'info',
      text: `${text} Your commits stay, below the commit of the iteration.`,
    });
    return;
  }
  const name = checkpoint.branch ?? 'HEAD';
  const last = moves.at(-1)?.to ?? after.head;
  await git.keepMovedRefs({ run, iteration, movedRefs: { [`user/${name}`]: [last, ''] } });
  emit(iteration, {
    type: 'notice',
    level: 'warning',
    remember: true,
    text: `${text} Your commits are not on the branch: the iteration was rolled back, or had commits below yours.`,
    fix: `they are kept: git cherry-pick ${last.slice(0, 12)}; refs/ralph/moved/${run}/${iteration}/user/${name}`,
  });
}
