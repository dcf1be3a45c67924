/** Where a run finds its spec, relative to the work tree; the root itself is `.`. */
export interface SpecPaths {
  readonly specDir: string;
  readonly backlog: { readonly path: string } | null;
  readonly progressPath: string;
  readonly prdPath: string;
  readonly promptPath: string;
  readonly reviewsPath: string;
  /** What else of the work tree runs on the host: files and folders of plugins. */
  readonly hostFiles?: readonly string[];
}

/** What would run or rule on the host at the next start, and the loop's own state; all in lower case. */
const ALWAYS: readonly RegExp[] = [
  /^\.git(\/|$)/,
  /^\.ralph-active$/,
  /^\.ralph\/(config\.json|\.gitignore|status\.json)$/,
  /^\.ralph\/[^/]+\.log$/,
  /^\.ralph\/(state|runs)(\/|$)/,
  /^ralph\.config\.[a-z]+$/,
  // What the person's next session of a client obeys, and what their own git runs.
  /^\.claude\/(settings(\.local)?\.json$|hooks(\/|$)|\.git(ignore|attributes)$)/,
  /^(\.mcp\.json|opencode\.jsonc?|\.gemini\/settings\.json)$/,
  /^(\.codex|\.opencode|\.husky)(\/|$)/,
];

/** Folders in which everything is protected, in every layout. */
export const PROTECTED_FOLDERS = ['.claude/hooks', '.codex', '.opencode', '.husky'] as const;

/** Names that are looked at whether git sees them or not: an agent may hide what it plants, or plant what git ignores. */
export function protectedNames(spec: SpecPaths): {
  readonly files: readonly string[];
  readonly folders: readonly string[];
} {
  const inSpec = [...SPEC_NAMES].map((name) => `${prefix(spec.specDir)}${name}`);
  const judged = [spec.progressPath, spec.backlog?.path];
  const files = [
    ...['json', 'js', 'ts'].map((kind) => `ralph.config.${kind}`),
    ...[
      '.ralph/config.json',
      '.ralph/.gitignore',
      `${prefix(spec.specDir)}.gitignore`,
      `${prefix(spec.specDir)}.gitattributes`,
    ],
    ...[spec.prdPath, spec.promptPath, spec.reviewsPath, ...inSpec],
    ...['.claude/settings.json', '.claude/settings.local.json', '.claude/.gitignore', '.mcp.json'],
    ...['opencode.json', 'opencode.jsonc', '.gemini/settings.json'],
  ].filter((path) => !judged.includes(path) && !(spec.specDir === '.' && /(^|\/)\.git(ignore|attributes)$/.test(path)));
  return { files: [...new Set(files)], folders: [...PROTECTED_FOLDERS, ...(spec.hostFiles ?? [])] };
}

/** Every name that is looked for in a spec folder: one that is added may come before the one that is there. */
const SPEC_NAMES: ReadonlySet<string> = new Set([
  ...['tasks.json', 'prd.json', 'plan.md', '@fix_plan.md', 'fix_plan.md'],
  ...['prd.md', 'prompt.md', 'reviews.json', 'progress.txt', 'progress.md'],
]);

/**
 * Files an agent may read and never change: they are requirements, instructions, the loop's own state, code and
 * settings that run on the host at the next start, or what that start would take for one of these. Hooks refuse to
 * write them, settle puts them back; the backlog and the progress log are judged instead. `path` is relative to the
 * work tree, `/`-separated, without `..`; case does not count, as on some file systems.
 */
export function isProtectedPath(spec: SpecPaths, path: string): boolean {
  const wanted = path.toLowerCase();
  const isOneOf = (paths: readonly string[]) => paths.some((own) => own.toLowerCase() === wanted);
  if (isOneOf([spec.prdPath, spec.promptPath, spec.reviewsPath])) return true;
  if (ALWAYS.some((pattern) => pattern.test(wanted))) return true;
  if (spec.specDir !== '.' && isOneOf(['.gitignore', '.gitattributes'].map((name) => `${spec.specDir}/${name}`)))
    return true;
  const host = (spec.hostFiles ?? []).map((own) => own.toLowerCase());
  if (host.some((own) => wanted === own || wanted.startsWith(`${own}/`))) return true;
  // Also where they were made folders.
  const judged = [spec.progressPath, ...(spec.backlog ? [spec.backlog.path] : [])].map((own) => own.toLowerCase());
  if (judged.some((own) => wanted === own || wanted.startsWith(`${own}/`))) return false;
  return isLookedFor(spec.specDir.toLowerCase(), wanted);
}

/** Whether the search for spec folder, backlog and template could come upon a file. */
function isLookedFor(specDir: string, path: string): boolean {
  // The search begins in some folder and goes up: it may end beside the spec folder, or at the root.
  const starts = new Set(['', prefix(specDir.replace(/(^|\/)(ralph|\.ralph\/prd-\d+)$/, ''))]);
  const folders = [prefix(specDir), ...[...starts].map((start) => `${start}ralph/`)];
  if (folders.some((folder) => path.startsWith(folder) && SPEC_NAMES.has(firstName(path, folder)))) return true;
  return [...starts].some((start) => isOtherNumber(specDir, path, `${start}.ralph/`));
}

/** Another numbered spec folder counts by its mere name: an empty PRD-1 comes before every other. */
function isOtherNumber(specDir: string, path: string, folder: string): boolean {
  const name = firstName(path, folder);
  return path.startsWith(folder) && /^prd-[1-9]\d*$/.test(name) && `${folder}${name}` !== specDir;
}

function prefix(folder: string): string {
  return folder === '' || folder === '.' ? '' : `${folder}/`;
}

/** What of a path is directly in a folder: a folder in the place of a file is found by the same name. */
function firstName(path: string, folder: string): string {
  return path.slice(folder.length).split('/', 1)[0] ?? '';
}
