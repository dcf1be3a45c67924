import { readDocument } from '../../adapters/workspace/backlog/document.ts';
import { writeBacklogSnapshot } from '../../adapters/workspace/hooks/backlog-snapshot.ts';
import type { ProtectedNames } from '../../contracts/state/journal.ts';
import { readInside } from '../../platform/files/files-inside.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { loadBacklog } from '../../rules/backlog/load.ts';
import type { RunContext } from '../context.ts';
import { ignoredBytes } from './ignored-spec.ts';

/** The loop's own files as they were before the agent started: what every claim is judged against. */
export interface Snapshot {
  /** null when it is gone (recovery after someone pruned objects): transitions are then skipped. */
  readonly document: BacklogDocument | null;
  readonly progress: string | null;
}

/** Beyond that a log is no log: compaction keeps it thousands of times smaller. */
export const MOST_PROGRESS_BYTES = 16 * 1024 * 1024;

/** Takes the snapshot of the work tree; `document` was just read for the selection. */
export async function takeSnapshot(context: RunContext, document: BacklogDocument): Promise<Snapshot> {
  // For hooks that run as commands, where the agent cannot reach the control server. What lies in .ralph/ decides
  // nothing, so that nobody who deletes it can stop a run.
  await writeBacklogSnapshot(context.git.repo.root, document).catch(() => undefined);
  const { bytes } = await readInside(context.git.repo.root, context.workspace.progressPath, MOST_PROGRESS_BYTES);
  return { document, progress: bytes?.toString('utf8') ?? null };
}

/**
 * The snapshot as the checkpoint's tree holds it, for an iteration that a crash cut in two.
 * @param spec what git ignores of it, as the journal holds it
 */
export async function snapshotFromTree(
  context: RunContext,
  tree: string,
  spec: ProtectedNames | undefined,
): Promise<Snapshot> {
  const { git, workspace } = context;
  const read = async (path: string) => {
    const hidden = ignoredBytes(spec, path);
    return hidden === undefined ? git.show(tree, path) : hidden;
  };
  const progress = await read(workspace.progressPath);
  const text = progress && new TextDecoder().decode(progress);
  const { backlog } = workspace;
  const bytes = backlog && (await read(backlog.path));
  if (!backlog || !bytes) return { document: null, progress: text };
  const reviewsBytes = await read(workspace.reviewsPath);
  const input = { format: backlog.format, file: backlog.path, bytes, reviewsFile: workspace.reviewsPath, reviewsBytes };
  return { document: loadBacklog(input).document, progress: text };
}

/** The backlog as it is in the work tree now, whoever wrote it. */
export const readBacklog = (context: RunContext) => readDocument(context.workspace);
