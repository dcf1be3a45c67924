import { type Git, SPEC_REF } from '../../adapters/git/index.ts';
import { listStreams, type Workspace } from '../../adapters/workspace/index.ts';
import { GitRefusal, UsageError } from '../../contracts/index.ts';
import type { BacklogDocument } from '../../rules/backlog/index.ts';
import { shortLine } from '../../rules/text/index.ts';
import { LOOSE, looseFiles } from '../fleet/outcome-file.ts';
import { streamBranch, streamName, workspaceOfStream } from '../tree.ts';

/** What is merged, and into what, in their current state. */
export interface Sides {
  readonly branch: string;
  readonly head: string;
  readonly into: string;
  readonly base: string;
}

/** Clean commits as a branch of their own at a remote; no branch here moves. */
export interface Proposal {
  readonly sides: Sides;
  /** Of the branch there. */
  readonly name: string;
  /** The branch that it is to be merged into there. */
  readonly target: string;
}

export const finishedName = (branch: string): string => `${branch}-finished`;

/** On top of the target as the remote has it, or of what an earlier proposal brought there. */
export async function proposalOf(
  git: Git,
  target: MergeTarget,
  asked: string | undefined,
  remote: string,
): Promise<Proposal> {
  const here = await findSides(git, target, asked);
  // Not the loop's own name: its branch here has other commits, and could no longer be pushed or pulled.
  const name = finishedName(here.branch);
  const tip = (branch: string) => git.resolve(`refs/remotes/${remote}/${branch}`);
  const [there, earlier] = await Promise.all([tip(here.into), tip(name)]);
  const on = (branch: string, base: string) => ({
    name,
    target: here.into,
    sides: { ...here, into: `${remote}/${branch}`, base },
  });
  if (earlier !== null && !(there !== null && (await git.descends(there, earlier)))) return on(name, earlier);
  return there === null ? { name, target: here.into, sides: here } : on(here.into, there);
}

/** @throws GitRefusal, UsageError when one of the branches is unknown, or both are the same */
export async function findSides(git: Git, target: MergeTarget, asked: string | undefined): Promise<Sides> {
  const { branch, stream } = target;
  // The origin of a stream is recorded, or unknown: another branch would be a guess.
  const origin = async () => (await git.startedFrom(branch)) ?? git.defaultBranch();
  const into = asked ?? target.from ?? (target.worktree ? null : await origin());
  if (into === null) {
    throw new UsageError({
      what: 'the branch to merge into is not known',
      where: `stream ${stream}`,
      fix: ['name it: --into BRANCH'],
    });
  }
  if (into === branch) {
    throw new UsageError({
      what: `${branch} cannot be merged into itself`,
      where: `stream ${stream}`,
      fix: ['name another branch: --into BRANCH', 'or give the stream a branch of its own: branchName in the backlog'],
    });
  }
  const head = (await commitOf(git, branch)) ?? (await fetched(git, branch));
  const base = await commitOf(git, into);
  if (head === null) throw noBranch(branch, '`ralph run` or `ralph stream start` creates it');
  if (base === null) throw noBranch(into, 'name another one: --into BRANCH');
  return { branch, head, into, base };
}

function commitOf(git: Git, branch: string): Promise<string | null> {
  return git.resolve(`refs/heads/${branch}`);
}

/** A branch that a fleet worked on may be known here only in its last fetched state. */
async function fetched(git: Git, branch: string): Promise<string | null> {
  for (const remote of await git.remotes()) {
    const commit = await git.resolve(`refs/remotes/${remote}/${branch}`);
    if (commit !== null) return commit;
  }
  return null;
}

function noBranch(branch: string, way: string): GitRefusal {
  return new GitRefusal({
    what: `there is no branch ${branch}`,
    fix: [way, '`git branch` lists the existing ones'],
  });
}

export interface MergeTarget {
  /** As people call it: `PRD-3`, or the name of the workspace. */
  readonly stream: string;
  readonly branch: string;
  /** The branch that it came from; null when it is unknown. */
  readonly from: string | null;
  readonly worktree: boolean;
  /** The location of its backlog, in any work tree. */
  readonly workspace: Workspace;
}

