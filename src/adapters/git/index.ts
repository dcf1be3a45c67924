export { replaced } from './in-place.ts';
export { openGit } from './open.ts';
export { linkBack, namedGitDir, openOwnTree } from './own-tree.ts';
