import type { Workspace } from '../adapters/workspace/layout.ts';

/** Files only conclude writes, whatever the agent did to them. Paths relative to the work tree. */
export function loopFiles(workspace: Workspace): readonly string[] {
  const { backlog, progressPath, reviewsPath } = workspace;
  return [...(backlog ? [backlog.path] : []), progressPath, reviewsPath];
}

/**
 * Files an agent may read and never change: they are requirements, instructions, or code that runs on the host
 * at the next start. Settle puts them back; the backlog and the progress log are judged instead.
 */
export function isProtected(workspace: Workspace, path: string): boolean {
  return (
    path === workspace.prdPath ||
    path === workspace.promptPath ||
    path === workspace.reviewsPath ||
    path === '.ralph-active' ||
    path === '.ralph/config.json' ||
    path === '.ralph/.gitignore' ||
    path === '.ralph/status.json' ||
    /^ralph\.config\.[a-z]+$/.test(path) ||
    /^\.ralph\/(state|runs)\//.test(path)
  );
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