/**
 * The stream of that name (`PRD-3`), by its work tree; null when it has none. @throws UsageError when that has no spec
 * folder
 */
export async function streamTarget(git: Git, name: string): Promise<MergeTarget | null> {
  const trees = (await listStreams(git)).filter(({ file, missing }) => file !== null && !missing);
  const found = trees.find(({ file }) => file?.stream === name);
  if (!found?.file) return null;
  const { stream, branch, base, specDir } = found.file;
  return { stream, branch, from: base.branch, worktree: true, workspace: await workspaceOfStream(found.root, specDir) };
}

/** A workspace without its own work tree. @throws FileProblemsError for an unreadable backlog */
export async function workspaceTarget(workspace: Workspace): Promise<MergeTarget> {
  const branch = await streamBranch(workspace);
  return { stream: streamName(workspace), branch, from: null, worktree: false, workspace };
}

/** Message of a merge commit, in git's own words, with a trailer that names the stream. Pure. */
export function mergeMessage(stream: string, { branch, into, head }: Sides, commits: number) {
  const trailers: readonly (readonly [string, string])[] = [['Ralph-Merge', shortLine(stream)]];
  return {
    subject: `Merge branch '${shortLine(branch)}' into ${shortLine(into)}`,
    body: `${commits} ${commits === 1 ? 'commit' : 'commits'} up to ${head.slice(0, 12)}.`,
    trailers,
  };
}

/** What the target was before the last merge into it, for undoing it. */
export const backupRef = (into: string): string => `refs/ralph/before-finish/${into}`;

/** Where the stories of a stream are that git ignores, and what a person's copy gets of it. */
interface SpecSource {
  /** A ref or tree. */
  readonly tree: string;
  /** The state of a fleet that it is from; null: of this repository. */
  readonly fleet: { readonly commit: string; readonly taken: string } | null;
}

/**
 * Null where the commit has the stories. A fleet's state that was fetched and not brought home yet is newer than what
 * this repository knows.
 */
export async function specSource(
  git: Git,
  stream: string,
  { file }: Pick<BacklogDocument, 'file'>,
  head: string,
): Promise<SpecSource | null> {
  if ((await git.show(head, file)) !== null) return null;
  const state = `refs/ralph/fleet/${stream}/state`;
  const taken = takenRef(stream);
  const commit = await git.resolve(state);
  const loose = commit && commit !== (await git.resolve(taken)) ? await git.show(commit, LOOSE) : null;
  if (!commit || !loose) return { tree: SPEC_REF, fleet: null };
  const files = looseFiles(Buffer.from(loose).toString('utf8'));
  return { tree: await git.treeWith(commit, files), fleet: { commit, taken } };
}

/** The state of a fleet's stream that this repository brought home last. */
export const takenRef = (stream: string): string => `refs/ralph/fleet/${stream}/taken`;

/**
 * Lets the person's copy of an ignored spec folder say what was done in the stream, unless they changed it since.
 * @returns what people should know of it: one sentence each
 */
export async function bringHome(
  git: Git,
  { stream, workspace }: MergeTarget,
  document: BacklogDocument,
  head: string,
): Promise<readonly string[]> {
  const source = await specSource(git, stream, document, head);
  if (source === null) return [];
  const { tree, fleet } = source;
  const paths = [document.file, document.reviewsFile, workspace.progressPath];
  const changed = await git.updateSpec(tree, paths);
  if (changed.length > 0) {
    const from = fleet?.commit.slice(0, 12) ?? SPEC_REF;
    const look = fleet ? `git show ${from}:${LOOSE}` : `git show ${from}:${changed[0]}`;
    return [`${changed.join(' ')}: you changed it, so it is kept; the state of the stories is in: ${look}`];
  }
  if (fleet === null) return [];
  await git.saveSpec(paths);
  await git.keepRef(fleet.taken, fleet.commit);
  return [];
}
