import { type Action, chooseActions, loadScenario, type Scenario } from '../../adapters/agents/index.ts';
import { type Inventory, openGit, takeInventory } from '../../adapters/git/index.ts';
import { readDocument, templatePath } from '../../adapters/workspace/index.ts';
import type { RalphEvent, Story } from '../../contracts/index.ts';
import {
  exists,
  hostName,
  list,
  membersOf,
  processId,
  readBytes,
  readProcessTable,
  runCommand,
  stat,
  systemClock,
  tryLock,
} from '../../platform/index.ts';
import { isDone } from '../../rules/backlog/index.ts';
import type { Played } from './play.ts';
import { blobId, CHECK_OF, type Contents, contentsOf, type Project, workspaceOf } from './project.ts';
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
    ...lost.map((path) => `${path} of the user is not in the work tree as it was`),
    ...made.map((path) => `${path} came into being: something planted has run`),
    ...gone.map((name) => `${name} is gone`),
    ...left.map((path) => `${path} is still there`),
  ];
}

/** The same without the files on disk. Pure. */
export function judgeEnd(played: Played, expected: Expectation): readonly string[] {
  const { exitCode, reason, verdicts, events } = played;
  const seen = new Set(events.map(({ type }) => type));
  return [
    ...(exitCode === expected.exitCode ? [] : [`exit ${exitCode} instead of ${expected.exitCode}`]),
    ...(reason === expected.reason ? [] : [`ended with ${reason} instead of ${expected.reason}`]),
    ...(verdicts.join() === expected.verdicts.join()
      ? []
      : [`verdicts ${verdicts.join(', ') || 'none'} instead of ${expected.verdicts.join(', ')}`]),
    ...(expected.events ?? []).filter((type) => !seen.has(type)).map((type) => `no event ${type}`),
    ...(expected.noEvents ?? []).filter((type) => seen.has(type)).map((type) => `an event ${type}`),
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

/** Exit codes of a run that began, and what each says about the stories. Pure. */
export function judgeFit(
  exitCode: number | null,
  { left, workable }: { readonly left: number; readonly workable: number },
): readonly string[] {
  switch (exitCode) {
    case 0:
      return left === 0 ? [] : [`exit 0, but ${left} stories are not done`];
    case 6:
      return left > 0 && workable === 0 ? [] : [`exit 6, but ${workable} stories are not blocked`];
    case 1:
    case 3:
    case 5:
    case 7:
      return left > 0 ? [] : [`exit ${exitCode}, but every story is done`];
    default:
      return [`exit ${exitCode}, which no agent may bring about`];
  }
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

/** Files of the user whose content changed, where the old content is kept nowhere. Pure. */
function lostFiles(before: Contents, now: Contents, { kept }: Pick<Inventory, 'kept'>): readonly string[] {
  return [...before]
    .filter(([path, id]) => now.get(path) !== id && !kept.has(id))
    .map(([path]) => `${path} of the user is ${now.has(path) ? 'overwritten' : 'deleted'}, and nothing keeps it`);
}

/** What the user's refs led to and no ref leads to any more. Only then is a moved ref a loss. Pure. */
function lostHistory(before: Pick<Inventory, 'kept'>, after: Pick<Inventory, 'kept'>): readonly string[] {
  const lost = [...before.kept].filter((id) => !after.kept.has(id));
  return lost.length === 0 ? [] : [`${lost.length} objects of the user's history are out of reach, e.g. ${lost[0]}`];
}

/** What the agent wrote and neither a branch nor a rescue holds. Pure. */
export function lostWork(written: Blobs, { kept }: Pick<Inventory, 'kept'>): readonly string[] {
  return [...written].filter(([id]) => !kept.has(id)).map(([, path]) => `${path} as the agent wrote it is lost`);
}

/** Files unknown to git before that the loop's own branch holds now. Pure. */
function committedFiles(before: Contents, { checkedOut }: Pick<Inventory, 'checkedOut'>): readonly string[] {
  return [...before]
    .filter(([, id]) => checkedOut.has(id))
    .map(([path]) => `${path}, which the user never added, was committed`);
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
    const left = membersOf({ marker: run }, await readProcessTable(), process.pid);
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

/** Marks without that. Pure. */
export function judgeMarks(
  marked: readonly Pick<Story, 'id'>[],
  done: ReadonlySet<string>,
  approved: ReadonlySet<string>,
): readonly string[] {
  return marked.flatMap(({ id }) => [
    ...(done.has(id) ? [] : [`${id} is marked as done, but its check fails`]),
    ...(approved.has(id) ? [] : [`${id} is marked as done, but no review approved it`]),
  ]);
}

/** Either mark, so that one alone counts as well. */
function isMarked({ passes, reviewStatus }: Story): boolean {
  return passes || reviewStatus === 'approved';
}

/** Stories that an accepted review approved. */
function approvedIn(events: readonly RalphEvent[]): ReadonlySet<string> {
  return new Set(
    events.flatMap((event) =>
      event.type === 'verdict' && event.mode === 'review' && event.verdict === 'accepted' && event.claim === 'approved'
        ? [event.story]
        : [],
    ),
  );
}

/** Uses this installation's check: the one in the project may have been changed. */
async function isReallyDone(root: string, story: string): Promise<boolean> {
  const check = CHECK_OF[story];
  if (check === undefined) return false;
  const path = `${await templatePath('selftest')}/${check}`;
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

function changedFiles(before: Contents, now: Contents): readonly string[] {
  return [...before].filter(([path, id]) => now.get(path) !== id).map(([path]) => `${path} was changed`);
}

/** The parts of a request that no agent may change. */
type Requirement = Pick<Story, 'id' | 'title' | 'description' | 'acceptanceCriteria' | 'verifyCommands'>;

function changedRequirements(before: readonly Requirement[], after: readonly Requirement[]): readonly string[] {
  return before.flatMap((story) => {
    const now = after.find(({ id }) => id === story.id);
    if (now === undefined) return [`story ${story.id} is gone`];
    return asked(now) === asked(story) ? [] : [`story ${story.id} asks for something else`];
  });
}

function asked({ title, description, acceptanceCriteria, verifyCommands = [] }: Requirement): string {
  return JSON.stringify([title, description, acceptanceCriteria, verifyCommands]);
}

function movedRefs(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).map((name) => `${name} was pushed`);
}

/** The loop's own records and files: only these are kept below them. */
const RECORDS = ['.ralph', '.git/ralph', 'ralph'];
/** Git's own files, with what the agent had in its tree. */
const NOT_WRITTEN = ['.git/ralph/shadow', '.git/ralph/guest', '.git/ralph/work'];

/** Lines that must appear nowhere, and where they appear: on the terminal, in a record, in a commit of the branch. */
export async function wronglySaid(
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

/** Names that git gives to file contents, with their paths. */
type Blobs = ReadonlyMap<string, string>;

/** Every version of a file that the scripted agent wrote in a run. */
export async function writtenInRun(scenario: string, events: readonly RalphEvent[]): Promise<Blobs> {
  return writtenBy(await loadScenario(scenario), events);
}

/**
 * Replays the choices of the scenario: each start of an agent names everything that selects a step, and each write that
 * its events report as done is a file that must not be lost. Pure.
 */
export function writtenBy(scenario: Scenario, events: readonly RalphEvent[]): Blobs {
  const written = new Map<string, string>();
  let selected: Extract<RalphEvent, { type: 'select' }> | null = null;
  let actions: readonly Action[] = [];
  const calls = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'select') selected = event;
    if (event.type === 'agent-start' && selected !== null) {
      const { run, iteration, story: storyId, mode, attempt, reviewCount } = selected;
      actions = chooseActions(scenario, {
        run,
        iteration,
        storyId,
        mode,
        attempt,
        reviewCount,
        try: event.try,
      }).actions;
      calls.clear();
    }
    if (event.type !== 'agent') continue;
    if (event.event.type === 'tool-call' && event.event.name === 'Write')
      calls.set(event.event.id, event.event.summary);
    if (event.event.type !== 'tool-result' || !event.event.ok) continue;
    const path = calls.get(event.event.id);
    if (path === undefined) continue;
    for (const { name, input } of actions)
      if (name === 'write' && input.path === path) written.set(blobId(Buffer.from(input.content)), path);
  }
  return written;
}
