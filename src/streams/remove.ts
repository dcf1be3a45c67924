import { dirname } from 'node:path';
import { type Git, openOwnTree } from '../adapters/git/index.ts';
import { acquireRunLock, newRunId, readRunRecord, type StreamTree } from '../adapters/workspace/index.ts';
import { RalphError, UsageError } from '../contracts/index.ts';
import { thisProcess } from '../platform/index.ts';
import { shellWord } from '../rules/text/index.ts';
import { unmergedCommits } from './facts.ts';
import { forget, moveAside } from './repair.ts';
import { supervised, supervisorOf } from './supervisor-lock.ts';

interface Removed {
  readonly branch: string | null;
  /** Name of the rescue that has the state of the work tree; null where nothing could be lost. */
  readonly rescue: string | null;
  /** Where its folder is now, because git could not save its content; null when it is deleted. */
  readonly kept: string | null;
}

interface RemoveInput {
  /** Of any other work tree. */
  readonly git: Git;
  readonly tree: StreamTree;
  /** Also with work that exists nowhere else: it is kept in a rescue first, or the folder is moved aside. */
  readonly force: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Removes the work tree of a stream; its branch stays.
 * @throws LockedError while a run works there, or continues soon; UsageError for work that exists nowhere else
 */
export async function removeStreamTree({ git, tree, force, env }: RemoveInput): Promise<Removed> {
  const { root, stateDir, branch, name, file } = tree;
  const gitDir = dirname(stateDir);
  const supervisor = await supervisorOf(stateDir);
  if (supervisor !== null) throw supervised(file?.stream ?? name, supervisor);
  if (tree.missing) {
    await forget(git, { root, gitDir });
    return { branch, rescue: null, kept: null };
  }
  const lock = await acquireRunLock(stateDir, thisProcess(`ralph stream remove ${name}`));
  try {
    const kept = await keepWhatCounts({ git, tree, force, env });
    if (kept.folder === null) await git.removeWorktree(root);
    else await forget(git, { root, gitDir });
    return { branch, rescue: kept.rescue, kept: kept.folder };
  } finally {
    await lock.release();
  }
}

/** In a rescue; where git cannot work there any more, in the folder itself under another name. */
async function keepWhatCounts({ git, tree, force, env }: RemoveInput) {
  try {
    const own = await openOwnTree({ root: tree.root, gitDir: dirname(tree.stateDir) }, { env });
    const reasons = await unsavedWork(git, own, tree);
    if (reasons.length > 0 && !force) throw refusal(tree, reasons);
    return { rescue: reasons.length > 0 ? await keep(own, tree) : null, folder: null };
  } catch (error) {
    if (!force || !(error instanceof RalphError)) throw error;
    return { rescue: null, folder: await moveAside(tree.root) };
  }
}

async function unsavedWork(git: Git, own: Git, tree: StreamTree): Promise<readonly string[]> {
  const record = await readRunRecord(tree.stateDir);
  const { tracked, untracked } = await own.dirty([]);
  const unmerged = await unmergedCommits(git, tree);
  return [
    ...(record !== null && record.ended === null ? [`run ${record.run} has not ended`] : []),
    ...(tracked.length + untracked > 0 ? [`${tracked.length + untracked} files are not committed`] : []),
    ...(unmerged > 0 ? [`${unmerged} commits of ${tree.branch ?? 'its HEAD'} are not merged`] : []),
  ];
}

function refusal({ root, file, name }: StreamTree, reasons: readonly string[]): UsageError {
  const stream = file?.stream ?? name;
  return new UsageError({
    what: `${stream} has work that exists only there`,
    where: root,
    why: reasons.join('; '),
    fix: [
      `ralph stream merge ${shellWord(stream)}   merges it into the branch it came from`,
      `ralph stream stop ${shellWord(stream)}    ends an active run`,
      `ralph stream remove ${shellWord(stream)} --force   keeps the state of the worktree in a rescue; the branch stays`,
    ],
  });
}

async function keep(own: Git, { stateDir, head, file, name }: StreamTree): Promise<string> {
  const record = await readRunRecord(stateDir);
  const date = Date.now();
  const rescue = await own.rescue({
    run: record?.run ?? newRunId(date),
    iteration: 0,
    tree: await own.tree(),
    parents: [head],
    subject: `rescue(${file?.stream ?? name}): the worktree at its removal`,
    date,
  });
  return rescue.name;
}
