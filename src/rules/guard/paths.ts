import type { GuardContext, SimpleCommand, Word } from './api.ts';
import { oncePer } from './once-per.ts';
import { couldMatchName } from './shell/glob.ts';
import { UNKNOWN } from './shell/text.ts';

/**
 * What a path is, seen from the work tree:
 * - `root-itself`: the work tree as a whole (`.`, or a glob like `*` in it); `inside`: something in it;
 * - `git-dir`: its `.git` or something in there; `protected`: a file that nobody may write through the shell;
 * - `temp-itself`: a folder for throw-away files as a whole; `temp`: something in it, and harmless devices (`/dev/null`);
 * - `home-itself`: the home folder as a whole; `home`: something in it outside the work tree;
 * - `system`: `/` and what belongs to the operating system; `outside`: any other place, a parent of the work tree too;
 * - `unknown`: it depends on something that the text does not tell.
 */
export type Place =
  | 'root-itself'
  | 'inside'
  | 'git-dir'
  | 'protected'
  | 'temp-itself'
  | 'temp'
  | 'home-itself'
  | 'home'
  | 'system'
  | 'outside'
  | 'unknown';

/**
 * The absolute, normalised path that a word means for a command; globs and U+FFFD stay in it. Null when even its start
 * is unknown: `$DIR/x`, or a relative path after a `cd` to an unknown folder.
 */
export function pathOf(word: Word, command: Pick<SimpleCommand, 'cwd'>, context: GuardContext): string | null {
  const { text } = word;
  if (text.startsWith('/')) return normalPath(text);
  if (text.startsWith(UNKNOWN) || command.cwd === null) return null;
  if (/^~(?=\/|$)/.test(text)) return normalPath(context.home + text.slice(1));
  return normalPath(`${command.cwd}/${text}`);
}

/** Joins and folds `.`, `..` and doubled slashes of an absolute path. */
export function normalPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Where a path lies. A glob counts as the most delicate place that it could match. */
export function placeOf(path: string | null, context: GuardContext): Place {
  if (path === null) return 'unknown';
  const { places } = landmarksOf(context);
  const known = places.get(path);
  if (known !== undefined) return known;
  const place = survey(path, context);
  if (places.size < MOST_PLACES) places.set(path, place);
  return place;
}

function survey(path: string, context: GuardContext): Place {
  const whole = withoutMatchAll(path);
  const readings = [whole, ...concreteReadings(whole, context)];
  const places = new Set(readings.map((reading) => placeOfConcrete(reading, context)));
  return SEVERITY.find((place) => places.has(place)) ?? 'unknown';
}

/** Short for `placeOf(pathOf(…))`. */
export function placeOfWord(word: Word, command: Pick<SimpleCommand, 'cwd'>, context: GuardContext): Place {
  return placeOf(pathOf(word, command, context), context);
}

/** Whether an agent may create and change files there. */
export function mayWrite(place: Place): boolean {
  return place === 'inside' || place === 'root-itself' || place === 'temp' || place === 'temp-itself';
}

/** Whether an agent may remove what is there. */
export function mayRemove(place: Place): boolean {
  return place === 'inside' || place === 'temp';
}

/** Whether a folder, named as a whole, holds protected files (`.claude`, `.ralph`): removing or moving it hits them. */
export function holdsProtected(path: string, context: GuardContext): boolean {
  const folder = withoutMatchAll(path);
  return landmarksOf(context).protectedFiles.some(
    (file) => file.startsWith(`${folder}/`) || couldMatchPrefix(folder, file),
  );
}

/** Most delicate first: a glob that could mean several places means the first of these. */
const SEVERITY: readonly Place[] = [
  'system',
  'home-itself',
  'root-itself',
  'git-dir',
  'protected',
  'home',
  'outside',
  'temp-itself',
  'inside',
  'temp',
  'unknown',
];

const HARMLESS_DEVICES = /^\/dev\/(null|zero|full|tty|std(in|out|err)|u?random|fd(\/\d+)?|(shm|mqueue)\/.+)$/;

const SYSTEM_FOLDERS: readonly string[] = [
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/lib',
  '/lib32',
  '/lib64',
  '/media',
  '/mnt',
  '/opt',
  '/proc',
  '/root',
  '/run',
  '/sbin',
  '/srv',
  '/sys',
  '/usr',
  '/var',
  '/Applications',
  '/Library',
  '/System',
  '/Volumes',
  '/private',
];

