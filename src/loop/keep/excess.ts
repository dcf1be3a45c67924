import { dirname } from 'node:path';
import type { Checkpoint } from '../../adapters/git/port.ts';
import type { IterationHeader } from '../../contracts/state/journal.ts';
import { findExcess } from '../../platform/files/excess.ts';
import { chmod, makeDir, move, stat } from '../../platform/files/files.ts';
import { shellWord } from '../../rules/shell-word.ts';
import type { RunContext } from '../context.ts';

/** Of git in every repository: the tree without a file, by the length of its names. */
const EMPTY_TREE: Readonly<Record<number, string>> = {
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

/**
 * Before git looks at a tree that an agent left: what is too large or too deep for any checkpoint is moved aside by its
 * name, which takes no time, and rights that a file would hand on are taken off it. Safe to do again.
 * @returns what was moved, in words for the verdict and the next agent
 */
export async function setExcessAside(
  { git, emit }: Pick<RunContext, 'git'> & Partial<Pick<RunContext, 'emit'>>,
  { run, iteration, startedAt }: Pick<IterationHeader, 'run' | 'iteration' | 'startedAt'>,
  checkpoint: Checkpoint,
): Promise<readonly string[]> {
  const { root, stateDir } = git.repo;
  // A second earlier: clocks of file systems are coarse.
  const { excess, privileged } = await findExcess(root, startedAt - 1_000);
  for (const path of privileged) {
    const found = await stat(`${root}/${path}`);
    if (found?.kind === 'file') await chmod(`${root}/${path}`, found.mode & 0o1777);
    const text = `${path} would have run with the rights of its owner or group: that was taken off it.`;
    emit?.(iteration, { type: 'notice', level: 'warning', text });
  }
  if (excess.length === 0) return [];
  const tracked = await git.changes(EMPTY_TREE[checkpoint.tree.length] ?? '', checkpoint.tree);
  const said: string[] = [];
  const moved: string[] = [];
  for (const { path, why, bytes } of excess) {
    const top =
      why === 'deep'
        ? topOf(
            path,
            tracked.map((file) => file.path),
          )
        : path;
    if (moved.includes(top)) continue;
    moved.push(top);
    const to = await aside(
      root,
      top,
      [`${stateDir}/set-aside`, `${root}/.ralph/state/set-aside`],
      `${run}/${iteration}`,
    );
    const what = why === 'huge' ? `${top} (${(bytes / 1024 ** 3).toFixed(1)} GB)` : top;
    const reason = { huge: 'is too large', deep: 'is nested too deep', device: 'is a device' }[why];
    said.push(`${what} ${reason} for a checkpoint`);
    emit?.(iteration, {
      type: 'notice',
      level: 'warning',
      remember: true,
      text: `${what} ${reason} to be saved or rolled back: it was moved to ${to}.`,
      mend: `when you do not want it: rm -rf ${shellWord(to)}`,
    });
  }
  return said;
}

/** The first folder on the way that holds nothing git knew at the checkpoint: that much is the agent's. */
function topOf(path: string, tracked: readonly string[]): string {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const top = parts.slice(0, depth).join('/');
    if (!tracked.some((file) => file.startsWith(`${top}/`))) return top;
  }
  return path;
}

/** By rename, in the first of these folders that is on the same file system. @returns where it is now */
async function aside(root: string, path: string, folders: readonly string[], name: string): Promise<string> {
  for (const [at, folder] of folders.entries()) {
    for (let k = 1; ; k += 1) {
      const to = `${folder}/${name}/beyond-${k}/${path.split('/').at(-1)}`;
      if ((await stat(dirname(to))) !== null) continue;
      await makeDir(dirname(to));
      const isThere = await move(`${root}/${path}`, to).then(
        () => true,
        (error: unknown) => {
          if (at === folders.length - 1) throw error;
          return false;
        },
      );
      if (isThere) return to;
      break;
    }
  }
  throw new Error('there is no folder to move things to');
}
