import { posix } from 'node:path';
import { type Git, openGit } from '../../adapters/git/index.ts';
import {
  acquireRunLock,
  findWorkspace,
  isCutOff,
  loadOrThrow,
  readDocument,
  readStateFile,
  runAtWork,
  type StateFileKind,
  type StreamTree,
  type Workspace,
  workspaceAt,
  writeFiles,
} from '../../adapters/workspace/index.ts';
import {
  type Env,
  exactly,
  FileProblemsError,
  listOf,
  type Of,
  object,
  type Problem,
  type Story,
  type StoryFields,
  text,
  UsageError,
} from '../../contracts/index.ts';
import { isUnder } from '../../loop/index.ts';
import { leaveOutWorkTree, oneAtATime, readText, realPath, stat, thisProcess } from '../../platform/index.ts';
import { type BacklogDocument, editBacklog, isDone } from '../../rules/backlog/index.ts';
import { startable } from '../../rules/streams/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import type { Candidate } from '../choose.ts';
import { streamTrees } from '../facts.ts';
import { refuseOddBranch } from '../names.ts';
import { type PreparedStream, streamName, workspaceOfStream } from '../tree.ts';

/** A folder of clones with one backlog, whose stories say by `repo` which clone they are for. */
export interface Folder {
  /** Absolute, symbolic links resolved. */
  readonly root: string;
  /** The name of its stream in each repository. */
  readonly stream: string;
  readonly branch: string;
  readonly workspace: Workspace;
  /** As it was when the command began. */
  readonly stories: readonly Story[];
  /** By the names that stories use; sorted, so that all commands lock them in the same order. */
  readonly repositories: ReadonlyMap<string, Git>;
}

/** A folder's name, in it: neither hidden nor a path. */
export const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

/**
 * The folder at this path; null where no story of its backlog names a repository.
 * @throws FileProblemsError for stories without a repository; UsageError for one that has no clone
 */
export async function findFolder(dir: string, flags: { readonly prd?: string }, env: Env): Promise<Folder | null> {
  const root = await realPath(dir).catch(() => dir);
  const workspace = await findWorkspace({ root, cwd: root, flags, env: {} }).catch(() => null);
  if (workspace === null || workspace.backlog === null) return null;
  const document = (await readDocument(workspace).catch(() => null))?.document;
  if (!document?.backlog.stories.some(({ repo }) => repo !== undefined)) return null;
  const { backlog, file } = document;
  const problems = backlog.stories.flatMap((story) => problemOf(story, file));
  if (problems.length > 0) throw new FileProblemsError({ what: `${file} cannot be used` }, problems);
  const names = [...new Set(backlog.stories.map(({ repo = '' }) => repo))].sort();
  for (const name of names) leaveOutWorkTree(process.env, posix.join(root, name));
  const repositories = new Map<string, Git>();
  for (const name of names) repositories.set(name, await openClone(root, name, env));
  const branch = backlog.branchName ?? `ralph/${workspace.name}`;
  refuseOddBranch(branch, file);
  return { root, stream: streamName(workspace), branch, workspace, stories: backlog.stories, repositories };
}

function problemOf({ id, repo, line }: Story, file: string): readonly Problem[] {
  if (repo !== undefined && NAME.test(repo)) return [];
  const message =
    repo === undefined ? `${id}: "repo" is missing, and other stories have one` : `${id}: "repo" is '${repo}'`;
  const fix = 'Name the folder of its clone, beside the spec folder, e.g. "repo": "web".';
  return [{ severity: 'error', rule: 'schema/repo', file, line, message, fix, story: id }];
}

export async function openClone(root: string, name: string, env: Env): Promise<Git> {
  const path = posix.join(root, name);
  const refusal = new UsageError({
    what: `'${name}' is not a clone`,
    where: path,
    why: 'a story names it as its repository',
    fix: [`clone it: git clone URL ${shellWord(name)}`, 'or correct "repo" in the backlog'],
  });
  const real = await realPath(path).catch(() => null);
  if (real === null || (await stat(real))?.kind !== 'dir') throw refusal;
  const git = await openGit(path, { env });
  // Else it is a plain folder of the repository above.
  if (git.repo.root !== real) throw refusal;
  return git;
}

/** The work trees of its streams, by the names of their repositories. */
export async function treesOf({ repositories, stream }: Folder) {
  const all = [...repositories].map(async ([name, git]) => {
    const tree = (await streamTrees(git)).find((one) => !one.missing && one.file?.stream === stream);
    return tree === undefined ? [] : [{ git, stream: name, tree }];
  });
  return (await Promise.all(all)).flat();
}

export const VERSION = 1;