/** System as a whole, but what is in them belongs to people. */
const SHARED_FOLDERS: readonly string[] = ['/', '/home', '/Users'];

function placeOfConcrete(path: string, context: GuardContext): Place {
  const { root, home, temp } = context;
  if (path === root) return 'root-itself';
  if (isBelow(path, root)) return placeInRoot(path.slice(root.length + 1), context);
  if (path === home) return 'home-itself';
  if (HARMLESS_DEVICES.test(path)) return 'temp';
  if (temp.includes(path)) return 'temp-itself';
  if (isBelow(home, path) || SHARED_FOLDERS.includes(path)) return 'system';
  if (isBelow(root, path)) return isBelow(path, home) ? 'home' : 'outside';
  if (temp.some((folder) => isBelow(path, folder))) return 'temp';
  if (isBelow(path, home)) return 'home';
  if (SYSTEM_FOLDERS.some((folder) => path === folder || isBelow(path, folder))) return 'system';
  // `/$X`: with an empty variable it is the root of the file system.
  if (!path.includes('/', 1) && path.includes(UNKNOWN)) return 'system';
  return 'outside';
}

function placeInRoot(relative: string, context: GuardContext): Place {
  if (relative === '.git' || relative.startsWith('.git/')) return 'git-dir';
  return context.isProtected(relative) ? 'protected' : 'inside';
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === '/' ? '/' : `${folder}/`) && path !== folder;
}

/** `dir/*`, `dir/.*`, `dir/.[!.]*`, `dir/**` name all that is in a folder: for us, the folder itself. */
function withoutMatchAll(path: string): string {
  const cut = path.replace(/(\/(\*+|\.\*|\.\?\?\*|\.\[[!^]\.\]\*|\{\*,\.\*\}|\[!\.\]\*|\?\*|\.\.\?\*))+$/, '');
  return cut === '' ? '/' : cut;
}

/** A path with globs, read as each delicate place that it could match. */
function concreteReadings(path: string, context: GuardContext): readonly string[] {
  if (!/[*?[]/.test(path)) return [];
  const pattern = path.split('/');
  return landmarksOf(context).anchors.flatMap((name) => {
    const common = Math.min(pattern.length, name.length);
    const matches = pattern.slice(0, common).every((part, at) => couldMatchName(part, name[at] ?? ''));
    return matches ? [[...name.slice(0, common), ...pattern.slice(common)].join('/') || '/'] : [];
  });
}

function couldMatchPrefix(pattern: string, path: string): boolean {
  const parts = pattern.split('/');
  const names = path.split('/');
  return parts.length < names.length && parts.every((part, at) => couldMatchName(part, names[at] ?? ''));
}

/** What a context says about paths, worked out once: every rule asks for the places of the same few paths. */
interface Landmarks {
  /** Places that globs are tried against, cut at the slashes. */
  readonly anchors: readonly (readonly string[])[];
  /** Of the names that a glob may be meant for, those that are protected, as absolute paths. */
  readonly protectedFiles: readonly string[];
  readonly places: Map<string, Place>;
}

const MOST_PLACES = 2_000;

const landmarksOf = oncePer((context: GuardContext): Landmarks => {
  const names = [...DELICATE_NAMES, ...(context.hostFiles ?? [])];
  const protectedFiles = names.filter((name) => context.isProtected(name)).map((name) => `${context.root}/${name}`);
  const anchors = [context.root, `${context.root}/.git`, context.home, ...context.temp, ...SYSTEM_FOLDERS];
  return {
    protectedFiles,
    anchors: [...anchors, ...protectedFiles].map((path) => path.split('/')),
    places: new Map(),
  };
});

/** Names that globs are tried against. Which of them are protected, the context says. */
const DELICATE_NAMES: readonly string[] = [
  '.git/config',
  '.git/HEAD',
  '.git/hooks/pre-commit',
  '.ralph-active',
  '.ralph/config.json',
  '.ralph/status.json',
  '.ralph/.gitignore',
  '.ralph/session.log',
  '.ralph/state/state.json',
  '.ralph/runs/run.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
  'ralph.config.ts',
  'ralph.config.js',
  'ralph.config.mjs',
  'ralph.config.json',
  'prd.md',
  'prompt.md',
  'reviews.json',
  'ralph/prd.md',
  'ralph/prompt.md',
  'ralph/reviews.json',
];
