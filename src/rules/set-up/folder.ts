import { fieldsOf } from '../../contracts/index.ts';
import { jsonFields } from '../project-checks/index.ts';

/** The files of a tree, seen from one of its folders. */
export interface Folder {
  /** Path below the root; '' is the root itself. */
  readonly path: string;
  /** Whether a file with one of these names exists there. `*` stands for any characters of one name. */
  has(...names: readonly string[]): boolean;
  /** '' when it is missing. */
  text(name: string): string;
  /** Files with one of these names anywhere below, relative to the folder. */
  members(...names: readonly string[]): readonly string[];
  json(name: string): Readonly<Record<string, unknown>>;
}

/** What a tool of the table finds in a folder. */
export interface Found {
  readonly tool: string;
  readonly command: string;
  /** A lock file fixes the installed versions: then a folder below another one has its own installation. */
  readonly locked: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly setUpEnv?: Readonly<Record<string, string>>;
  readonly path?: readonly string[];
  /** Names, below the folder, of files that decide in addition to those of the family; they need not exist. */
  readonly extra?: readonly string[];
  /** Whether this folder also installs for that one below it, even when that one has a lock file. */
  readonly installsFor?: (below: string) => boolean;
}

/** Tools of one language, at most one of which installs in a folder. */
export interface Family {
  /** Files in the folder itself that decide; `*` as in {@link Folder.has}. */
  readonly own: readonly string[];
  /** Files that tools also look for in the folders above. */
  readonly upward: readonly string[];
  /** Files of workspace members, anywhere below. */
  readonly members: readonly string[];
  find(folder: Folder): Found | null;
}

/** Longer lines are not settings written by a person. */
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

/** Whether the path has that name. `*` stands for any characters except `/`. */
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

/** Whether a folder matches the patterns of a workspace (`packages/*`, `apps/**`, `!apps/old`). */
export function isMember(patterns: readonly string[], folder: string): boolean {
  const short = patterns.filter(({ length }) => length <= LONGEST_PATTERN);
  const [no, yes] = [short.filter((one) => one.startsWith('!')), short.filter((one) => !one.startsWith('!'))];
  const says = (pattern: string): boolean =>
    matches(pattern.replace(/^!/, '').replace(/^\.\//, '').split('/').filter(Boolean), folder.split('/'));
  return yes.some(says) && !no.some(says);
}

function matches(pattern: readonly string[], parts: readonly string[]): boolean {
  // The possible positions in the pattern after each part: linear for any text.
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

/** `**` also stands for no folder. */
function skipped(pattern: readonly string[], at: Set<number>): Set<number> {
  for (const index of at) if (pattern[index] === '**') at.add(index + 1);
  return at;
}

/** `dir` and `../x` → a path below the root; null when it is outside. */
export function joined(folder: string, relative: string): string | null {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of relative.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null;
    if (part !== '..' && part !== '.' && part !== '') parts.push(part);
  }
  return parts.length === 0 ? null : parts.join('/');
}
