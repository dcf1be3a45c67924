/** What a person says about ignored files, beside the rules of this file. Paths, names, or both with `*`. */
export interface PreciousSetting {
  readonly also: readonly string[];
  readonly not: readonly string[];
}

/** Folders that tools make again, and the loop's own. */
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

/** Files of tools: nothing in them was written by a person. */
const MADE_AGAIN_FILE =
  /(?:^\.eslintcache|^\.stylelintcache|^\.DS_Store|^Thumbs\.db|\.tsbuildinfo|\.py[co]|\.o|\.class|\.log|\.pid|\.sw[op])$/;

/**
 * How an ignored file is looked after. `always`: saved whatever its size; `usual`: saved up to a size; `open`: a folder
 * in which such files may be; `no`: left alone.
 */
export function careFor(
  path: string,
  kind: 'file' | 'folder',
  { also, not }: PreciousSetting,
): 'always' | 'usual' | 'open' | 'no' {
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

/** A pattern with a slash is a path from the root, one without is a name anywhere; of a folder it covers all. */
function matches(pattern: string, path: string): boolean {
  const wanted = pattern.replace(/^\.?\/|\/$/g, '');
  const text = wanted.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
  const start = wanted.includes('/') || pattern.startsWith('/') ? '^' : '(?:^|/)';
  return new RegExp(`${start}${text}(?:/|$)`).test(path);
}

/** Whether what a pattern names lies in a folder. */
function leadsTo(folder: string, pattern: string): boolean {
  return pattern.replace(/^\.?\//, '').startsWith(`${folder}/`);
}
