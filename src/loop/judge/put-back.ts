import type { AfterState } from '../../adapters/git/port.ts';
import { writeFiles } from '../../adapters/workspace/backlog/document.ts';
import type { Violation } from '../../contracts/model.ts';
import type { AgentOutcome } from '../../contracts/state/agent-outcome.ts';
import { remove, stat } from '../../platform/files/files.ts';
import { readInside } from '../../platform/files/files-inside.ts';
import { initialProgress } from '../../rules/progress/initial.ts';
import { mergeAgentEntries } from '../../rules/progress/merge.ts';
import type { RunContext } from '../context.ts';
import { keepTree } from '../keep/keep.ts';
import { isAboveLoopFiles, isProtected } from '../keep/loop-files.ts';
import { restoreNames } from '../keep/protected-names.ts';
import { MOST_PROGRESS_BYTES, type Snapshot } from '../keep/snapshot.ts';
import type { Ended } from './ended.ts';

/** Older entries of the log stand as they were; what the agent added is kept, whatever becomes of its code. */
export async function mergeProgress({ git, workspace }: RunContext, snapshot: Snapshot) {
  const before = snapshot.progress ?? initialProgress(workspace.name);
  const found = await readInside(git.repo.root, workspace.progressPath, MOST_PROGRESS_BYTES);
  const { text, rewritten } =
    found.bytes === null
      ? { text: before, rewritten: found.why !== null }
      : mergeAgentEntries({ before, after: found.bytes.toString('utf8') });
  const violations: Violation[] = rewritten
    ? [
        {
          rule: 'progress/rewritten',
          field: workspace.progressPath,
          message: 'Older entries of the progress log were changed; they were put back. Only append.',
        },
      ]
    : [];
  return { text, violations };
}

/** Every replaced version goes to a rescue first; the bytes come from the checkpoint's tree. */
export async function restoreProtected(context: RunContext, { header, checkpoint, after }: Ended) {
  const { git, workspace } = context;
  const { root } = git.repo;
  const planted = await plantedFolders(context, after);
  const touched = after.changed.filter(({ path }) => isProtected(workspace, path));
  if (touched.length + planted.length === 0) {
    const violations = await restoreHidden(context, { header, checkpoint });
    return { rescue: null, tree: after.tree, violations };
  }
  const rescue = await keepTree(context, header, checkpoint, after, 'protected files as the agent left them');
  for (const path of planted) await remove(`${root}/${path}`);
  const originals: Record<string, Uint8Array | null> = {};
  for (const { path } of touched) originals[path] = await git.show(checkpoint.tree, path);
  await writeFiles(root, originals);
  const hidden = await restoreHidden(context, { header, checkpoint });
  const violations: Violation[] = [
    ...hidden,
    ...planted.map((path) => ({
      rule: 'protected-file',
      field: path,
      message: `${path} is the folder of the loop's own files and was replaced; it was put back. Leave it where it is.`,
    })),
    ...touched.map(({ path, status }) => ({
      rule: 'protected-file',
      field: path,
      message: `${path} is read-only for agents and was ${status}; it was put back. Leave it alone; note what should change in the progress log.`,
    })),
  ];
  return { rescue, tree: await git.tree(), violations };
}

/** What stands at protected names and git does not see: ignored, or no file at all. */
async function restoreHidden(
  context: RunContext,
  { header, checkpoint }: Pick<Ended, 'header' | 'checkpoint'>,
): Promise<readonly Violation[]> {
  if (header.names === undefined) return [];
  const changed = await restoreNames(context, header.names, header, checkpoint);
  return changed.map(({ path, how, kept, isBack }) => ({
    rule: 'protected-file',
    field: path,
    message: `${path} is read-only for agents and was ${how}, where git does not see it; ${isBack ? 'it was put back' : 'it is too large to be put back: look at it'}${kept === null ? '' : ` (what stood there: ${kept})`}. Leave it alone; note what should change in the progress log.`,
  }));
}

/** Links and files in the place of a folder in which the loop's own files belong. */
async function plantedFolders({ git, workspace }: RunContext, after: AfterState): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { path } of after.changed) {
    if (!isAboveLoopFiles(workspace, path)) continue;
    const now = await stat(`${git.repo.root}/${path}`);
    if (now && now.kind !== 'dir') found.push(path);
  }
  return found;
}

/** What git would run on the host, and what the loop counts by; both were put back before settle looked. */
export function gitDirViolations({ git }: RunContext, { gitDirChanges = [] }: AgentOutcome): Violation[] {
  const { root, commonDir, stateDir } = git.repo;
  return gitDirChanges.map((path) => {
    const field = path === `${root}/.git` ? '.git' : path.replace(`${commonDir}/`, '.git/');
    const [rule, why] =
      path === stateDir || path.startsWith(`${stateDir}/`)
        ? ['protected-state', "is the loop's own record of what happened"]
        : ['protected-git-dir', 'decides what git runs'];
    return { rule, field, message: `${field} ${why} and was changed; it was put back. Leave the git dir alone.` };
  });
}
