import { basename, dirname } from 'node:path';
import type { Checkpoint } from '../../adapters/git/index.ts';
import { RUNS_FOLDER } from '../../adapters/workspace/index.ts';
import type { IterationHeader } from '../../contracts/index.ts';
import { findExcess, makeDir, move, stat, whileStopped } from '../../platform/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import type { RunContext } from '../context.ts';
import type { AgentTree } from '../ports.ts';

/** The name on disk of the agent's git dir, and of the index used for its checkpoint. */
export const AGENT_DIR = 'lane-0';

export function agentTree({
  git,
  emit,
  clock,
  isolation,
}: Pick<RunContext, 'git' | 'emit' | 'clock' | 'isolation'>): AgentTree {
  const adopt = ({ run, iteration, checkpoint }: IterationHeader, live: boolean) =>
    git.adoptGuest({ name: AGENT_DIR, run, iteration, checkpoint: checkpoint as Checkpoint, live });
  // Without isolation an agent could do itself what it would trick the loop into.
  const meanwhile: AgentTree['meanwhile'] = ({ run }, work) =>
    isolation.name === 'none' ? work() : whileStopped({ marker: run }, work);
  return {
    mounts: async () => (isolation.coversGitDir ? (await git.openGuest(AGENT_DIR)).mounts : []),
    meanwhile,
    soFar: (header) =>
      meanwhile(header, async () => {
        await setExcessAside({ git, emit }, header);
        const after = await git.after(header.checkpoint as Checkpoint);
        const guest = await adopt(header, true);
        return guest === null ? after : { ...after, head: guest.head, branch: guest.branch };
      }),
    async left(header) {
      const { run, iteration } = header;
      const excess = await setExcessAside({ git, emit }, header);
      const after = { ...(await git.after(header.checkpoint as Checkpoint)), excess };
      const guest = await adopt(header, false);
      if (guest === null) return after;
      for (const text of guest.problems) emit(iteration, { type: 'notice', level: 'warning', text });
      if (guest.kept.length > 0) {
        const folder = `refs/ralph/guest/${run}/${iteration}/`;
        const names = guest.kept.map((ref) => ref.replace(folder, '').replace(/^refs\/(heads|tags)\//, ''));
        const text = `In its copy of the git dir, the agent created or moved ${names.join(', ')}; yours are unchanged.`;
        emit(iteration, { type: 'notice', level: 'info', text, fix: `they are kept under ${folder}` });
      }
      return { ...after, head: guest.head, branch: guest.branch };
    },
    async keep({ run, iteration, story, mode, checkpoint }, { tree, head }, why) {
      const before = checkpoint as Checkpoint;
      if (tree === before.tree && head === before.head) return null;
      const subject = `rescue(${story}): ${why}`;
      const body = `Mode: ${mode}\nCheckpoint: ${before.tree}`;
      const rescue = await git.rescue({ run, iteration, tree, parents: [head], subject, body, date: clock.now() });
      return rescue.ref;
    },
    dropGuest: () => git.removeGuest(AGENT_DIR),
  };
}

/** Constant in every git repository: the empty tree, by the length of object names. */
const EMPTY_TREE: Readonly<Record<number, string>> = {
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

/**
 * Before git looks at a tree that an agent left: anything too large or too deep for a checkpoint is moved aside by
 * renaming, which takes no time, and set-id bits are removed from files. Safe to repeat.
 * @returns what was moved, in words for the verdict and the next agent
 */
export async function setExcessAside(
  { git, emit }: Pick<RunContext, 'git'> & Partial<Pick<RunContext, 'emit'>>,
  { run, iteration, startedAt, checkpoint }: Pick<IterationHeader, 'run' | 'iteration' | 'startedAt' | 'checkpoint'>,
): Promise<readonly string[]> {
  const { root, stateDir } = git.repo;
  // A second earlier: file system clocks are coarse. The records grow by a file in each iteration, and git ignores them.
  const { excess, privileged } = await findExcess(root, startedAt - 1_000, RUNS_FOLDER);
  for (const path of privileged) {
    const text = `${path} would have run with the rights of its owner or group: the setuid and setgid bits were removed.`;
    emit?.(iteration, { type: 'notice', level: 'warning', text });
  }
  if (excess.length === 0) return [];
  const { tree } = checkpoint as Checkpoint;
  const tracked = await git.changes(EMPTY_TREE[tree.length] ?? '', tree);
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
    const reason = {
      huge: 'is too large',
      deep: 'is nested too deep',
      device: 'is a device',
      name: 'is named too much like .git',
      trap: 'leads git to what is not a file',
    }[why];
    said.push(`${what} ${reason} for a checkpoint`);
    emit?.(iteration, {
      type: 'notice',
      level: 'warning',
      remember: true,
      text: `${what} ${reason} to be saved or rolled back: it was moved to ${to}.`,
      fix: `if you do not need it: rm -rf ${shellWord(to)}`,
    });
  }
  return said;
}

/** The topmost folder on the way with nothing that git knew at the checkpoint: all of it is the agent's. */
function topOf(path: string, tracked: readonly string[]): string {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const top = parts.slice(0, depth).join('/');
    if (!tracked.some((file) => file.startsWith(`${top}/`))) return top;
  }
  return path;
}

/** Renames into the first of these folders that is on the same file system. @returns its new path */
async function aside(root: string, path: string, folders: readonly string[], name: string): Promise<string> {
  for (const [at, folder] of folders.entries()) {
    for (let k = 1; ; k += 1) {
      const to = `${folder}/${name}/beyond-${k}/${Buffer.from(basename(path))}`;
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
  throw new Error('there is no folder to move files to');
}
