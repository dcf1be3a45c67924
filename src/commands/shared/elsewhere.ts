import type { Git } from '../../adapters/git/index.ts';
import { NoSpecFolder, slug, usualBacklogs, type Workspace, workspaceAt } from '../../adapters/workspace/index.ts';
import type { Story } from '../../contracts/index.ts';
import { isDone, loadBacklog } from '../../rules/backlog/index.ts';
import { shellWord } from '../../rules/text/index.ts';

/** Another branch has stories, this one has none. */
export class StoriesElsewhere extends NoSpecFolder {}

/** The backlog of another branch. */
interface Elsewhere {
  readonly branch: string;
  readonly specDir: string;
  readonly stories: readonly Story[];
  /** The other work tree in which the branch is checked out; null when there is none. */
  readonly root: string | null;
}

/** Backlogs on other local branches: those with open stories first, each time the newest first. */
export async function storiesElsewhere(git: Git): Promise<readonly Elsewhere[]> {
  const backlogs = new Map(usualBacklogs().map((one) => [one.path, one]));
  const [found, trees, current] = await Promise.all([
    git.branchesWith([...backlogs.keys()]),
    git.worktrees(),
    git.currentBranch(),
  ]);
  const read = found.map(async ({ branch, path }): Promise<Elsewhere | null> => {
    const { specDir, format } = backlogs.get(path) ?? { specDir: '', format: 'tasks-json' };
    const reviewsFile = `${specDir}/reviews.json`;
    const [bytes, reviewsBytes] = await Promise.all([git.show(branch, path), git.show(branch, reviewsFile)]);
    const { document } = loadBacklog({ format, file: path, bytes: bytes ?? Buffer.of(), reviewsFile, reviewsBytes });
    const stories = document?.backlog.stories ?? [];
    const root = trees.find((tree) => tree.branch === branch && !tree.missing)?.root ?? null;
    return stories.length === 0 || branch === current ? null : { branch, specDir, stories, root };
  });
  const all = (await Promise.all(read)).filter((one) => one !== null);
  return [...all.filter(isOpen), ...all.filter((one) => !isOpen(one))];
}

const isOpen = ({ stories }: Elsewhere): boolean => !stories.every(isDone);

/** Where to continue, when this branch has no spec folder; the error that was thrown, where no other branch has one. */
export async function pointElsewhere(git: Git, error: NoSpecFolder): Promise<NoSpecFolder> {
  const branch = await git.currentBranch();
  const all = await storiesElsewhere(git);
  const open = all.filter(isOpen);
  const [first, ...others] = open.length > 0 ? all : await notBroughtTo(branch, git, all);
  if (first === undefined) return error;
  const here = branch ?? 'this commit';
  return new StoriesElsewhere({
    what: `your stories are on ${inWords(first)}`,
    ...(others.length > 0 ? { where: `also on ${others.slice(0, 5).map(inWords).join(', ')}` } : {}),
    why: `there are none on ${here}`,
    fix: [
      ...(open.length > 0 ? open.slice(0, 3).flatMap((one) => waysTo(one, open.length === 1)) : [finishOf(first)]),
      `start something new from ${here}:  ralph "Fix the login"`,
    ],
  });
}

function inWords({ branch, stories }: Elsewhere): string {
  return `${branch} (${stories.filter(isDone).length} of ${stories.length} done)`;
}

/** Commands that continue there. */
export function waysTo({ branch, root }: Elsewhere, isOnly: boolean): readonly string[] {
  if (root !== null) return [`continue in its worktree:  ralph run --project-dir ${shellWord(root)}`];
  return [
    `continue there:  git switch ${shellWord(branch)} && ralph run`,
    ...(isOnly ? ['continue in a worktree, leaving this checkout unchanged:  ralph run --worktree'] : []),
  ];
}

/** Without those whose work is on this branch already. Only the newest are compared: each takes git some time. */
async function notBroughtTo(here: string | null, git: Git, all: readonly Elsewhere[]): Promise<readonly Elsewhere[]> {
  const { finishedInto } = await import('../../streams/index.ts');
  const newest = all.slice(0, 5);
  const targets = await Promise.all(newest.map(({ branch }) => finishedInto(git, branch)));
  return newest.filter((_, at) => targets[at] === null || targets[at] !== here);
}

function finishOf({ branch, root }: Elsewhere): string {
  const command =
    root === null ? `git switch ${shellWord(branch)} && ralph finish` : `ralph finish --project-dir ${shellWord(root)}`;
  return `bring the finished work to your branch:  ${command}`;
}

/** The only backlog with open stories on another branch, for a run in a worktree. @throws the error, where it is not one */
export async function onlyElsewhere(
  git: Git,
  error: NoSpecFolder,
): Promise<{ readonly branch: string; readonly workspace: Workspace }> {
  const [one, ...others] = (await storiesElsewhere(git)).filter(isOpen);
  if (one === undefined || others.length > 0) throw error;
  const { branch, specDir } = one;
  const name = slug(branch.replace(/^ralph\//, ''));
  return { branch, workspace: { ...(await workspaceAt(git.repo.root, specDir)), name } };
}
