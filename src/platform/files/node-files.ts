/**
 * Renames within a file system · sets permission bits · creates a new private folder whose path starts with a prefix ·
 * creates a symbolic link, and fails where something exists already · resolves every link of a path that exists. In a
 * file of their own: hooks need none of them, and would load `node:fs/promises` for nothing.
 */
export {
  chmod,
  mkdtemp as makeNewDir,
  realpath as realPath,
  rename as move,
  symlink as makeLink,
} from 'node:fs/promises';
