/** The location of a run's spec, relative to the work tree; the root itself is `.`. */
export interface SpecPaths {
  readonly specDir: string;
  readonly backlog: { readonly path: string } | null;
  readonly progressPath: string;
  readonly prdPath: string;
  readonly promptPath: string;
  readonly reviewsPath: string;
  /** Other parts of the work tree that run on the host: files and folders of plugins. */
  readonly hostFiles?: readonly string[];
}

/** Files that would run on the host or control it at the next start, and the loop's own state; all in lower case. */
const ALWAYS: readonly RegExp[] = [
  /^\.git(\/|$)/,
  /^\.ralph-active$/,
  /^\.ralph\/(config\.json|\.gitignore|status\.json)$/,
  /^\.ralph\/[^/]+\.log$/,
  /^\.ralph\/(state|runs)(\/|$)/,
  /^ralph\.config\.[a-z]+$/,
  // What the user's next session of a client obeys, and what the user's git runs.
  /^\.claude\/(settings(\.local)?\.json$|hooks(\/|$)|\.git(ignore|attributes)$)/,
  /^(\.mcp\.json|opencode\.jsonc?|\.(gemini|qwen)\/settings\.json|\.cursor\/(mcp|hooks|cli)\.json)$/,
  /^(\.codex|\.opencode|\.amp|\.kimi-code|\.kiro\/(agents|hooks|settings)|\.husky)(\/|$)/,
];

/** Folders in which everything is protected, in every layout. */
export const PROTECTED_FOLDERS = [
  ...['.claude/hooks', '.codex', '.opencode', '.amp', '.kimi-code'],
  ...['.kiro/agents', '.kiro/hooks', '.kiro/settings', '.husky'],
] as const;

/**
 * Names that are examined even if git does not see them: an agent may hide what it plants, or plant files that git
 * ignores.
 */
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
    ...['opencode.json', 'opencode.jsonc', '.gemini/settings.json', '.qwen/settings.json'],
    ...['.cursor/mcp.json', '.cursor/hooks.json', '.cursor/cli.json'],
  ].filter((path) => !judged.includes(path) && !(spec.specDir === '.' && /(^|\/)\.git(ignore|attributes)$/.test(path)));
  return { files: [...new Set(files)], folders: [...PROTECTED_FOLDERS, ...(spec.hostFiles ?? [])] };
}

/** Every name that is searched for in a spec folder: an added file may take precedence over the existing one. */
const SPEC_NAMES: ReadonlySet<string> = new Set([
  ...['tasks.json', 'prd.json', 'plan.md', '@fix_plan.md', 'fix_plan.md'],
  ...['prd.md', 'prompt.md', 'reviews.json', 'progress.txt', 'progress.md'],
]);

/**
 * Files that an agent may read but never change: requirements, instructions, the loop's own state, code and settings
 * that run on the host at the next start, and files that the next start would take for one of these. Hooks refuse to
 * write them, settle restores them; the backlog and the progress log are judged instead. `path` is relative to the work
 * tree, `/`-separated, without `..`; case is ignored, as on some file systems.
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
  // Also if they were turned into folders.
  const judged = [spec.progressPath, ...(spec.backlog ? [spec.backlog.path] : [])].map((own) => own.toLowerCase());
  if (judged.some((own) => wanted === own || wanted.startsWith(`${own}/`))) return false;
  return isLookedFor(spec.specDir.toLowerCase(), wanted);
}

/** Whether the search for spec folder, backlog and template could find a file. */
function isLookedFor(specDir: string, path: string): boolean {
  // The search starts in some folder and goes up: it may end next to the spec folder, or at the root.
  const starts = new Set(['', prefix(specDir.replace(/(^|\/)(ralph|\.ralph\/prd-\d+)$/, ''))]);
  const folders = [prefix(specDir), ...[...starts].map((start) => `${start}ralph/`)];
  if (folders.some((folder) => path.startsWith(folder) && SPEC_NAMES.has(firstName(path, folder)))) return true;
  return [...starts].some((start) => isOtherNumber(specDir, path, `${start}.ralph/`));
}

/** Another numbered spec folder counts by its name alone: an empty PRD-1 comes before every other. */
function isOtherNumber(specDir: string, path: string, folder: string): boolean {
  const name = firstName(path, folder);
  return path.startsWith(folder) && /^prd-[1-9]\d*$/.test(name) && `${folder}${name}` !== specDir;
}

function prefix(folder: string): string {
  return folder === '' || folder === '.' ? '' : `${folder}/`;
}

/** The part of a path directly inside a folder: a folder in place of a file is found by the same name. */
function firstName(path: string, folder: string): string {
  return path.slice(folder.length).split('/', 1)[0] ?? '';
}

/** Folders that tools can recreate, and the loop's own. */
const MADE_AGAIN = new Set(
  [
    'node_modules bower_components .npm .pnpm-store .yarn dist build out target bin obj .next .nuxt .output .svelte-kit',
    '.turbo .parcel-cache .vite .angular .astro .docusaurus .cache .venv venv __pycache__ .pytest_cache .mypy_cache',
    '.ruff_cache .tox .nox .eggs htmlcov coverage .nyc_output .gradle .m2 vendor Pods DerivedData .build .dart_tool',
    '_build deps .elixir_ls .stack-work dist-newstyle .terraform .serverless test-results playwright-report tmp .tmp',
    '.ralph .git',
  ]
    .join(' ')
    .split(' '),
);

/** Files that tools write: nothing in them was written by a person. */
const MADE_AGAIN_FILE =
  /(?:^\.eslintcache|^\.stylelintcache|^\.DS_Store|^Thumbs\.db|\.tsbuildinfo|\.py[co]|\.o|\.class|\.log|\.pid|\.sw[op])$/;

/**
 * How an ignored file is protected. `always`: saved at any size; `usual`: saved up to a size; `open`: a folder that may
 * contain such files; `no`: left alone.
 * @param precious the setting: paths, names, or both with `*`; with a leading `!` those to leave alone
 */
export function careFor(
  path: string,
  kind: 'file' | 'folder',
  precious: readonly string[],
): 'always' | 'usual' | 'open' | 'no' {
  const also = precious.filter((pattern) => !pattern.startsWith('!'));
  const not = precious.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  if (not.some((pattern) => matches(pattern, path))) return 'no';
  if (also.some((pattern) => matches(pattern, path))) return kind === 'folder' ? 'open' : 'always';
  const names = path.split('/');
  const name = names.at(-1) ?? '';
  const folders = kind === 'folder' ? names : names.slice(0, -1);
  const isMadeAgain = folders.some((folder) => MADE_AGAIN.has(folder));
  if (kind === 'folder') return isMadeAgain && !also.some((pattern) => leadsTo(path, pattern)) ? 'no' : 'open';
  if (isMadeAgain) return 'no';
  if (name.startsWith('.env')) return 'always';
  return MADE_AGAIN_FILE.test(name) ? 'no' : 'usual';
}

/** A pattern with a slash is a path from the root, one without is a name anywhere; it covers a folder's contents. */
function matches(pattern: string, path: string): boolean {
  const wanted = pattern.replace(/^\.?\/|\/$/g, '');
  const text = wanted.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
  const start = wanted.includes('/') || pattern.startsWith('/') ? '^' : '(?:^|/)';
  return new RegExp(`${start}${text}(?:/|$)`).test(path);
}

/** Whether a pattern's target lies in a folder. */
function leadsTo(folder: string, pattern: string): boolean {
  return pattern.replace(/^\.?\//, '').startsWith(`${folder}/`);
}
