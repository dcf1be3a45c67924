export { openGit } from './open.ts';
export { replaced } from './worktrees/in-place.ts';
export { linkBack, namedGitDir, openOwnTree } from './worktrees/own-tree.ts';
