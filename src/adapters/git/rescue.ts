import { GitRefusal, UsageError } from '../../contracts/index.ts';
import { exists, readBytes, withoutSecrets } from '../../platform/index.ts';
import { readTree } from './checkpoint.ts';
import { looseRef } from './head.ts';
import { joinNul, pathList } from './lists.ts';
import { diffTrees, WHOLE_LINKS } from './objects.ts';
import type { ChangedPath, Git, Rescue } from './port.ts';
import { sh } from './prelude.ts';
import { show, withoutAttributes } from './read.ts';
import { emptyTree, line, type Room, runGit, runScript, withDate, zeroId } from './room.ts';

const PREFIX = 'refs/ralph/rescue/';
const FORMAT = '%(objectname)%00%(refname)%00%(committerdate:unix)%00%(contents:subject)%00';

export async function keepTree(room: Room, input: Parameters<Git['rescue']>[0]): Promise<Rescue> {
  const base = `${PREFIX}${input.run}/${input.iteration}`;
  const subject = withoutSecrets(input.subject);
  const message = input.body ? withoutSecrets(`${subject}\n\n${input.body}\n`) : `${subject}\n`;
  const parents = [...new Set(input.parents)].filter((parent) => parent !== '').flatMap((parent) => ['-p', parent]);
  const args = [base, input.tree, zeroId(room), ...parents];
  const output = await runScript(withDate(room, input.date), 'keep a rescue', KEEP_TREE, args, Buffer.from(message));
  const [ref = '', commit = ''] = line(output).split('\n');
  room.memory.rescued = { tree: input.tree, ref, commit };
  return { ref, name: ref.slice(PREFIX.length), commit, date: input.date, subject };
}

export async function layOver(room: Room, folder: string, treeish: string): Promise<string> {
  return line(await runScript(room, 'keep what was set aside', LAY_OVER, [folder, treeish]));
}

/** Whether a rescue holds the tree. The last one of this process is looked up where it was put. */
export async function isRescued(room: Room, tree: string): Promise<boolean> {
  const { rescued } = room.memory;
  if (rescued?.tree === tree && (await looseRef(room.repo, rescued.ref)) === rescued.commit) return true;
  const trees = await runGit(room, 'list rescues', ['for-each-ref', '--format=%(tree)', PREFIX]);
  return trees.toString('utf8').split('\n').includes(tree);
}

/** Newest first. */
export async function listRescues(room: Room): Promise<readonly Rescue[]> {
  const output = await runGit(room, 'list rescues', [
    'for-each-ref',
    // The last key has priority; names decide between rescues of the same second.
    '--sort=-version:refname',
    '--sort=-committerdate',
    `--format=${FORMAT}`,
    PREFIX,
  ]);
  return output
    .toString('utf8')
    .split('\0\n')
    .filter((record) => record !== '')
    .map((record) => {
      const [commit = '', ref = '', seconds = '', subject = ''] = record.split('\0');
      return { ref, name: ref.slice(PREFIX.length), commit, date: Number(seconds) * 1000, subject };
    });
}

async function findRescue(room: Room, name: string): Promise<Rescue> {
  const rescues = await listRescues(room);
  const found = rescues.find((rescue) => rescue.name === name);
  if (found) return found;
  throw new UsageError({
    what: `there is no rescue ${name}`,
    where: PREFIX,
    fix: [
      rescues.length > 0
        ? `one of: ${rescues
            .slice(0, 10)
            .map((rescue) => rescue.name)
            .join(', ')}`
        : 'there are no rescues yet',
    ],
  });
}

/** First parent, or the empty tree. */
async function baseOf(room: Room, commit: string): Promise<string> {
  const [, parent] = line(await runGit(room, 'read a rescue', ['rev-list', '--parents', '-n', '1', commit])).split(' ');
  return parent ?? emptyTree(room);
}

export async function showRescue(room: Room, name: string): Promise<string> {
  const { commit } = await findRescue(room, name);
  const args = ['diff-tree', '-r', '-p', '--stat', '--no-ext-diff', '--no-textconv', WHOLE_LINKS];
  const base = await baseOf(room, commit);
  return (await runGit(withoutAttributes(room), 'show a rescue', [...args, base, commit])).toString('utf8');
}

