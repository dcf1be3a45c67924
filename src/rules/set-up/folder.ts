import { fieldsOf, jsonFields } from '../project-checks/files.ts';

/** Files of a tree as one folder of it sees them. */
export interface Folder {
  /** Below the root; '' is the root itself. */
  readonly path: string;
  /** Is a file of one of these names there? `*` stands for any characters of one name. */
  has(...names: readonly string[]): boolean;
  /** '' when it is missing. */
  text(name: string): string;
  /** Files of one of these names anywhere below, relative to the folder. */
  members(...names: readonly string[]): readonly string[];
  /** The fields of a JSON file, none when it is missing or broken. */
  json(name: string): Readonly<Record<string, unknown>>;
}

/** What a tool of the table makes of a folder. */
export interface Found {
  readonly tool: string;
  readonly command: string;
  /** A lock file says what is installed: then a folder below another one installs for itself. */
  readonly locked: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly setUpEnv?: Readonly<Record<string, string>>;
  readonly path?: readonly string[];
  /** Names, below the folder, of files that decide beside those of the family; they need not exist. */
  readonly extra?: readonly string[];
  /** Does this folder also install for that one below it, even when that one has a lock file? */
  readonly installsFor?: (below: string) => boolean;
}

/** Tools of one language, of which at most one installs in a folder. */
export interface Family {
  /** Files of the folder itself that decide; `*` as in {@link Folder.has}. */
  readonly own: readonly string[];
  /** Files that tools look for in the folders above too. */
  readonly upward: readonly string[];
  /** Files of members, anywhere below. */
  readonly members: readonly string[];
  find(folder: Folder): Found | null;
}

/** Lines longer than this are no setting that a person wrote. */
const LONGEST_PATTERN = 200;

export function folderAt(path: string, files: ReadonlyMap<string, string>): Folder {
  const start = path === '' ? '' : `${path}/`;
  const names = [...files.keys()].filter((file) => file.startsWith(start)).map((file) => file.slice(start.length));
  const text = (name: string): string => files.get(start + name) ?? '';
  return {
    path,
    has: (...wanted) =>
      wanted.some((one) => (one.includes('*') ? names.some((name) => isNamed(one, name)) : files.has(start + one))),
    text,
    members: (...wanted) =>
      names.filter((name) => wanted.some((one) => isNamed(one, name.slice(name.lastIndexOf('/') + 1)))),
    json: (name) => fieldsOf(jsonFields({ names: new Set(), text }, name)),
  };
}

const expressions = new Map<string, RegExp>();

/** Is it that name? `*` stands for any characters but `/`. */
export function isNamed(name: string, path: string): boolean {
  if (!name.includes('*')) return name === path;
  const known = expressions.get(name);
  const expression = known ?? new RegExp(`^${starred(name)}$`, 's');
  if (known === undefined) expressions.set(name, expression);
  return expression.test(path);
}

function starred(name: string): string {
  return name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '[^/]*');
}

/** Is a folder among those that the patterns of a workspace name (`packages/*`, `apps/**`, `!apps/old`)? */
export function isMember(patterns: readonly string[], folder: string): boolean {
  const short = patterns.filter(({ length }) => length <= LONGEST_PATTERN);
  const [no, yes] = [short.filter((one) => one.startsWith('!')), short.filter((one) => !one.startsWith('!'))];
  const says = (pattern: string): boolean =>
    matches(pattern.replace(/^!/, '').replace(/^\.\//, '').split('/').filter(Boolean), folder.split('/'));
  return yes.some(says) && !no.some(says);
}

function matches(pattern: readonly string[], parts: readonly string[]): boolean {
  // Where in the pattern one may stand after each part: linear, whatever an agent wrote.
  let at = skipped(pattern, new Set([0]));
  for (const part of parts) {
    const next = new Set<number>();
    for (const index of at) {
      const wanted = pattern[index];
      if (wanted === undefined) continue;
      if (wanted === '**') next.add(index);
      else if (new RegExp(`^${starred(wanted)}$`, 's').test(part)) next.add(index + 1);
    }
    at = skipped(pattern, next);
  }
  return at.has(pattern.length);
}

/** `**` stands for no folder too. */
function skipped(pattern: readonly string[], at: Set<number>): Set<number> {
  for (const index of at) if (pattern[index] === '**') at.add(index + 1);
  return at;
}

/** `dir` and `../x` → a path below the root; null when it leads out of it. */
export function joined(folder: string, relative: string): string | null {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of relative.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null;
    if (part !== '..' && part !== '.' && part !== '') parts.push(part);
  }
  return parts.length === 0 ? null : parts.join('/');
}
