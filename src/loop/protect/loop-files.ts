import type { InsideWorkspace } from '../../adapters/isolation/index.ts';
import { CONFIG_FILES, type Workspace } from '../../adapters/workspace/index.ts';
import { isProtectedPath } from '../../rules/trust/index.ts';

/** Files that only the loop writes, even if the agent changed them. Paths relative to the work tree. */
export function loopFiles(workspace: Workspace): readonly string[] {
  const { backlog, progressPath, reviewsPath } = workspace;
  return [...(backlog ? [backlog.path] : []), progressPath, reviewsPath];
}

/**
 * Whether a path is not part of a story's work: the loop's own file, one that is put back, or a folder of such files.
 */
export function isLoopsOwn(workspace: Workspace, path: string): boolean {
  return loopFiles(workspace).includes(path) || isProtectedPath(workspace, path) || isAboveLoopFiles(workspace, path);
}

/** Whether a path is a folder that should hold the loop's files: nothing else may be there. */
export function isAboveLoopFiles(workspace: Workspace, path: string): boolean {
  const { prdPath, promptPath, hostFiles = [] } = workspace;
  return [...loopFiles(workspace), prdPath, promptPath, ...hostFiles].some((file) => file.startsWith(`${path}/`));
}

/** Files and folders that the loop commits at run start, and that may be dirty then. */
export function specPaths(workspace: Workspace): readonly string[] {
  const folders = ['.ralph', ...(workspace.specDir === '.' ? [] : [workspace.specDir])];
  return [...new Set([...folders, ...loopFiles(workspace), workspace.promptPath, workspace.prdPath])];
}

/**
 * Whether an uncommitted file of the spec folder may wait for the commit of an iteration: no agent can change it for
 * good. All others are committed before the first one.
 */
export function ridesAlong(workspace: Workspace, path: string): boolean {
  return isUnder(specPaths(workspace), path) && isLoopsOwn(workspace, path);
}

/** Whether a path is one of these files or lies in one of these folders. */
export function isUnder(paths: readonly string[], path: string): boolean {
  return paths.some((top) => path === top || path.startsWith(`${top}/`));
}

/**
 * The part of the work tree that an isolation makes read-only: existing files that would be put back. The folder of a
 * numbered spec lies in the state folder and stays writable: some editors replace its backlog and log as whole files.
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

/** Settings of a client, which a person's own next session would obey. */
const CLIENT_SETTINGS = ['.claude/settings.json', '.claude/settings.local.json'];
