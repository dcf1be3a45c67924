import { GitRefusal } from '../../../contracts/index.ts';
import { orNull, realPath } from '../../../platform/index.ts';

/**
 * A linked work tree must still be where it was opened: an agent may have moved its folder away and replaced it with a
 * link to another work tree, or to none. Ralph does not follow such a link.
 * @throws GitRefusal
 */
export async function refuseReplaced({ realRoot }: { readonly realRoot: string | null }): Promise<void> {
  if (realRoot === null || (await orNull(realPath(realRoot))) === realRoot) return;
  throw replaced(realRoot);
}

/** The error for that. */
export function replaced(root: string): GitRefusal {
  return new GitRefusal({
    what: 'the folder of this work tree was moved or replaced',
    where: root,
    why: 'what is there now belongs to somebody else, and nothing is read or written there',
    mend: ['move it back to its place', 'of a stream: `ralph stream start` puts it in order'],
  });
}
