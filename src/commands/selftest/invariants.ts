import { loadScenario } from '../../adapters/agents/index.ts';
import { openGit, takeInventory } from '../../adapters/git/index.ts';
import { readDocument } from '../../adapters/workspace/index.ts';
import type { RalphEvent } from '../../contracts/index.ts';
import {
  exists,
  hostName,
  list,
  membersOf,
  packageFolder,
  processId,
  readBytes,
  readProcessTable,
  runCommand,
  stat,
  systemClock,
  tryLock,
} from '../../platform/index.ts';
import { isDone } from '../../rules/backlog/index.ts';
import {
  approvedIn,
  type Blobs,
  changedFiles,
  changedRequirements,
  committedFiles,
  isMarked,
  judgeEnd,
  judgeFit,
  judgeMarks,
  lostFiles,
  lostHistory,
  lostWork,
  movedRefs,
  writtenBy,
} from './complaints.ts';
import type { Played } from './play.ts';
import { CHECK_OF, contentsOf, type Project, workspaceOf } from './project.ts';
import type { Expectation } from './rows/row.ts';

/** How the run of a scripted agent ended differently than it must. */
export async function wrongEnd(
  { home, root, before }: Project,
  played: Played,
  expected: Expectation,
): Promise<readonly string[]> {
  const made: string[] = [];
  for (const path of expected.neverMade ?? []) if (await exists(`${home}/${path}`)) made.push(path);
  const { refs } = expected.refs ? await takeInventory(`${root}/.git`) : { refs: new Map<string, string>() };
  const gone = (expected.refs ?? []).filter((name) => !refs.has(name));
  const left: string[] = [];
  for (const path of expected.neverLeft ?? []) if (await exists(`${root}/${path}`)) left.push(path);
  const own = expected.keepsOwnFiles ? await contentsOf(root, [...before.files.keys()]) : before.files;
  const lost = [...before.files].flatMap(([path, id]) => (own.get(path) === id ? [] : [path]));
  return [
    ...judgeEnd(played, expected),
    ...lost.map((path) => `${path} of the user was changed in the work tree`),
    ...made.map((path) => `${path} appeared: planted code has run`),
    ...gone.map((name) => `${name} is gone`),
    ...left.map((path) => `${path} is still there`),
  ];
}

/** Where the exit code of a run, whose agent may do anything, does not fit what it left. */
export async function unfitEnd({ root }: Project, { exitCode }: Played): Promise<readonly string[]> {
  const { document } = await readDocument(await workspaceOf(root));
  if (document === null) return [];
  const left = document.backlog.stories.filter((story) => !isDone(story));
  return judgeFit(exitCode, {
    left: left.length,
    workable: left.filter(({ blocked }) => blocked === undefined).length,
  });
}

/** Nothing is lost: neither the user's content from before the run nor what the agent wrote in it. */
export async function losses(project: Project, written: Blobs): Promise<readonly string[]> {
  const { root, before } = project;
  const after = await takeInventory(`${root}/.git`);
  return [
    ...lostFiles(before.files, await contentsOf(root, [...before.files.keys()]), after),
    ...lostHistory(before.repository, after),
    ...lostWork(written, after),
    ...committedFiles(before.files, after),
  ];
}

/** The time limit the loop promises for every way in which a run ends. */
const IN_TIME_MS = 15_000;

/**
 * No process is left of those that agents and checks of a run started (macOS does not show; nothing is found there).
 */
export async function leftovers(run: string | null, withinMs = IN_TIME_MS): Promise<readonly string[]> {
  if (run === null) return [];
  const deadline = systemClock.now() + withinMs;
  for (;;) {
    const left = membersOf({ run }, await readProcessTable(), process.pid);
    if (left.length === 0) return [];
    if (systemClock.now() >= deadline) return left.map(({ pid }) => `process ${pid} of the run is still there`);
    await systemClock.sleep(200);
  }
}

/** A check that takes longer does not pass. */
const CHECK_MS = 20_000;

