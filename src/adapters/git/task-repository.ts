import { GitError } from '../../contracts/index.ts';
import { makeDir, remove, runCommand, writeAtomic } from '../../platform/index.ts';
import { neutralEnv, withSettings } from './environment.ts';
import { sh } from './prelude.ts';

interface Seed {
  /** Absolute: the git dir that the tree is taken from. */
  readonly from: string;
  readonly tree: string;
  /** Absolute. */
  readonly folder: string;
  /** Beside the files of the tree, or instead of them; null: a file or folder that is left out. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly message: string;
}

/**
 * In the new folder. $1: git dir, $2: tree. Exactly the objects of that tree are copied: in a clone, or with borrowed
 * objects, later commits could be found.
 */
const COPY_TREE = sh`
git init -q -b main --template= --object-format="$(git --git-dir="$1" rev-parse --show-object-format)" .
printf '%s\n' "$2" | git --git-dir="$1" pack-objects -q --revs --stdout | git index-pack --stdin >/dev/null
git config user.name "Ralph Lab"
git config user.email ralph@localhost
git config commit.gpgsign false
git read-tree "$2"
git checkout-index -q -u -a
`;

/** $1: message; the rest: paths that differ from the tree. */
const COMMIT = sh`
message=$1
shift
for path; do
  git ls-files -z -- "$path" | git update-index -z --force-remove --stdin
  [ ! -e "$path" ] || git add -f -- "$path"
done
git update-ref HEAD "$(git commit-tree -m "$message" "$(git write-tree)")"
`;

/**
 * A repository with one commit, for work on an earlier state of another one: it has that tree and nothing that came
 * after it, and no way to where that is.
 */
export async function seedRepository({ from, tree, folder, files, message }: Seed): Promise<void> {
  await makeDir(folder);
  await runIn(folder, COPY_TREE, [from, tree]);
  for (const [path, text] of Object.entries(files)) {
    await remove(`${folder}/${path}`);
    if (text !== null) await writeAtomic(`${folder}/${path}`, text, { fsync: false });
  }
  await runIn(folder, COMMIT, [message, ...Object.keys(files)]);
}

/** $1: the tree before, $2: file for the patch; the rest: paths that stay as they were. */
const HARVEST = sh`
before=$1 patch=$2
shift 2
export GIT_INDEX_FILE=.git/ralph-harvest
git read-tree HEAD
git ls-files -z -- "$@" | git update-index -z --force-remove --stdin
git ls-tree -rz "$before" -- "$@" | git update-index -z --index-info
tree=$(git write-tree)
git diff-tree -r -p --binary --full-index --no-renames --no-ext-diff --no-textconv "$before" "$tree" >"$patch"
printf '%s\0' "$tree"
git diff-tree -r --no-renames --numstat -z "$before" "$tree"
`;

interface Harvest {
  readonly folder: string;
  readonly before: string;
  /** Absolute: where the patch is written. */
  readonly patch: string;
  /** Paths that are not part of the work. */
  readonly without: readonly string[];
}

/** What was committed in such a repository: the tree, and the lines of each file that changed. */
export async function harvest({ folder, before, patch, without }: Harvest): Promise<{
  readonly tree: string;
  readonly changed: readonly { readonly path: string; readonly added: number; readonly removed: number }[];
}> {
  const [tree = '', ...rows] = (await runIn(folder, HARVEST, [before, patch, ...without])).split('\0');
  const changed = rows.flatMap((row) => {
    const [added = '', removed = '', path] = row.split('\t');
    // A binary file has `-`.
    return path === undefined ? [] : [{ path, added: Number(added) || 0, removed: Number(removed) || 0 }];
  });
  return { tree, changed };
}

async function runIn(folder: string, script: string, args: readonly string[]): Promise<string> {
  const quiet = withSettings(neutralEnv(process.env), [
    ['core.fsmonitor', 'false'],
    ['core.hooksPath', '/dev/null'],
  ]);
  const env = { ...quiet, GIT_NO_REPLACE_OBJECTS: '1', GIT_LITERAL_PATHSPECS: '1', LC_ALL: 'C' };
  const { exitCode, stdout, stderr } = await runCommand('sh', ['-ec', script, 'ralph', ...args], { cwd: folder, env });
  if (exitCode === 0) return stdout.toString('utf8');
  const why = stderr.toString('utf8').trim();
  throw new GitError({ what: 'git could not set up a task of the lab, or read its result', where: folder, why });
}
