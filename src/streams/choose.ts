import type { Git } from '../adapters/git/index.ts';
import { findWorkspace, numberOf, readDocument, type StreamTree, type Workspace } from '../adapters/workspace/index.ts';
import { RalphError, UsageError } from '../contracts/index.ts';
import { list } from '../platform/index.ts';
import { isDone } from '../rules/backlog/index.ts';
import { nearest, shellWord } from '../rules/text/index.ts';
import { streamTrees } from './facts.ts';
import { streamName, workspaceOfStream } from './tree.ts';

export interface Candidate {
  /** Of its repository. */
  readonly git: Git;
  /** Its name among the others. */
  readonly stream: string;
  /** In its own work tree where it has one, else in the work tree of the caller. */
  readonly workspace: Workspace;
  /** null: not started yet. */
  readonly tree: StreamTree | null;
  readonly branch: string;
  /** No work is left there; an unreadable backlog does not count as finished. */
  readonly finished: boolean;
  /** Why it cannot be worked on beside the other chosen ones; null when it can. */
  readonly refusal: UsageError | null;
  /** Of a backlog that several repositories share: its name in this one, and the files of its spec folder. */
  readonly shared?: { readonly stream: string; readonly spec: Readonly<Record<string, string>> };
}

/** Every spec folder of the repository, and every stream that already has a work tree. */
export async function listCandidates(git: Git): Promise<readonly Candidate[]> {
  const trees = (await streamTrees(git)).filter(({ file, missing }) => file !== null && !missing);
  const known = await Promise.all(trees.map((tree) => ofTree(git, tree)));
  const here = await Promise.all((await specFolders(git.repo.root)).map((workspace) => ofFolder(git, workspace)));
  const names = new Set(known.flatMap((one) => (one === null ? [] : [one.stream])));
  return [...known, ...here.filter(({ stream }) => !names.has(stream))]
    .filter((one) => one !== null)
    .sort((one, other) => one.stream.localeCompare(other.stream, 'en', { numeric: true }));
}

/**
 * The candidates that a person names by number or name; all that have work left where none is named.
 * @throws UsageError for an unknown name
 */
export async function chooseStreams(git: Git, names: readonly string[]): Promise<readonly Candidate[]> {
  const all = await listCandidates(git);
  const chosen = names.length === 0 ? all.filter(({ finished }) => !finished) : named(all, names);
  if (chosen.length === 0) throw nothingToDo(all);
  return chosen.map((one) => ({ ...one, refusal: sameBranch(one, chosen) }));
}

/** The named candidates, each once. @throws UsageError */
export function named<T extends { readonly stream: string }>(
  all: readonly T[],
  names: readonly string[],
): readonly T[] {
  const found = names.map((name) => {
    const wanted = /^\d+$/.test(name) ? `PRD-${Number(name)}` : name;
    const stream = all.find((one) => one.stream.toLowerCase() === wanted.toLowerCase());
    if (stream !== undefined) return stream;
    const known = all.map((one) => one.stream);
    const near = nearest(wanted, known);
    throw new UsageError({
      what: `there is no stream '${name}'`,
      fix: [
        ...(near ? [`did you mean ${near}?`] : []),
        known.length > 0 ? `there are: ${known.join(', ')}` : '`ralph init --prd 1` creates a backlog for one',
      ],
    });
  });
  return [...new Set(found)];
}

async function ofTree(git: Git, tree: StreamTree): Promise<Candidate | null> {
  const { file, root } = tree;
  if (file === null) return null;
  const workspace = await workspaceOfStream(root, file.specDir).catch((error: unknown) => {
    // An agent, or a person, removed it: starting the stream reports that.
    if (error instanceof RalphError) return null;
    throw error;
  });
  return workspace === null
    ? null
    : { ...(await ofFolder(git, workspace)), stream: file.stream, branch: file.branch, tree };
}

async function ofFolder(git: Git, workspace: Workspace): Promise<Candidate> {
  const { document } = await readDocument(workspace).catch(() => ({ document: null }));
  const stories = document?.backlog.stories ?? null;
  return {
    git,
    stream: streamName(workspace),
    workspace,
    tree: null,
    branch: document?.backlog.branchName ?? `ralph/${workspace.name}`,
    finished: stories?.every(isDone) ?? false,
    refusal: null,
  };
}

/** `.ralph/PRD-N` and `ralph/` of a work tree, as far as they hold a backlog. */
async function specFolders(root: string): Promise<readonly Workspace[]> {
  const numbers = (await list(`${root}/.ralph`)).flatMap((name) => numberOf(`.ralph/${name}`) ?? []);
  const numbered = numbers.map((prd) => findWorkspace({ root, cwd: root, flags: { prd }, env: {} }));
  const named = (await list(root)).includes('ralph')
    ? [findWorkspace({ root, cwd: root, flags: { ralphDir: 'ralph' }, env: {} })]
    : [];
  const found = await Promise.allSettled([...numbered, ...named]);
  return found.flatMap((one) => (one.status === 'fulfilled' && one.value.backlog !== null ? [one.value] : []));
}

function sameBranch(one: Candidate, chosen: readonly Candidate[]): UsageError | null {
  const other = chosen.find(({ stream, branch }) => stream !== one.stream && branch === one.branch);
  if (other === undefined) return null;
  return new UsageError({
    what: `${one.stream} and ${other.stream} work on the same branch`,
    where: one.branch,
    why: 'a branch can be checked out in only one worktree',
    fix: [
      'give one of the backlogs another `branchName`',
      `start one of them: ralph stream start ${shellWord(one.stream)}`,
    ],
  });
}

function nothingToDo(all: readonly Candidate[]): UsageError {
  return all.length === 0
    ? new UsageError({
        what: 'there is no backlog for a stream',
        why: 'a stream works on a backlog in .ralph/PRD-N/ or ralph/',
        fix: ['`ralph init --prd 1` creates one'],
      })
    : new UsageError({
        what: 'every backlog is finished',
        where: all.map(({ stream }) => stream).join(', '),
        fix: ['`ralph stream merge` brings streams into the branch they came from', '`ralph plan` adds stories'],
      });
}