/** Branches that are to move together: where each was, and where it goes. Written before the first one moves. */
const LANDING = object({
  version: exactly(VERSION),
  stream: text,
  moves: listOf(object({ repository: text, branch: text, from: text, to: text })),
});
export type LandingFile = Of<typeof LANDING>;
export type Move = LandingFile['moves'][number];

const KIND: StateFileKind = {
  name: 'record of a merge',
  version: VERSION,
  shape: LANDING,
  fix: 'see with `git log` which of the branches have moved; `git reset --keep refs/ralph/before-finish/BRANCH` undoes one',
};

export const pathIn = (folder: string): string => posix.join(folder, '.ralph/landing.json');

/** What a merge that was killed had begun; null: nothing. */
export async function readLanding(folder: string): Promise<LandingFile | null> {
  return (await readStateFile(pathIn(folder), KIND)) as LandingFile | null;
}

/** A repository's share of the work, as it is now. */
interface Part {
  readonly repository: string;
  readonly git: Git;
  /** null: not begun. */
  readonly tree: StreamTree | null;
  /** Its copy of the stories; null: not begun. */
  readonly document: BacklogDocument | null;
  /** No agent is at work on it, and none was killed there: the copy says what the loop wrote. */
  readonly settled: boolean;
}

/** @throws FileProblemsError for an unreadable copy */
export async function partsOf(folder: Folder): Promise<readonly Part[]> {
  const trees = new Map((await treesOf(folder)).map(({ stream, tree }) => [stream, tree]));
  return Promise.all(
    [...folder.repositories].map(async ([repository, git]): Promise<Part> => {
      const tree = trees.get(repository) ?? null;
      if (tree?.file == null) return { repository, git, tree: null, document: null, settled: true };
      const isSettled = async () => (await runAtWork(tree.stateDir)) === null && !(await isCutOff(tree.stateDir));
      const before = await isSettled();
      const workspace = await workspaceOfStream(tree.root, tree.file.specDir);
      const document = before ? (await loadOrThrow(workspace)).document : null;
      // An agent may have begun while it was read.
      return { repository, git, tree, document, settled: before && (await isSettled()) };
    }),
  );
}

interface Standing {
  /** The stories of the folder, as their repositories have them. */
  readonly stories: readonly Story[];
  /** Those that their repositories may have now, and do not have yet. */
  readonly startable: readonly Story[];
}

/** Of a repository at work counts what was known before. */
export function standingOf({ stories }: Pick<Folder, 'stories'>, parts: readonly Part[]): Standing {
  const settled = parts.filter((part) => part.settled);
  const copies = new Map(
    settled.flatMap(({ repository, document }) =>
      (document?.backlog.stories ?? []).map((story) => [`${repository}/${story.id}`, story] as const),
    ),
  );
  const copyOf = ({ repo, id }: Story) => copies.get(`${repo}/${id}`);
  const found = startable(stories, {
    isDone: (story) => isDone(copyOf(story) ?? story),
    isThere: (story) => copyOf(story) !== undefined,
  });
  return {
    stories: stories.map((story) => ({ ...story, ...stateOf(copyOf(story) ?? story) }) as Story),
    startable: found.filter(({ repo }) => settled.some(({ repository }) => repository === repo)),
  };
}

/** The fields that reviews decide. */
function stateOf({ passes, reviewStatus, reviewCount, reviewFeedback, notes, blocked }: Story) {
  return { passes, reviewStatus, reviewCount, reviewFeedback, notes, blocked };
}

/** Its streams, one in each repository. */
export async function streamsOf(folder: Folder): Promise<readonly Candidate[]> {
  const { stream, branch, workspace, root, stories } = folder;
  const parts = await partsOf(folder);
  const standing = standingOf(folder, parts);
  const spec = await specOf(folder);
  return Promise.all(
    parts.map(async ({ repository, git, tree, document }): Promise<Candidate> => {
      if (tree === null) await refuseOwnSpec(git, repository, workspace.specDir);
      const branchThere = tree?.file?.branch ?? branch;
      const refusal =
        branchThere === branch
          ? null
          : new UsageError({
              what: `the stream ${stream} in ${repository} works on another branch`,
              where: branchThere,
              why: `the backlog of ${root} names ${branch}`,
              fix: [`remove it: cd ${shellWord(repository)} && ralph stream remove ${shellWord(stream)}`],
            });
      const isAllDone = document?.backlog.stories.every(isDone) ?? true;
      return {
        git,
        stream: repository,
        workspace: await workspaceAt(git.repo.root, workspace.specDir),
        tree,
        branch,
        finished: isAllDone && !standing.startable.some(({ repo }) => repo === repository),
        refusal: refusal ?? sameId(repository, stories, document),
        shared: { stream, spec },
      };
    }),
  );
}

