import type { HeadMove } from '../../adapters/git/port.ts';
import type { RunContext } from '../context.ts';
import type { Ended } from '../judge/ended.ts';
import { isProtected } from './loop-files.ts';

/** What a person committed in the work tree while an agent shared its git dir with them. */
export interface PersonsCommits {
  /** Oldest first. */
  readonly moves: readonly HeadMove[];
  /** The last of them, where no commit of the agent's lies below it: the iteration's commit can go on top. */
  readonly base: string | null;
}

/** By the log of HEAD; null where there is nothing of a person's, and where the agent has a git dir of its own. */
export async function personsCommits(context: RunContext, ended: Ended): Promise<PersonsCommits | null> {
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

/** An agent that hid its mark is taken for the person: nothing that agents may not change comes to stay like that. */
async function mayStay({ git, workspace }: RunContext, { checkpoint, after }: Ended, base: string): Promise<boolean> {
  const from = checkpoint.head;
  if (!(await git.descends(base, from)) || !(await git.descends(after.head, base))) return false;
  if ((await git.changes(from, base)).some(({ path }) => isProtected(workspace, path))) return false;
  return !(await git.secretsBetween(from, base));
}

/** What git logs of commands that make commits. */
const COMMITS = /^(commit|merge|cherry-pick|revert|pull|am|rebase)\b/;

/** @param stays whether the branch has them below the iteration's commit; else they are kept under a ref */
export async function tellOfPersonsCommits(
  { git, emit }: RunContext,
  { header, checkpoint, after }: Ended,
  { moves }: PersonsCommits,
  stays: boolean,
): Promise<void> {
  const { run, iteration } = header;
  const branch = (checkpoint.branch ?? 'HEAD').replace('refs/heads/', '');
  const shown = moves.slice(0, 5).map(({ to, message }) => `${to.slice(0, 7)} (${message})`);
  const list = shown.join(', ') + (moves.length > 5 ? ` and ${moves.length - 5} more` : '');
  const text = `While the agent worked you committed on ${branch}: ${list}.`;
  if (stays) {
    emit(iteration, { type: 'notice', level: 'info', text: `${text} That stays, below the commit of the iteration.` });
    return;
  }
  const name = checkpoint.branch ?? 'HEAD';
  const last = moves.at(-1)?.to ?? after.head;
  await git.keepMovedRefs({ run, iteration, movedRefs: { [`persons/${name}`]: [last, ''] } });
  emit(iteration, {
    type: 'notice',
    level: 'warning',
    remember: true,
    text: `${text} It is not on the branch as it was: the iteration was rolled back, or had commits below yours.`,
    mend: `it is kept: git cherry-pick ${last.slice(0, 12)}; refs/ralph/moved/${run}/${iteration}/persons/${name}`,
  });
}
