import { couldMatchName } from './shell/glob.ts';

/** Where streams have their work trees, below the main work tree. */
const STREAMS = '.ralph/worktrees';
const STREAM_ROOT = /^(.*)\/\.ralph\/worktrees\/([^/]+)$/;

/**
 * Whether a path is in a work tree of the repository that is not the agent's own: that of another stream, for an agent
 * of a stream also the project itself. A glob counts when it could lead there. Both absolute and normalised.
 * @param root the agent's own work tree
 */
export function isInOtherTree(path: string, root: string): boolean {
  const [, project] = STREAM_ROOT.exec(root) ?? [];
  if (project === undefined) return PLACES_OF_OTHERS.some((place) => couldBeIn(path, `${root}/${place}`));
  return path !== root && !path.startsWith(`${root}/`) && couldBeIn(path, project);
}

/** Whether a folder of the agent's own work tree, taken as a whole, has other work trees in it. */
export function holdsOtherTrees(path: string, root: string): boolean {
  return path.startsWith(`${root}/`) && PLACES_OF_OTHERS.some((place) => couldBeIn(`${root}/${place}`, path));
}

/** Their files, and what git keeps of each: HEAD, index, the state of its run. */
const PLACES_OF_OTHERS: readonly string[] = [STREAMS, '.git/worktrees'];

/**
 * Whether a branch bears the name that streams give theirs, and is not that of the agent's own stream. In the project
 * itself nothing tells which one is its own: there none is.
 */
export function isBranchOfOther(branch: string, root: string): boolean {
  const name = /^(?:refs\/heads\/)?ralph\/(prd-\d+)$/i.exec(branch)?.[1];
  if (name === undefined) return false;
  return name.toLowerCase() !== STREAM_ROOT.exec(root)?.[2]?.toLowerCase();
}

/** Whether an agent works in a stream's work tree. */
export function isStreamRoot(root: string): boolean {
  return STREAM_ROOT.test(root);
}

/** Either may hold globs; only the first of them means something. */
function couldBeIn(path: string, folder: string): boolean {
  const parts = path.split('/');
  const names = folder.split('/');
  return parts.length >= names.length && names.every((name, at) => fits(parts[at] ?? '', name));
}

function fits(part: string, name: string): boolean {
  return part === name || couldMatchName(part, name) || couldMatchName(name, part);
}
