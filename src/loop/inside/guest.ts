import type { AfterState, Checkpoint, GuestMount, GuestState } from '../../adapters/git/port.ts';
import type { IterationHeader } from '../../contracts/state/journal.ts';
import type { RunContext } from '../context.ts';
import { setExcessAside } from '../keep/excess.ts';

/** The guest git dir of a lane's agent. */
function nameOf({ lane }: Pick<IterationHeader, 'lane'>): string {
  return `lane-${lane}`;
}

/** A guest git dir for the next agent process, where the isolation can cover the real one with it. */
export async function agentGuest(context: RunContext, header: IterationHeader): Promise<readonly GuestMount[]> {
  if (!context.isolation.coversGitDir) return [];
  return (await context.git.openGuest(nameOf(header))).mounts;
}

/** What was done so far by an agent that still works: the work tree, and HEAD as it is for the agent. */
export async function afterSoFar(
  context: RunContext,
  header: IterationHeader,
  checkpoint: Checkpoint,
): Promise<AfterState> {
  await setExcessAside(context, header, checkpoint);
  const after = await context.git.after(checkpoint);
  const guest = await adopt(context, header, checkpoint, true);
  return guest === null ? after : { ...after, head: guest.head, branch: guest.branch };
}

/**
 * What an agent left. Its commits in a guest git dir are taken over into the repository first; without a guest git dir
 * it worked on the real one. Safe to do again after a crash.
 */
export async function afterAgent(
  context: RunContext,
  header: IterationHeader,
  checkpoint: Checkpoint,
): Promise<AfterState & { readonly excess: readonly string[] }> {
  const { git, emit } = context;
  const { run, iteration } = header;
  const excess = await setExcessAside(context, header, checkpoint);
  const after = { ...(await git.after(checkpoint)), excess };
  const guest = await adopt(context, header, checkpoint);
  if (guest === null) return after;
  for (const text of guest.problems) emit(iteration, { type: 'notice', level: 'warning', text });
  if (guest.kept.length > 0) {
    const folder = `refs/ralph/guest/${run}/${iteration}/`;
    const names = guest.kept.map((ref) => ref.replace(folder, '').replace(/^refs\/(heads|tags)\//, ''));
    const text = `In its copy of the git dir the agent made or moved ${names.join(', ')}; yours are untouched.`;
    const mend = `they are kept under ${folder}`;
    emit(iteration, { type: 'notice', level: 'info', text, mend });
  }
  return { ...after, head: guest.head, branch: guest.branch };
}

function adopt(
  { git }: RunContext,
  header: IterationHeader,
  checkpoint: Checkpoint,
  live = false,
): Promise<GuestState | null> {
  const { run, iteration } = header;
  return git.adoptGuest({ name: nameOf(header), run, iteration, checkpoint, live });
}

/** After an iteration: what was worth keeping of it is in the repository. */
export async function dropGuest({ git }: RunContext, header: Pick<IterationHeader, 'lane'>): Promise<void> {
  await git.removeGuest(nameOf(header));
}