export async function restoreRescue(
  room: Room,
  name: string,
  { paths: chosen, except, force }: Parameters<Git['restoreRescue']>[1],
): Promise<readonly string[]> {
  const { commit } = await findRescue(room, name);
  const isIn = (path: string, choice: string) => path === choice || path.startsWith(`${choice}/`);
  const isWanted = (path: string) =>
    chosen.length === 0 ? !except.includes(path) : chosen.some((choice) => isIn(path, choice));
  const kept = (await diffTrees(room, await baseOf(room, commit), commit))
    .filter(({ path, status }) => status !== 'deleted' && isWanted(path))
    .map(({ path }) => path);
  const missing = chosen.filter((choice) => !kept.some((path) => isIn(path, choice)));
  if (missing.length > 0)
    throw new UsageError({
      what: `the rescue ${name} contains no change to ${missing.join(', ')}`,
      fix: [`ralph rescue show ${name}`],
    });

  const mine = new Set(kept);
  const pending = (await diffTrees(room, await readTree(room), commit)).filter(
    ({ path, status }) => status !== 'deleted' && mine.has(path),
  );
  if (!force) await refuseOverwriting(room, { name, commit }, pending);
  const paths = pending.map(({ path }) => path);
  if (paths.length > 0) await runScript(room, 'write the files of a rescue', WRITE_FILES, [commit], joinNul(paths));
  return paths;
}

/** Whether another file is at a path that snapshots skip, such as an ignored file. */
async function isOther(room: Room, commit: string, path: string): Promise<boolean> {
  const place = `${room.repo.root}/${path}`;
  if (!(await exists(place))) return false;
  const [now, kept] = [await readBytes(place), await show(room, commit, path)];
  return now === null || kept === null || Buffer.compare(now, kept) !== 0;
}

/** A file identical to HEAD's can be restored; any other version would be lost. */
async function refuseOverwriting(
  room: Room,
  { name, commit }: Pick<Rescue, 'name' | 'commit'>,
  pending: readonly ChangedPath[],
): Promise<void> {
  const hidden: string[] = [];
  for (const { path, status } of pending)
    if (status === 'added' && (await isOther(room, commit, path))) hidden.push(path);
  const existing = pending.filter(({ status }) => status !== 'added').map(({ path }) => path);
  if (existing.length + hidden.length === 0) return;
  const list = async (args: readonly string[]) => pathList(await runGit(room, 'look for changes', args));
  // diff, not diff-index: it compares contents where only the recorded times differ, as after every rollback.
  const changed = ['diff', '--name-only', '--no-renames', '--ignore-submodules=all', '--no-ext-diff', '--no-textconv'];
  const precious = new Set([
    ...(await list([...changed, '-z', 'HEAD'])),
    ...(await list(['ls-files', '-o', '-z', '--exclude-standard'])),
  ]);
  const lost = [...existing.filter((path) => precious.has(path)), ...hidden];
  if (lost.length === 0) return;
  throw new GitRefusal({
    what: `the rescue ${name} would overwrite ${lost.slice(0, 5).join(', ')}${lost.length > 5 ? ` and ${lost.length - 5} more` : ''}`,
    where: room.repo.root,
    why: 'these files differ from HEAD and from the rescue: their current contents exist nowhere else',
    fix: ['commit or stash them first', `ralph rescue restore ${name} --force`],
  });
}

export async function pruneRescues(room: Room, olderThanMs: number, dryRun: boolean): Promise<readonly string[]> {
  const limit = room.clock.now() - olderThanMs;
  const old = (await listRescues(room)).filter(({ date }) => date < limit);
  const commands = old.map(({ ref, commit }) => `delete ${ref} ${commit}\n`).join('');
  if (!dryRun && old.length > 0) await runGit(room, 'delete rescues', ['update-ref', '--stdin'], Buffer.from(commands));
  return old.map(({ name }) => name);
}

/** $1: ref up to "<run>/<iteration>", $2: tree, $3: zeros, the rest: -p and parents; standard input: message. Prints ref and commit. */
const KEEP_TREE = sh`
base=$1 tree=$2 zero=$3
shift 3
commit=$(git commit-tree "$@" "$tree")
# The old value of zeros says "must not exist": a second rescue of an iteration never replaces the first.
k=1
until git update-ref -m 'ralph: rescue' "$base-$k" "$commit" "$zero" 2>"$W/said"; do
  git rev-parse -q --verify "$base-$k" >/dev/null || { cat "$W/said" >&2; exit 1; }
  k=$((k + 1))
done
printf '%s\n%s\n' "$base-$k" "$commit"
`;

/** $1: commit; standard input: paths. Writes these files unchanged, without the user's filters. */
const WRITE_FILES = sh`
cat >"$W/names"
shadow_in "$W/old.index" read-tree "$1"
shadow_in "$W/old.index" checkout-index -f -q -z --stdin <"$W/names"
`;

/** $1: folder, $2: tree or commit. Prints that tree with the files of the folder laid over it, ignored or not. */
const LAY_OVER = sh`
index=$(mktemp "$W/over.XXXXXX")
trap 'rm -f "$index"' EXIT
shadow_in "$index" read-tree "$2"
(
  cd "$1"
  export GIT_WORK_TREE="$1"
  shadow_in "$index" add -f --ignore-removal .
) >&2
shadow_in "$index" write-tree
`;
