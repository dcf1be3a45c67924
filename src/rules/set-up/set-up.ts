import { type Family, type Found, folderAt, isNamed, joined } from './folder.ts';
import { LANGUAGES, PYTHON } from './languages.ts';
import { NODE } from './node.ts';

/** One install command of a project, found by its files. */
export interface SetUpStep {
  /** 'npm', 'pnpm', 'yarn', 'bun', 'uv', 'pip', 'poetry', 'bundler', 'composer', 'cargo', 'go', 'mix', 'maven', 'gradle', 'dotnet' */
  readonly tool: string;
  /** Below the project's root; '' is the root itself. */
  readonly folder: string;
  /** For a POSIX shell in that folder. Asks nothing, changes no lock file, and contains no text from project files. */
  readonly command: string;
  /** Files whose contents decide whether it must run again, relative to the root; some may not exist. */
  readonly decides: readonly string[];
  /** Variables for the set-up and the checks; `{deps}` stands for a writable folder in the room. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables for the set-up alone; `{cache}` stands for a download folder that no check may write to. */
  readonly setUpEnv: Readonly<Record<string, string>>;
  /** Folders to put first in the PATH of checks, relative to the root. */
  readonly path: readonly string[];
}

/** More folders than this are a collection of projects. */
const MOST_FOLDERS = 8;

/** Folders whose projects do not belong to this one: test fixtures, examples, copies of others. */
const NO_PART = new Set([
  ...['node_modules', 'vendor', 'third_party', 'third-party', 'target', '.venv', 'venv', '.git'],
  ...['test', 'tests', '__tests__', 'fixtures', '__fixtures__', 'testdata', 'test-data', 'spec'],
  ...['examples', 'example', 'samples', 'templates', 'template', 'docs', 'doc', 'benchmarks', 'bench'],
]);

const FAMILIES: readonly Family[] = [NODE, PYTHON, ...LANGUAGES];

/** Names of the files to read, in any folder of a tree; `*` stands for any characters except `/`. */
const SET_UP_FILES: readonly string[] = [
  ...new Set(FAMILIES.flatMap(({ own, upward, members }) => [...own, ...upward, ...members])),
].sort();

/** Whether a file of a tree (`packages/app/package.json`) is one of {@link SET_UP_FILES}. */
export function isSetUpFile(path: string): boolean {
  const parts = path.split('/');
  return [1, 2, 3, 4].some((count) => {
    const end = parts.slice(-count).join('/');
    return SET_UP_FILES.some((name) => isNamed(name, end));
  });
}

/**
 * What must be installed before a project's checks can run. In a folder below another one that installs for itself, a
 * tool installs only what its own lock file names, unless the outer folder already does (workspaces).
 *
 * @param files text by path below the root, of the tree being judged; only those that {@link isSetUpFile} selects
 */
export function setUpOf(files: Readonly<Record<string, string>>): readonly SetUpStep[] {
  const all = new Map(Object.entries(files).filter(([path]) => isSetUpFile(path) && joined('', path) === path));
  const found = FAMILIES.flatMap((family) => installsOf(family, all));
  const folders = [...new Set(found.map(({ folder }) => folder))].sort().slice(0, MOST_FOLDERS);
  return folders.flatMap((folder) => found.filter((step) => step.folder === folder));
}

/**
 * What a set-up depends on, as text: an unchanged text means that nothing has to be reinstalled.
 *
 * @param ids the id of a file's content; null when the file is missing
 */
export function setUpKey(steps: readonly SetUpStep[], ids: (path: string) => string | null): string {
  return JSON.stringify(
    steps.map(({ tool, folder, command, decides, env, setUpEnv }) => [
      [tool, folder, command],
      [env, setUpEnv].map((variables) => Object.entries(variables).sort(([a], [b]) => (a < b ? -1 : 1))),
      decides.map((path) => [path, ids(path)]),
    ]),
  );
}

interface Install {
  readonly folder: string;
  readonly found: Found;
}

function installsOf(family: Family, files: ReadonlyMap<string, string>): readonly SetUpStep[] {
  const installs: Install[] = [];
  for (const path of foldersOf(files, family)) {
    const above = installs.filter(({ folder }) => isBelow(path, folder));
    if (above.some(({ folder, found }) => found.installsFor?.(relative(path, folder)) === true)) continue;
    const found = family.find(folderAt(path, files));
    if (found !== null && (found.locked || above.length === 0)) installs.push({ folder: path, found });
    if (installs.length === MOST_FOLDERS) break;
  }
  return installs.map((install) => stepOf(family, install, installs, files));
}

/** Folders with a file that could make the family install there: outer ones before inner ones. */
function foldersOf(files: ReadonlyMap<string, string>, { own }: Family): readonly string[] {
  const direct = own.filter((name) => !name.includes('/'));
  const folders = new Set<string>(['']);
  for (const path of files.keys()) {
    const at = path.lastIndexOf('/');
    const folder = path.slice(0, Math.max(at, 0));
    if (folder.split('/').some((part) => NO_PART.has(part))) continue;
    const name = path.slice(at + 1);
    if (direct.some((one) => isNamed(one, name))) folders.add(folder);
    // `requirements/dev.txt`
    else if (own.some((one) => isNamed(one, path.split('/').slice(-2).join('/'))))
      folders.add(folder.slice(0, Math.max(folder.lastIndexOf('/'), 0)));
  }
  return [...folders].sort();
}

function stepOf(
  family: Family,
  { folder, found }: Install,
  installs: readonly Install[],
  files: ReadonlyMap<string, string>,
): SetUpStep {
  const inner = installs.map((one) => one.folder).filter((one) => one !== folder && isBelow(one, folder));
  const isPart = (path: string): boolean => {
    const parts = path.split('/').slice(0, -1);
    return found.installsFor?.(parts.join('/')) ?? !parts.some((part) => NO_PART.has(part));
  };
  const decides = new Set<string>();
  for (const path of files.keys()) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const isOwn = isBelow(path, folder) && family.own.some((one) => isNamed(one, relative(path, folder)));
    const isUpward = family.upward.some((one) => isIn(path, one, folder));
    const isMember =
      isBelow(path, folder) &&
      family.members.some((one) => isNamed(one, name)) &&
      !inner.some((one) => isBelow(path, one)) &&
      isPart(relative(path, folder));
    if (isOwn || isUpward || isMember) decides.add(path);
  }
  for (const name of found.extra ?? []) {
    const path = joined(folder, name);
    if (path !== null) decides.add(path);
  }
  const start = folder === '' ? '' : `${folder}/`;
  return {
    tool: found.tool,
    folder,
    command: found.command,
    decides: [...decides].sort(),
    env: found.env ?? {},
    setUpEnv: found.setUpEnv ?? {},
    // A colon would split a folder in two.
    path: (found.path ?? []).map((one) => start + one).filter((one) => !one.includes(':')),
  };
}

/** Whether the path is the file of that name in this folder, or in one above it. */
function isIn(path: string, name: string, folder: string): boolean {
  if (path !== name && !path.endsWith(`/${name}`)) return false;
  return isBelow(folder, path.slice(0, Math.max(path.length - name.length - 1, 0)));
}

/** True for the folder itself as well. */
function isBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

function relative(path: string, folder: string): string {
  return folder === '' ? path : path.slice(folder.length + 1);
}