/** No story is marked that is not done: every mark has its own check and a review behind it. */
export async function falseMarks(project: Project, events: readonly RalphEvent[]): Promise<readonly string[]> {
  const { document } = await readDocument(await workspaceOf(project.root));
  const marked = (document?.backlog.stories ?? []).filter(isMarked);
  const done = new Set<string>();
  for (const { id } of marked) if (await isReallyDone(project.root, id)) done.add(id);
  return judgeMarks(marked, done, approvedIn(events));
}

/** Uses this installation's check: the one in the project may have been changed. */
async function isReallyDone(root: string, story: string): Promise<boolean> {
  const check = CHECK_OF[story];
  if (check === undefined) return false;
  const path = `${await packageFolder()}/templates/selftest/${check}`;
  const { exitCode } = await runCommand(process.execPath, [path, root], { cwd: root, timeoutMs: CHECK_MS });
  return exitCode === 0;
}

/** The next run can begin: the lock is free, backlog and repository are intact; and nothing was pushed. */
export async function damage(project: Project): Promise<readonly string[]> {
  const { root, remote, before } = project;
  const { document, problems } = await readDocument(await workspaceOf(root));
  return [
    ...(await lockLeft(root)),
    ...problems.filter(({ severity }) => severity === 'error').map(({ message }) => `the backlog: ${message}`),
    ...changedFiles(before.requirements, await contentsOf(root, [...before.requirements.keys()])),
    ...(document === null ? [] : changedRequirements(before.stories, document.backlog.stories)),
    ...(await takeInventory(`${root}/.git`)).faults.map((fault) => `git fsck: ${fault}`),
    ...movedRefs(before.remote.refs, (await takeInventory(remote)).refs),
    ...((await exists(`${root}/.ralph-active`)) ? ['the marker of a live run is still there'] : []),
  ];
}

async function lockLeft(root: string): Promise<readonly string[]> {
  const holder = { pid: processId(), host: hostName(), startedAt: new Date().toISOString(), run: 'selftest' };
  const lock = await tryLock(`${root}/.git/ralph/lock`, holder);
  if ('heldBy' in lock) return ['the lock is still held'];
  await lock.release();
  return [];
}

/** The loop's own records and files: only these are kept below them. */
const RECORDS = ['.ralph', '.git/ralph', 'ralph'];
/** Git's own files, with what the agent had in its tree. */
const NOT_WRITTEN = ['.git/ralph/shadow', '.git/ralph/guest', '.git/ralph/work'];

/** Lines that must appear nowhere, and where they appear: on the terminal, in a record, in a commit of the branch. */
export async function forbiddenLines(
  { root }: Project,
  { said, events }: Played,
  patterns: readonly string[],
): Promise<readonly string[]> {
  if (patterns.length === 0) return [];
  const places = new Map([['the terminal', said]]);
  for (const folder of RECORDS) await collect(root, folder, places);
  const git = await openGit(root);
  for (const event of events) {
    const view = event.type === 'commit' ? await git.commitView(event.commit) : null;
    if (view !== null) places.set(`the commit "${view.subject}"`, `${view.subject}\n${view.body}\n${view.patch}`);
  }
  return [...places].flatMap(([place, text]) =>
    patterns
      .filter((pattern) => text.split('\n').some((line) => new RegExp(pattern).test(line)))
      .map((pattern) => `${place} has a line like ${pattern}`),
  );
}

async function collect(root: string, path: string, into: Map<string, string>): Promise<void> {
  if (NOT_WRITTEN.includes(path)) return;
  const kind = (await stat(`${root}/${path}`))?.kind;
  if (kind === 'dir') for (const name of await list(`${root}/${path}`)) await collect(root, `${path}/${name}`, into);
  if (kind === 'file') into.set(path, Buffer.from((await readBytes(`${root}/${path}`)) ?? []).toString('utf8'));
}

/** Every version of a file that the scripted agent wrote in a run. */
export async function writtenInRun(scenario: string, events: readonly RalphEvent[]): Promise<Blobs> {
  return writtenBy(await loadScenario(scenario), events);
}
