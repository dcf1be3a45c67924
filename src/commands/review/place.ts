import { basename } from 'node:path';
import { type Git, openGit } from '../../adapters/git/index.ts';
import {
  ensureStateIgnored,
  newRunId,
  readLedger,
  runAtWork,
  type Workspace,
  workspaceAt,
} from '../../adapters/workspace/index.ts';
import { list, processId, readText, removeEmptyDir, writeAtomic } from '../../platform/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import type { Target } from './target.ts';

/** The one story of a review. */
export const STORY = 'REVIEW';

/** What every change is judged by; the review's own instructions name what to look for besides. */
const CRITERIA = [
  'The change does what it is for, in every case that can occur',
  'It breaks nothing that worked before',
  'What it adds or changes has tests, where the project has tests for such things',
];

/** A work tree of its own for one review, outside of the project. */
export interface ReviewPlace {
  readonly git: Git;
  readonly workspace: Workspace;
  close(): Promise<void>;
}

/**
 * Checks out the change, detached, with a spec folder that git ignores: the loop commits nothing of it. The user's work
 * tree and branches stay as they are. What a review that was killed left behind is removed.
 */
export async function openPlace(git: Git, target: Target, io: Io): Promise<ReviewPlace> {
  const { treesFolder } = await import('../../adapters/workspace/rooms.ts');
  const top = await treesFolder(io.env, 'reviews', git.repo.commonDir);
  await sweep(git, top, io);
  const folder = `${top}/${Date.now().toString(36)}-${processId()}`;
  const path = `${folder}/${basename(git.repo.root)}`;
  await git.addWorktree({ path, branch: null, from: target.head });
  const close = async () => {
    await git.removeWorktree(path);
    await removeEmptyDir(folder);
  };
  try {
    const own = await openGit(path, { env: io.env });
    const { root } = own.repo;
    // No name that the change under review could hold, as a link to elsewhere.
    const spec = `.ralph/review-${newRunId(Date.now())}`;
    if (await ensureStateIgnored(root)) await hideIgnoreFile(root);
    await writeAtomic(`${root}/${spec}/tasks.json`, backlogOf(target, basename(root)));
    await writeAtomic(`${root}/${spec}/prd.md`, `# ${target.label}\n\n${target.about}\n`);
    return { git: own, workspace: await workspaceAt(root, spec), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The project does not have this file: no commit of a fix may bring it. */
async function hideIgnoreFile(root: string): Promise<void> {
  const path = `${root}/.ralph/.gitignore`;
  await writeAtomic(path, `${(await readText(path)) ?? ''}/.gitignore\n`);
}

function backlogOf({ label, about, base }: Target, project: string): string {
  const words = about.trim() === '' ? '' : `\n\nIts author says (this proves nothing):\n\n${about}`;
  const story = {
    id: STORY,
    title: label,
    description: `Review the change from ${base.slice(0, 12)} to HEAD.${words}`,
    acceptanceCriteria: CRITERIA,
    priority: 1,
    passes: false,
    reviewStatus: 'needs_review',
    reviewCount: 0,
    reviewFeedback: '',
    notes: '',
    dependsOn: [],
  };
  const backlog = { project, branchName: 'review', description: label, verifyCommands: [], userStories: [story] };
  return `${JSON.stringify(backlog, null, 2)}\n`;
}

const DAY_MS = 24 * 60 * 60_000;

/** Removes the work trees of reviews that were killed; their fixes stay on a branch. */
async function sweep(git: Git, top: string, io: Io): Promise<void> {
  const old = (await list(top)).filter((name) => Date.now() - Number.parseInt(name, 36) > DAY_MS);
  if (old.length === 0) return;
  for (const { root, gitDir, head } of await git.worktrees()) {
    const isOld = old.some((name) => root.startsWith(`${top}/${name}/`));
    if (!isOld || (await runAtWork(`${gitDir}/ralph`)) !== null) continue;
    const fix = (await readLedger(`${gitDir}/ralph`)).findLast((line) => line.kind === 'iteration' && line.commit);
    if (fix?.kind === 'iteration') await keepFixes(git, fix.run, head, io);
    await git.removeWorktree(root);
  }
  for (const name of old) await removeEmptyDir(`${top}/${name}`);
}

/** Commits of a review that cannot come to the user's branch. */
export async function keepFixes(git: Git, run: string, head: string, io: Io): Promise<void> {
  const branch = `ralph/review-${run}`;
  await git.createBranch(branch, head);
  io.stderr.write(`warning: the fixes of a review are on the branch ${branch}\n`);
}
