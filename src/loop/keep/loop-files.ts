import type { InsideWorkspace } from '../../adapters/isolation/port.ts';
import { CONFIG_FILES } from '../../adapters/workspace/config/config-file.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { isProtectedPath } from '../../rules/protected-paths.ts';

/** Files only conclude writes, whatever the agent did to them. Paths relative to the work tree. */
export function loopFiles(workspace: Workspace): readonly string[] {
  const { backlog, progressPath, reviewsPath } = workspace;
  return [...(backlog ? [backlog.path] : []), progressPath, reviewsPath];
}

/** Whether settle puts a file back that the agent changed. */
export function isProtected(workspace: Workspace, path: string): boolean {
  return isProtectedPath(workspace, path);
}

/** Whether a path is none of a story's work: the loop's own file, one that settle puts back, or a folder of such. */
export function isLoopsOwn(workspace: Workspace, path: string): boolean {
  return loopFiles(workspace).includes(path) || isProtected(workspace, path) || isAboveLoopFiles(workspace, path);
}

/** Whether a path is that of a folder in which files of the loop belong: nothing else may stand there. */
export function isAboveLoopFiles(workspace: Workspace, path: string): boolean {
  const { prdPath, promptPath, hostFiles = [] } = workspace;
  return [...loopFiles(workspace), prdPath, promptPath, ...hostFiles].some((file) => file.startsWith(`${path}/`));
}

/** What the loop commits at run start, and exempts from the refusal of a dirty tree: files and folders. */
export function specPaths(workspace: Workspace): readonly string[] {
  const folders = ['.ralph', ...(workspace.specDir === '.' ? [] : [workspace.specDir])];
  return [...new Set([...folders, ...loopFiles(workspace), workspace.promptPath, workspace.prdPath])];
}

/** Whether a path is one of these files or lies in one of these folders. */
export function isUnder(paths: readonly string[], path: string): boolean {
  return paths.some((top) => path === top || path.startsWith(`${top}/`));
}

/**
 * What of the work tree an isolation makes read-only: what settle would put back, as far as it exists. The folder of a
 * numbered spec lies in the state folder and stays writable: its backlog and log are replaced whole by some editors.
 */
export function insideWorkspace(workspace: Workspace): InsideWorkspace {
  const { root, specDir, prdPath, promptPath, reviewsPath, hostFiles = [] } = workspace;
  const inRoot = (path: string) => `${root}/${path}`;
  const own = ['.ralph', prdPath, promptPath, reviewsPath, ...CONFIG_FILES, ...CLIENT_SETTINGS, ...hostFiles];
  return {
    root,
    readOnly: [...new Set(own)].map(inRoot),
    writable: specDir.startsWith('.ralph/') ? [inRoot(specDir)] : [],
  };
}

/** Settings of a client, which a person's next session of their own would obey. */
const CLIENT_SETTINGS = ['.claude/settings.json', '.claude/settings.local.json'];
