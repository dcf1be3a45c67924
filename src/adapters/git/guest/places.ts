import { realPath, remove, stat } from '../../../platform/index.ts';
import { type Room, runScript } from '../room.ts';
import { REMOVE_FOR_CERTAIN } from '../scripts/guest.ts';

/** The git dir inside when the work tree's `.git` is only a file that names it: linked worktrees, submodules. */
const GIT_DIR_INSIDE = '/run/ralph/git';
/** Parent of the borrowed objects inside; a number and `objects` follow, beside which git-lfs looks for `lfs`. */
export const BORROWED_INSIDE = '/run/ralph/borrowed';

/** The guest git dir of that name, and files beside it because nothing inside may write to them. */
export interface GuestPlace {
  readonly dir: string;
  /** Covers a work tree's `.git` that is a file. */
  readonly pointer: string;
  /** Empty: covers the list of alternates of borrowed objects, which names paths that do not exist inside. */
  readonly nothing: string;
}

export function guestPlace(room: Room, name: string): GuestPlace {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) throw new Error(`not a name for a guest git dir: ${name}`);
  const dir = `${room.repo.stateDir}/guest/${name}`;
  return { dir, pointer: `${dir}.pointer`, nothing: `${dir}.nothing` };
}

/** The location of the guest git dir inside. `pointer`: through a file that replaces `.git`. */
export interface Inside {
  readonly gitDir: string;
  readonly pointer: boolean;
}

export async function insideOf(room: Room): Promise<Inside> {
  const own = `${room.repo.root}/.git`;
  const kind = (await stat(own))?.kind;
  if (kind === 'dir') return { gitDir: own, pointer: false };
  // A link stays a link inside: its target is covered.
  if (kind === 'symlink') {
    const target = await realPath(own);
    if ((await stat(target))?.kind === 'dir') return { gitDir: target, pointer: false };
  }
  return { gitDir: GIT_DIR_INSIDE, pointer: true };
}

export async function removeGuest(room: Room, name: string): Promise<void> {
  const paths = Object.values(guestPlace(room, name));
  try {
    await Promise.all(paths.map(remove));
  } catch {
    await runScript(room, 'remove a guest git dir', REMOVE_FOR_CERTAIN, paths);
  }
}
