import type { GuardContext, SimpleCommand, Word } from './api.ts';
import { couldMatchName } from './glob.ts';
import { namesIn, oncePer } from './tables.ts';
import { UNKNOWN } from './words.ts';

/**
 * What a path is, seen from the work tree:
 * - `root-itself`: the work tree as a whole (`.`, or a glob like `*` in it); `inside`: something in it;
 * - `git-dir`: its `.git` or something in there; `protected`: a file that no command may write through the shell;
 * - `temp-itself`: a temporary folder as a whole; `temp`: something in it, and harmless devices (`/dev/null`);
 * - `home-itself`: the home folder as a whole; `home`: something in it outside the work tree;
 * - `system`: `/` and what belongs to the operating system; `outside`: any other place, even a parent of the work tree;
 * - `unknown`: it depends on something that the text does not show.
 */
export type Place = (typeof SEVERITY)[number];

/** Most sensitive first: a glob that could mean several places means the first of these. */
const SEVERITY = [
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
] as const;

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

/** Joins the parts of an absolute path and resolves `.`, `..` and doubled slashes. */
export function normalPath(path: string): string {
  // Most paths are normal: nothing follows a slash but a name.
  if (!/\/(?:[/.]|$)/.test(path)) return path;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Where a path lies. A glob counts as the most sensitive place that it could match. */
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

export function placeOfWord(word: Word, command: Pick<SimpleCommand, 'cwd'>, context: GuardContext): Place {
  return placeOf(pathOf(word, command, context), context);
}

/** Whether an agent may create and change files there. */
export function mayWrite(place: Place): boolean {
  return place === 'inside' || place === 'root-itself' || place === 'temp' || place === 'temp-itself';
}

/** Whether a word means a folder of the work tree that holds protected files (`.claude`, `.ralph`). */
export function holdsProtected(word: Word, command: Pick<SimpleCommand, 'cwd'>, context: GuardContext): boolean {
  const path = pathOf(word, command, context);
  if (path === null || placeOf(path, context) !== 'inside') return false;
  const folder = withoutMatchAll(path);
  const isGlob = /[*?[\uFFFD]/.test(folder);
  return landmarksOf(context).protectedFiles.some(
    (file) => file.startsWith(`${folder}/`) || (isGlob && couldMatchPrefix(folder, file)),
  );
}

const HARMLESS_DEVICES = /^\/dev\/(null|zero|full|tty|std(in|out|err)|u?random|fd(\/\d+)?|(shm|mqueue)\/.+)$/;

const SYSTEM_FOLDERS: readonly string[] =
  namesIn(`/bin /boot /dev /etc /lib /lib32 /lib64 /media /mnt /opt /proc /root /run /sbin /srv /sys /usr /var
  /Applications /Library /System /Volumes /private`);

/** Each of these folders belongs to the system, but its contents belong to users. */
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
  // `/$X`: with an empty variable this is the root of the file system.
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

/** `dir/*`, `dir/.*`, `dir/.[!.]*`, `dir/**` name everything in a folder: they count as the folder itself. */
function withoutMatchAll(path: string): string {
  const cut = path.replace(
    /(\/(\*+|\.\*|\.\?\?\*|\.\[[!^]\.\]\*|\{\*,\.\*\}|!\([^()/]*\)|\[!\.\]\*|\?\*|\.\.\?\*))+$/,
    '',
  );
  return cut === '' ? '/' : cut;
}

/** A path with globs, read as each sensitive place that it could match. */
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

/** What a context says about paths, computed once: every rule asks for the places of the same few paths. */
interface Landmarks {
  /** Places that globs are compared with, split at the slashes. */
  readonly anchors: readonly (readonly string[])[];
  /** The protected names that a glob may match, as absolute paths. */
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

/** Names that globs are compared with. The context says which are protected. */
const DELICATE_NAMES: readonly string[] =
  namesIn(`.git/config .git/HEAD .git/hooks/pre-commit .ralph-active .ralph/config.json .ralph/status.json
  .ralph/.gitignore .ralph/session.log .ralph/state/state.json .ralph/runs/run.json .claude/settings.json
  .claude/settings.local.json ralph.config.ts ralph.config.js ralph.config.mjs ralph.config.json prd.md prompt.md
  reviews.json ralph/prd.md ralph/prompt.md ralph/reviews.json`);

export function liesIn(word: Word, places: readonly Place[], command: SimpleCommand, context: GuardContext): boolean {
  return places.includes(placeOfWord(word, command, context));
}

/**
 * The part of a path after the home folder, without the leading slash (`.ssh/id_rsa`); null outside every home. The
 * homes of other users and root count: a command may give its own home in full.
 */
export function homeRelative(path: string, context: GuardContext): string | null {
  const { home } = context;
  if (path.startsWith(`${home}/`)) return path.slice(home.length + 1);
  return /^\/(?:(?:home|Users)\/[^/]+|root)\/(.+)$/.exec(path)?.[1] ?? null;
}

/** The folder for the streams' work trees, inside the main work tree. */
const STREAMS = '.ralph/worktrees';
const STREAM_ROOT = /^(.*)\/\.ralph\/worktrees\/([^/]+)$/;

/**
 * Whether a path is in another work tree of the repository: another stream's, or for an agent of a stream also the
 * project itself. A glob counts when it could match a path there. Both are absolute and normalised.
 * @param root the agent's own work tree
 */
export function isInOtherTree(path: string, root: string): boolean {
  const [, project] = STREAM_ROOT.exec(root) ?? [];
  if (project === undefined) return PLACES_OF_OTHERS.some((place) => couldBeIn(path, `${root}/${place}`));
  return path !== root && !path.startsWith(`${root}/`) && couldBeIn(path, project);
}

/** Whether a folder of the agent's own work tree contains other work trees. */
export function holdsOtherTrees(path: string, root: string): boolean {
  return path.startsWith(`${root}/`) && PLACES_OF_OTHERS.some((place) => couldBeIn(`${root}/${place}`, path));
}

/** Their files, and what git stores for each: HEAD, index, the state of its run. */
const PLACES_OF_OTHERS: readonly string[] = [STREAMS, '.git/worktrees'];

/**
 * Whether a branch has a stream's name other than that of the agent's own stream. In the project itself nothing shows
 * which stream is the agent's, so every such branch counts.
 */
export function isBranchOfOther(branch: string, root: string): boolean {
  const name = /^(?:refs\/heads\/)?ralph\/(prd-\d+)$/i.exec(branch)?.[1];
  if (name === undefined) return false;
  return name.toLowerCase() !== STREAM_ROOT.exec(root)?.[2]?.toLowerCase();
}

export function isStreamRoot(root: string): boolean {
  return STREAM_ROOT.test(root);
}

/** Either may hold globs; each is matched against the other. */
function couldBeIn(path: string, folder: string): boolean {
  if (!/[*?[\uFFFD]/.test(path + folder)) return path === folder || path.startsWith(`${folder}/`);
  const parts = path.split('/');
  const names = folder.split('/');
  return parts.length >= names.length && names.every((name, at) => fits(parts[at] ?? '', name));
}

function fits(part: string, name: string): boolean {
  return part === name || couldMatchName(part, name) || couldMatchName(name, part);
}
