import { namesFile } from '../isolation/registries.ts';
import { ECOSYSTEMS, type Here } from './table.ts';

/** One install command of a project, found by its files. */
export interface SetUpStep {
  /** `npm`, `uv`, `cargo` …; `checks.setup` for a command of the settings. */
  readonly tool: string;
  /** Below the root of the project, in which the command is run; '' is the root itself. */
  readonly folder: string;
  /** For the shell. Takes what the lock file says and asks nothing. No text of a file of the project is in it. */
  readonly command: string;
  /** Files whose contents decide whether it has to be run again, below the root. */
  readonly decides: readonly string[];
  /**
   * Variables of the set-up and of the checks; `{deps}` is a folder for packages that the tool does not keep in the
   * project.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the set-up alone; `{cache}` is a folder for downloads that several checkouts share. */
  readonly setUpEnv: Readonly<Record<string, string>>;
  /** Folders of programs for the checks, below the root: `.venv/bin`. */
  readonly path: readonly string[];
}

/** Folders with an install command of their own; of projects with more, the first by name are set up. */
const MOST_FOLDERS = 8;

/** Names of the files that {@link setUpOf} looks at; `*` stands for any characters. */
export const SET_UP_FILES: readonly string[] = [
  ...new Set(ECOSYSTEMS.flatMap(({ finds, decides }) => [...finds, ...decides])),
].sort();

/**
 * The install commands of a project, each ecosystem from the top down: what lies below a folder that is set up belongs to
 * it, unless it has a lock file of its own. Pure.
 * @param files text by path below the root; only those that `SET_UP_FILES` names count
 */
export function setUpOf(files: Readonly<Record<string, string>>): readonly SetUpStep[] {
  const paths = Object.keys(files).sort();
  const folders = [...new Set(paths.map(folderOf))].sort(
    (one, other) => depth(one) - depth(other) || compare(one, other),
  );
  return ECOSYSTEMS.flatMap((ecosystem) => {
    const steps: SetUpStep[] = [];
    for (const folder of folders) {
      const here: Here = {
        has: (name) => files[join(folder, name)] !== undefined,
        text: (name) => files[join(folder, name)] ?? '',
        names: paths.filter((path) => folderOf(path) === folder).map((path) => path.slice(join(folder, '').length)),
      };
      const isMember = steps.some((step) => step.folder === '' || `${folder}/`.startsWith(`${step.folder}/`));
      if (isMember && !ecosystem.locks.some(here.has)) continue;
      const found = steps.length < MOST_FOLDERS ? ecosystem.install(here) : null;
      if (found === null) continue;
      const { tool, command, env = {}, setUpEnv = {}, path = [] } = found;
      const decides = paths.filter(
        (one) => isBelow(folder, one) && namesFile([...ecosystem.finds, ...ecosystem.decides], one),
      );
      steps.push({ tool, folder, command, decides, env, setUpEnv, path: path.map((one) => join(folder, one)) });
    }
    return steps;
  });
}

/**
 * What decides whether these commands have to be run again, as text.
 * @param idOf tells the contents of a file apart; null for one that is not there
 */
export function setUpKey(steps: readonly SetUpStep[], idOf: (path: string) => string | null): string {
  return JSON.stringify(
    steps.map(({ folder, command, env, setUpEnv, decides }) => [
      ...[folder, command, env, setUpEnv],
      ...decides.map((path) => [path, idOf(path)]),
    ]),
  );
}

/** Names of a table may lie in a folder: `gradle/libs.versions.toml` belongs to the folder above. */
const INNER = [...new Set(ECOSYSTEMS.flatMap(({ finds, decides }) => [...finds, ...decides]))]
  .filter((name) => name.includes('/'))
  .map((name) => name.slice(0, name.lastIndexOf('/')));

function folderOf(path: string): string {
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  const inner = INNER.find((one) => folder === one || folder.endsWith(`/${one}`));
  return inner === undefined ? folder : folder.slice(0, Math.max(0, folder.length - inner.length - 1));
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function isBelow(folder: string, path: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

const depth = (folder: string) => (folder === '' ? 0 : folder.split('/').length);
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
