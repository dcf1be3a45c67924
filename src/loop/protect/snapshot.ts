import type { Checkpoint } from '../../adapters/git/index.ts';
import { type Workspace, writeBacklogSnapshot } from '../../adapters/workspace/index.ts';
import type { ProtectedNames } from '../../contracts/index.ts';
import { readInside, stat } from '../../platform/index.ts';
import { type BacklogDocument, loadBacklog } from '../../rules/backlog/index.ts';
import { bookkeepingMessage, type Snapshot } from '../../rules/judge/index.ts';
import { streamPlace } from '../../rules/view/index.ts';
import type { RunContext } from '../context.ts';
import { hookRunner } from '../inside/inside.ts';
import { isUnder, loopFiles, specPaths } from './loop-files.ts';

/** A larger file is not a progress log: compaction keeps logs thousands of times smaller. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Takes the snapshot of the work tree; `document` was just read for the selection. */
export async function takeSnapshot(context: RunContext, document: BacklogDocument): Promise<Snapshot> {
  // For hooks that run as commands, where the agent cannot reach the control server. Files in .ralph/ decide nothing,
  // so deleting them cannot stop a run.
  await writeBacklogSnapshot(context.git.repo.root, document).catch(() => undefined);
  const { text } = await readProgress(context.workspace);
  return { document, progress: text };
}

/** The progress log; `why` completes "the file …" where there is one that cannot be read. */
export async function readProgress(
  workspace: Workspace,
): Promise<{ readonly text: string | null; readonly why: string | null }> {
  const found = await readInside(workspace.root, workspace.progressPath, MOST_BYTES);
  return found.bytes === null ? { text: null, why: found.why } : { text: found.bytes.toString('utf8'), why: null };
}

/**
 * The snapshot from the checkpoint's tree, for an iteration interrupted by a crash.
 * @param spec the part of it that git ignores, from the journal
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

/**
 * Backlog, progress log and review records that git ignores, because a person keeps the spec folder out of the
 * repository. The loop writes them as usual and never commits them. No tree holds them either, so the journal stores
 * them: recovery judges by them and restores them.
 * @param ignored files, and folders with a slash at the end, as git lists them at the checkpoint
 * @returns undefined where git has them all
 */
export async function takeIgnoredSpec(
  workspace: Workspace,
  ignored: readonly string[],
): Promise<ProtectedNames | undefined> {
  const all = loopFiles(workspace);
  const hidden = all.filter((path) => isIgnored(path, ignored));
  if (hidden.length === 0) return undefined;
  const found: Record<string, ProtectedNames[string]> = {};
  for (const path of all) {
    const there = await stat(`${workspace.root}/${path}`);
    // A file that does not exist yet is treated like the others.
    if (there !== null && !hidden.includes(path)) continue;
    const { bytes } = await readInside(workspace.root, path, MOST_BYTES);
    found[path] =
      there === null || bytes === null
        ? null
        : { kind: 'file', mode: there.mode, base64: Buffer.from(bytes).toString('base64') };
  }
  return found;
}

/** Whether git ignores a path, according to its own list. Pure. */
export function isIgnored(path: string, ignored: readonly string[]): boolean {
  return ignored.some((entry) => entry === path || (entry.endsWith('/') && path.startsWith(entry)));
}

/** Of the files that the loop writes, those that belong in its commit. */
export function committedOf<Text>(
  files: Readonly<Record<string, Text>>,
  spec: ProtectedNames | undefined,
): Readonly<Record<string, Text>> {
  if (spec === undefined) return files;
  return Object.fromEntries(Object.entries(files).filter(([path]) => !Object.hasOwn(spec, path)));
}

/** The bytes of such a file at the checkpoint; null where there was none, undefined where git has it. */
export function ignoredBytes(spec: ProtectedNames | undefined, path: string): Uint8Array | null | undefined {
  if (spec === undefined || !Object.hasOwn(spec, path)) return undefined;
  const entry = spec[path] ?? null;
  return entry?.kind === 'file' ? Buffer.from(entry.base64, 'base64') : null;
}

/**
 * A spec folder that an ignore rule names is in no commit, even where git tracked it before the rule was there: git
 * forgets it then. The files stay.
 * @returns whether a rule names it
 */
export async function stopTrackingSpec(context: RunContext, checkpoint: Checkpoint): Promise<boolean> {
  const { git, config, workspace, clock, run } = context;
  const { backlog } = workspace;
  if (backlog === null || (await git.namedByRules([backlog.path])).length === 0) return false;
  const spec = specPaths(workspace);
  const known = new Set([...(await git.paths(checkpoint.head)), ...(await git.paths(checkpoint.tree))]);
  const paths = await git.namedByRules([...known].filter((path) => isUnder(spec, path)));
  if (paths.length === 0) return true;
  const message = bookkeepingMessage(config, run, `stop tracking ${workspace.specDir}, which git ignores`);
  const made = await git.prepareCommit({
    checkpoint,
    paths: [],
    files: Object.fromEntries(paths.map((path) => [path, null])),
    ...message,
    date: clock.now(),
    hooks: false,
    runHook: hookRunner(context),
    guestHooks: false,
    sign: config.commit.sign,
  });
  if (made.kind === 'prepared') await git.applyCommit({ checkpoint, commit: made.commit, agentHead: checkpoint.head });
  await git.leaveUntracked(paths);
  return true;
}

/**
 * Keeps the state of an ignored spec folder in the git dir. A lane's goes into that of the run when it lands; that of a
 * review ends with it.
 */
export async function saveIgnoredSpec({
  git,
  workspace,
  request,
}: Pick<RunContext, 'git' | 'workspace' | 'request'>): Promise<void> {
  if (request.change || streamPlace(git.repo.root)?.lane) return;
  const { prdPath, promptPath } = workspace;
  await git.saveSpec([...new Set([...loopFiles(workspace), prdPath, promptPath])]);
}
