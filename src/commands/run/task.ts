import { basename } from 'node:path';
import type { Git } from '../../adapters/git/index.ts';
import {
  backlogText,
  detectChecks,
  loadOrThrow,
  NoSpecFolder,
  readRunRecord,
  type Workspace,
  withBranch,
  workspaceAt,
  writeFiles,
} from '../../adapters/workspace/index.ts';
import { UsageError } from '../../contracts/index.ts';
import { readBytes, removeEmptyDir } from '../../platform/index.ts';
import { type BacklogDocument, editBacklog, isDone, loadSource, nextId } from '../../rules/backlog/index.ts';
import { storyOfSentence } from '../../rules/import/index.ts';
import { counted, oneLine } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { storiesElsewhere, waysTo } from '../shared/elsewhere.ts';
import type { RawFlags } from '../shared/flags.ts';
import { refuseBesideRun } from '../shared/live-run.ts';
import { workspaceIn } from '../shared/open.ts';

/** What a run on one sentence begins with. Nothing of it is written yet. */
interface Task {
  readonly workspace: Workspace;
  /** With the story in it. */
  readonly document: BacklogDocument;
  readonly story: string;
  /** What will be made, for people. */
  readonly lines: readonly string[];
  write(): Promise<void>;
  /** As it was before, where no run has begun. */
  takeBack(): Promise<void>;
}

/**
 * One sentence as one story: in the backlog that is here, else in a new spec folder on a branch of its own.
 * @throws LockedError beside a run, UsageError where a crash has to be recovered from, or the task is on another branch
 */
export async function planTask(git: Git, text: string, flags: RawFlags, io: Io): Promise<Task> {
  await refuseOpenRun(git);
  const sentence = storyOfSentence(text);
  await refuseTwin(git, sentence.title);
  const { workspace, document: before } = await placeFor(git, sentence.slug, flags, io);
  const { stories } = before.backlog;
  const same = stories.find((story) => story.title === sentence.title && !isDone(story));
  const { slug: _, ...fields } = sentence;
  const priority = stories.reduce((last, story) => Math.max(last, story.priority), 0) + 1;
  const story = { ...fields, id: nextId(stories), priority };
  const document = same ? before : editBacklog(before, [{ kind: 'add', story }]);
  const id = same?.id ?? story.id;
  const isNew = stories.length === 0 && workspace.backlog?.path === before.file;
  const { root } = git.repo;
  const prd = (await readBytes(`${root}/${workspace.prdPath}`)) === null ? `# ${sentence.title}\n\n${text}\n` : null;
  const files = { ...(prd === null ? {} : { [workspace.prdPath]: prd }), [before.file]: document.text };
  const old = new Map<string, Uint8Array | null>();
  for (const path of Object.keys(files)) old.set(path, await readBytes(`${root}/${path}`));
  const branch = document.backlog.branchName ?? `ralph/${workspace.name}`;
  const here = await git.currentBranch();
  const checks = document.backlog.verifyCommands;
  const left = stories.filter((each) => !isDone(each) && each.id !== id).length;
  return {
    workspace,
    document,
    story: id,
    lines: [
      `story     ${oneLine(`${id} ${sentence.title}`)}`,
      `backlog   ${oneLine(before.file)}${isNew ? ' (new)' : ''}${left > 0 ? `; ${counted(left, 'other open story is', 'other open stories are')} left for \`ralph run\`` : ''}`,
      ...(flags['branch'] === false
        ? []
        : [`branch    ${oneLine(`${branch}${branch === here ? '' : `, from ${here ?? 'this commit'}`}`)}`]),
      ...(checks.length > 0 ? [`checks    ${oneLine(checks.join(' · '))}`] : []),
    ],
    write: () => writeFiles(root, files),
    async takeBack() {
      await writeFiles(root, Object.fromEntries(old));
      await removeEmptyDir(`${root}/${workspace.specDir}`);
    },
  };
}

async function refuseOpenRun(git: Git): Promise<void> {
  await refuseBesideRun(git, {
    fix: ['add a story to it: ralph stories add "…" -c "…"', 'or work beside it: ralph "…" --worktree'],
  });
  const record = await readRunRecord(git.repo.stateDir);
  if (record === null || record.ended !== null) return;
  throw new UsageError({
    what: `run ${record.run} was cut off and has not ended`,
    fix: ['`ralph run` continues it; then give the task again'],
  });
}

async function refuseTwin(git: Git, title: string): Promise<void> {
  const all = await storiesElsewhere(git);
  const twin = all.find(({ stories }) => stories.some((story) => story.title === title && !isDone(story)));
  if (twin === undefined) return;
  throw new UsageError({
    what: `this task is already on ${twin.branch}, and not done`,
    fix: [...waysTo(twin, false), 'for a different task, use other words'],
  });
}

interface Place {
  readonly workspace: Workspace;
  /** Without the story. */
  readonly document: BacklogDocument;
}

async function placeFor(git: Git, topic: string, flags: RawFlags, io: Io): Promise<Place> {
  const found = await workspaceIn(git, flags, io).catch((error: unknown) => {
    if (error instanceof NoSpecFolder) return null;
    throw error;
  });
  if (found === null || found.kind === 'classic') return newPlace(git, topic, io);
  if (found.backlog === null) return { workspace: found, document: await blank(git, found, topic, io) };
  const { document } = await loadOrThrow(found);
  const { backlog, format, text } = document;
  const { stories, branchName: named } = backlog;
  const isOver = stories.every(isDone) && (stories.length > 0 || !named) && named !== (await git.currentBranch());
  if (!isOver || format !== 'tasks-json') return { workspace: found, document };
  // What is done was merged, or is on its branch: this is something new, from here.
  const branchName = await freeBranch(git, topic);
  return { workspace: found, document: loaded({ ...document, text: withBranch(text, branchName) }) };
}

async function newPlace(git: Git, topic: string, io: Io): Promise<Place> {
  const workspace = await workspaceAt(git.repo.root, 'ralph');
  const document = await blank(git, workspace, topic, io);
  return { workspace: { ...workspace, backlog: { path: document.file, format: 'tasks-json' } }, document };
}

async function blank(git: Git, { specDir, reviewsPath }: Workspace, topic: string, io: Io): Promise<BacklogDocument> {
  const { root } = git.repo;
  const text = await backlogText({
    project: basename(root),
    branchName: await freeBranch(git, topic),
    verifyCommands: await detectChecks(root, io.cwd),
  });
  const file = `${specDir}/tasks.json`;
  return loaded({ format: 'tasks-json', file, text, reviewsFile: reviewsPath, reviewsText: null });
}

function loaded(source: Parameters<typeof loadSource>[0]): BacklogDocument {
  const { document } = loadSource(source);
  if (document === null) throw new Error(`${source.file} cannot be read back`);
  return document;
}

/** Where there is such a branch, a number follows. */
async function freeBranch(git: Git, topic: string): Promise<string> {
  const name = `ralph/${topic || 'task'}`;
  for (let number = 1; ; number += 1) {
    const branch = number === 1 ? name : `${name}-${number}`;
    if ((await git.resolve(`refs/heads/${branch}`)) === null) return branch;
  }
}
