import type { Git } from '../../adapters/git/port.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { listStreams } from '../../adapters/workspace/worktrees/places.ts';
import { streamBranch, streamName, workspaceOfStream } from '../tree.ts';

/** Whose work is merged. */
export interface MergeTarget {
  /** As people call it: `PRD-3`, or the name of the workspace. */
  readonly stream: string;
  readonly branch: string;
  /** The branch that it came from; null when nothing tells. */
  readonly from: string | null;
  /** It has a work tree of its own. */
  readonly worktree: boolean;
  /** Where its backlog is, in whichever work tree has it. */
  readonly workspace: Workspace;
}

/** The stream of that name (`PRD-3`), by its work tree; null when it has none. @throws UsageError when that has no spec folder */
export async function streamTarget(git: Git, name: string): Promise<MergeTarget | null> {
  const trees = (await listStreams(git)).filter(({ file, missing }) => file !== null && !missing);
  const found = trees.find(({ file }) => file?.stream === name);
  if (!found?.file) return null;
  const { stream, branch, base, specDir } = found.file;
  return { stream, branch, from: base.branch, worktree: true, workspace: await workspaceOfStream(found.root, specDir) };
}

/** A workspace that has no work tree of its own. @throws FileProblemsError for a backlog that cannot be read */
export async function workspaceTarget(workspace: Workspace): Promise<MergeTarget> {
  const branch = await streamBranch(workspace);
  return { stream: streamName(workspace), branch, from: null, worktree: false, workspace };
}
