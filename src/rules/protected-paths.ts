/** The files of a spec folder that only people write, relative to the work tree. */
export interface SpecPaths {
  readonly prdPath: string;
  readonly promptPath: string;
  readonly reviewsPath: string;
}

/**
 * Files an agent may read and never change: they are requirements, instructions, the loop's own state, or code and
 * settings that run on the host at the next start. Hooks refuse to write them, settle puts them back; the backlog and
 * the progress log are judged instead. `path` is relative to the work tree, `/`-separated, without `..`.
 */
export function isProtectedPath(spec: SpecPaths, path: string): boolean {
  return (
    path === spec.prdPath ||
    path === spec.promptPath ||
    path === spec.reviewsPath ||
    path === '.ralph-active' ||
    path === '.ralph/config.json' ||
    path === '.ralph/.gitignore' ||
    path === '.ralph/status.json' ||
    path === '.git' ||
    path.startsWith('.git/') ||
    /^\.ralph\/[^/]+\.log$/.test(path) ||
    /^\.ralph\/(state|runs)(\/|$)/.test(path) ||
    /^ralph\.config\.[a-z]+$/.test(path) ||
    /^\.claude\/settings(\.local)?\.json$/.test(path)
  );
}