/** Files of the spec folder in each repository; stories are added when they may start. */
async function specOf({ root, workspace, branch }: Folder): Promise<Readonly<Record<string, string>>> {
  const { document } = await loadOrThrow(workspace);
  const { project, description, verifyCommands } = document.backlog;
  const tasks = {
    project: project ?? workspace.name,
    branchName: branch,
    description,
    verifyCommands,
    userStories: [],
  };
  const files: [string, string][] = [[`${workspace.specDir}/tasks.json`, `${JSON.stringify(tasks, null, 2)}\n`]];
  for (const path of [workspace.prdPath, workspace.promptPath]) {
    const text = await readText(posix.join(root, path));
    if (text !== null) files.push([path, text]);
  }
  return Object.fromEntries(files);
}

async function refuseOwnSpec(git: Git, repository: string, specDir: string): Promise<void> {
  if (!(await git.paths('HEAD')).some((path) => isUnder([specDir], path))) return;
  throw new UsageError({
    what: `${repository} has its own spec folder in the same place`,
    where: posix.join(git.repo.root, specDir),
    fix: ['move the backlog of the folder to .ralph/PRD-N/', `or archive that of ${repository}`],
  });
}

/** An agent, or a person, gave that id to a story of the repository's own. */
function sameId(repository: string, stories: readonly Story[], document: BacklogDocument | null): UsageError | null {
  const own = new Map(document?.backlog.stories.map((story) => [story.id, story]));
  const clash = stories.find(({ repo, id, title }) => repo === repository && (own.get(id)?.title ?? title) !== title);
  if (clash === undefined) return null;
  return new UsageError({
    what: `${clash.id} is another story in ${repository}: ${own.get(clash.id)?.title}`,
    fix: ['give the story of the folder another id, or the same title'],
  });
}

/** What the streams of a folder need of each other while they take turns. */
export interface Exchange {
  /** Brings the stories that may start to a stream; before its turn. */
  release(repository: string, prepared: Pick<PreparedStream, 'root' | 'stateDir' | 'specDir'>): Promise<void>;
  /** Writes the states of all stories into the folder's backlog. @returns repositories with stories that may start */
  look(): Promise<ReadonlySet<string>>;
}

export function exchangeOf(folder: Folder): Exchange {
  const ordered = oneAtATime();
  let { stories } = folder;
  return {
    async release(repository, { root, stateDir, specDir }) {
      const lock = await acquireRunLock(stateDir, thisProcess('ralph stream start'));
      try {
        const workspace = await workspaceOfStream(root, specDir);
        const { document } = await loadOrThrow(workspace);
        const found = standingOf({ stories }, await partsOf(folder)).startable.filter(
          ({ repo }) => repo === repository,
        );
        if (found.length === 0) return;
        const ids = new Set([...document.backlog.stories, ...found].map(({ id }) => id));
        const edits = found.map(({ safeId: _, line: __, repo: ___, ...story }) => {
          const dependsOn = story.dependsOn.filter((id) => ids.has(id));
          return { kind: 'add', story: { ...story, dependsOn } } as const;
        });
        const { file, text } = editBacklog(document, edits);
        await writeFiles(root, { [file]: text });
      } finally {
        await lock.release();
      }
    },
    look: () =>
      ordered(async () => {
        const standing = standingOf({ stories }, await partsOf(folder));
        stories = standing.stories;
        await writeStates(folder, stories);
        return new Set(standing.startable.map(({ repo = '' }) => repo));
      }),
  };
}

/** The rest of the backlog is the person's, and may have changed. */
async function writeStates({ workspace }: Folder, stories: readonly Story[]): Promise<void> {
  const { document } = await readDocument(workspace);
  if (document === null) return;
  const now = new Map(document.backlog.stories.map((story) => [story.id, story]));
  const edits = stories.flatMap((story) => {
    const there = now.get(story.id);
    if (there === undefined || there.repo !== story.repo) return [];
    const wanted: StoryFields = { ...stateOf(story), blocked: story.blocked ?? null };
    const before: Readonly<Record<string, unknown>> = { ...there, blocked: there.blocked ?? null };
    const fields = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => before[name] !== value));
    return Object.keys(fields).length === 0 ? [] : [{ kind: 'set', id: story.id, fields } as const];
  });
  if (edits.length === 0) return;
  const { file, text, reviewsFile, reviewsText } = editBacklog(document, edits);
  await writeFiles(workspace.root, { [file]: text, ...(reviewsText === null ? {} : { [reviewsFile]: reviewsText }) });
}
