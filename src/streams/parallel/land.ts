import { loadOrThrow, writeFiles } from '../../adapters/workspace/index.ts';
import { type Backlog, type CheckResult, FileProblemsError, type Story } from '../../contracts/index.ts';
import { commitBookkeeping, isLoopsOwn, runChecks } from '../../loop/index.ts';
import { crashpoint } from '../../platform/index.ts';
import { type BacklogDocument, loadBacklog } from '../../rules/backlog/index.ts';
import { checkCommands, greenCommands, redAtBaseline } from '../../rules/judge/index.ts';
import { joinBacklogs, joinProgress, type Misfit } from '../../rules/streams/index.ts';
import { listed } from '../names.ts';
import {
  abandon,
  type Crew,
  insideLane,
  keepWork,
  type Landing,
  type Lane,
  type LaneWork,
  landingObstacle,
  lastNumber,
  loopTexts,
  numbersOf,
  setWork,
  takeLast,
  takeLastAsMisfit,
} from './crew.ts';

/** The result of a landing; `stuck`: nothing changed, and a person has to clear the way. */
type Landed =
  | { readonly kind: 'landed' | 'sent-back' | 'stopped' }
  | { readonly kind: 'stuck'; readonly text: string; readonly fix: string };

/**
 * Lands the story of a lane on the branch: merges it with what landed before, checks the result, and only then moves
 * the branch. One at a time. A story that conflicts, or fails only now, starts again; for a blocked one this is only
 * reported.
 */
export async function land(crew: Crew, lane: Lane): Promise<Landed> {
  const { signal } = crew.context;
  const landing = await landingOf(crew, lane);
  const finished = await finishMove(crew, landing);
  if (finished) return finished;
  const why = await landingObstacle(crew, landing.work, landing.work.landing.head, await storyOf(crew, landing));
  if (why !== null) {
    await abandon(crew, lane, why);
    return { kind: 'sent-back' };
  }
  for (let withWork = true; ; ) {
    const merged = await crew.inOrder(() => mergeIntoBranch(crew, landing, withWork));
    const facts = await misfitOf(crew, landing, merged, withWork);
    if (signal.aborted) return { kind: 'stopped' };
    if (merged.kind === 'merged' && facts === null) {
      const moved = await move(crew, landing, merged);
      if (moved) return moved;
    } else if (facts !== null && landing.work.landing.blocked && withWork) {
      await keepWork(
        crew,
        landing.work.landing.head,
        `${landing.work.story} is blocked, and cannot land: ${facts.why}`,
      );
      withWork = false;
    } else if (facts !== null) {
      await sendBack(crew, landing, facts);
      return { kind: 'sent-back' };
    }
  }
}

async function landingOf({ context }: Crew, lane: Lane): Promise<LandingLane> {
  const { work } = lane;
  if (work?.landing == null) throw new Error(`lane ${lane.number} has nothing to land`);
  // After checks of an earlier try it is at the merged commit.
  await lane.git.resetTo(work.landing.head);
  const texts = await loopTexts(lane.git.repo.root, context.workspace);
  return { lane, work: { ...work, landing: work.landing }, texts };
}

async function storyOf({ context }: Crew, { work }: LandingLane): Promise<Story | undefined> {
  const { document } = await loadOrThrow(context.workspace);
  return document.backlog.stories.find(({ id }) => id === work.story);
}

/**
 * Finishes what a crash interrupted between the checks and the end. null where nothing was begun, or the branch was
 * moved.
 */
async function finishMove(crew: Crew, landing: LandingLane): Promise<Landed | null> {
  const begun = landing.work.landing.move;
  if (begun === null) return null;
  const { git } = crew.context;
  const head = await git.resolve(begun.branch);
  const isThere = head !== null && head !== begun.to && (await git.descends(head, begun.to));
  return isThere ? settle(crew, landing, begun) : advance(crew, landing, begun);
}

async function misfitOf(
  crew: Crew,
  { lane, work }: LandingLane,
  merged: Merged,
  withWork: boolean,
): Promise<MisfitFacts | null> {
  if (merged.kind === 'conflict') {
    return { misfit: 'conflict', why: `both changed ${listed(merged.paths)}`, checks: [] };
  }
  if (!withWork || !(await hasMoved(crew, work.base, merged.from))) return null;
  const failing = await failingWhenMerged(crew, lane, merged);
  if (failing.length === 0) return null;
  const why = `passed in its lane, fails together with the branch: ${listed(failing.map(({ command }) => command))}`;
  return { misfit: 'red', why, checks: failing };
}

/** Whether other work is on the branch since; otherwise the tree is the one that was checked in the lane. */
async function hasMoved({ context: { git, workspace } }: Crew, base: string, head: string): Promise<boolean> {
  return base !== head && (await git.changes(base, head)).some(({ path }) => !isLoopsOwn(workspace, path));
}

type Move = NonNullable<LandingLane['work']['landing']['move']>;

/** null: the branch was moved meanwhile, so everything has to be repeated. */
async function move(
  crew: Crew,
  landing: LandingLane,
  { from, to, subject, ignored }: Extract<Merged, { kind: 'merged' }>,
): Promise<Landed | null> {
  const begun = { branch: crew.branch, from, to, subject, ignored };
  await setWork(landing.lane, { ...landing.work, landing: { ...landing.work.landing, move: begun } });
  crashpoint('lane-landing');
  return advance(crew, landing, begun);
}

async function advance(crew: Crew, landing: LandingLane, begun: Move): Promise<Landed | null> {
  const { git } = crew.context;
  const { branch, from: expected, to } = begun;
  const moved = await crew.inOrder(() => git.advanceBranch({ branch, expected, to }));
  if (moved.kind === 'moved-by-someone') return null;
  if (moved.kind === 'in-the-way') {
    const text = `${landing.work.story} is done and cannot land: ${listed(moved.paths)} in your work tree would be overwritten`;
    return { kind: 'stuck', text, fix: 'move it away or commit it, then start again with --parallel' };
  }
  crashpoint('lane-landed');
  return settle(crew, landing, begun);
}

/** The work is on the branch: does everything that follows. Doing it twice changes nothing. */
async function settle(crew: Crew, { lane, work }: LandingLane, { to, subject, ignored }: Move): Promise<Landed> {
  const { context } = crew;
  // Only the loop's files; the others are in the commit.
  await writeFiles(context.git.repo.root, ignored);
  await takeLast(crew, lane, { commit: to, subject });
  await setWork(lane, null);
  const what = work.landing.blocked ? 'is blocked; its work is' : 'landed';
  const text = `${work.story} ${what} on ${crew.branch}: ${to.slice(0, 9)}.`;
  context.emit(0, { type: 'notice', level: 'info', text });
  return { kind: 'landed' };
}

/**
 * Runs the checks of a story on the merged tree, in the lane's work tree, where their dependencies are installed.
 * @returns failing checks that did not fail before the run
 */
async function failingWhenMerged(
  crew: Crew,
  lane: Lane,
  merged: Extract<Merged, { kind: 'merged' }>,
): Promise<readonly CheckResult[]> {
  const { context } = crew;
  const { config, record, ledger } = context;
  const commands = checkCommands(config, merged.backlog, merged.story);
  if (commands.length === 0) return [];
  await lane.git.resetTo(merged.to);
  const known = redAtBaseline(record, greenCommands(record, ledger));
  const iteration = await lastNumber(crew, lane);
  const results = await insideLane(crew, lane, (inside) =>
    runChecks(inside, iteration, { commands, redBefore: known }),
  );
  return results.filter(({ ok, command }) => !ok && !known.has(command));
}

interface MisfitFacts {
  readonly misfit: Misfit;
  /** What was in the way, in a few words. */
  readonly why: string;
  readonly checks: readonly CheckResult[];
}

/**
 * A story that was done in its lane but does not fit the branch starts again from the current branch. Its work is kept
 * as a rescue; the next prompt says what happened.
 */
async function sendBack(crew: Crew, { lane, work }: LandingLane, facts: MisfitFacts): Promise<void> {
  const { context } = crew;
  const { story } = work;
  const { misfit, why, checks } = facts;
  const rescue = await keepWork(crew, work.landing.head, `${story} cannot land: ${why}`);
  const diffStat = await context.git.diffStat(work.base, work.landing.head, 20);
  const reason = `it was done, but conflicts with stories that landed in the meantime: ${why}`;
  await takeLastAsMisfit(crew, lane, misfit, { reason, rescue, failure: { reason, checks, rescue, diffStat } });
  await setWork(lane, null);
  context.emit(0, { type: 'story', story, from: 'done in its lane', to: 'to do', reason: why });
}

/** A lane's work merged with the current branch; nothing is moved or written yet. */
type Merged =
  | {
      readonly kind: 'merged';
      /** The branch's head, and the commit that builds on it. */
      readonly from: string;
      readonly to: string;
      readonly subject: string;
      /** New text of the loop's files that git ignores: no commit holds them. */
      readonly ignored: Readonly<Record<string, string>>;
      readonly backlog: Backlog;
      readonly story: Story;
    }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/** A lane whose story is on its way to the branch. */
interface LandingLane {
  readonly lane: Lane;
  readonly work: LaneWork & { readonly landing: Landing };
  /** The loop's files as the lane left them, by path. */
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * Git merges the code; the loop's own files are merged by meaning, because each lane wrote its own.
 * @param withWork false: only what the loop knows of the story, none of its code
 */
async function mergeIntoBranch(crew: Crew, landing: LandingLane, withWork: boolean): Promise<Merged> {
  const { context, branch } = crew;
  const { git, clock, run, config, workspace } = context;
  const { head } = landing.work.landing;
  await commitBookkeeping(context, `before ${landing.work.story} lands`);
  const from = await git.resolve(branch);
  if (from === null) throw new Error(`the branch ${branch} is gone`);
  const joined = await joinFiles(crew, landing);
  if (joined === null) return { kind: 'conflict', paths: [workspace.backlog?.path ?? workspace.specDir] };
  const merged = withWork ? await mergeCode(crew, landing, from) : { kind: 'merged' as const, tree: from };
  if (merged.kind === 'conflict') return merged;
  const { texts, document } = joined;
  const tracked: Record<string, string> = {};
  const ignored: Record<string, string> = {};
  for (const [path, text] of Object.entries(texts)) {
    const goes = (await isTracked(crew, path, [from, head])) ? tracked : ignored;
    goes[path] = text;
  }
  const story = document.backlog.stories.find(({ id }) => id === landing.work.story);
  if (story === undefined) return { kind: 'conflict', paths: [document.file] };
  const { safeId, title } = story;
  const subject = shortened(
    landing.work.landing.blocked ? `chore(ralph): ${safeId} is blocked` : `land(${safeId}): ${title}`,
  );
  const to = await git.commitTree({
    tree: await git.treeWith(merged.tree, tracked),
    // Without its own commit there is nothing to merge except what the loop knows.
    parents: withWork && head !== landing.work.base ? [from, head] : [from],
    subject,
    body: '',
    trailers: [['Ralph-Run', run], ...(landing.work.landing.blocked ? [] : [['Ralph-Landed', safeId] as const])],
    date: clock.now(),
    sign: config.commit.sign,
  });
  return { kind: 'merged', from, to, subject, ignored, backlog: document.backlog, story };
}

async function isTracked({ context: { git } }: Crew, path: string, commits: readonly string[]): Promise<boolean> {
  for (const commit of commits) if ((await git.show(commit, path)) !== null) return true;
  return false;
}

/** The lane's code, without its version of the loop's files: those of the base stand in for them. */
async function mergeCode({ context: { git, clock } }: Crew, { work, texts }: LandingLane, from: string) {
  const { base, landing } = work;
  if (from === base) return { kind: 'merged' as const, tree: landing.head };
  const asBefore: Record<string, Uint8Array | null> = {};
  for (const path of Object.keys(texts)) asBefore[path] = await git.show(base, path);
  const side = await git.commitTree({
    tree: await git.treeWith(landing.head, asBefore),
    parents: [base],
    subject: `work on ${work.story}`,
    body: '',
    trailers: [],
    date: clock.now(),
    sign: false,
  });
  return git.mergeTrees(from, side);
}

/** null when the backlogs cannot be merged. */
async function joinFiles(crew: Crew, { lane, work, texts }: LandingLane) {
  const { workspace, git } = crew.context;
  const { document: branch } = await loadOrThrow(workspace);
  const base = asDocument(branch, work.files);
  const ofLane = asDocument(branch, texts);
  if (base === null || ofLane === null) return null;
  try {
    const document = joinBacklogs({ base, branch, lane: ofLane, story: work.story });
    const { progressPath } = workspace;
    const progress = joinProgress({
      base: work.files[progressPath] ?? '',
      branch: (await loopTexts(git.repo.root, workspace))[progressPath] ?? '',
      lane: texts[progressPath] ?? '',
      numbers: await numbersOf(crew, lane),
    });
    const reviews = document.reviewsText === null ? {} : { [document.reviewsFile]: document.reviewsText };
    return { document, texts: { [document.file]: document.text, [progressPath]: progress, ...reviews } };
  } catch (error) {
    if (error instanceof FileProblemsError) return null;
    throw error;
  }
}

/** A backlog from its texts alone; null when it cannot be read. */
function asDocument(like: BacklogDocument, texts: Readonly<Record<string, string>>): BacklogDocument | null {
  const { format, file, reviewsFile } = like;
  const encode = (text: string) => new TextEncoder().encode(text);
  const text = texts[file];
  const reviews = texts[reviewsFile];
  if (text === undefined) return null;
  const reviewsBytes = reviews === undefined ? null : encode(reviews);
  return loadBacklog({ format, file, bytes: encode(text), reviewsFile, reviewsBytes }).document;
}

/** One line of at most 100 characters, as git's readers expect of a subject. */
function shortened(subject: string): string {
  const line = subject.replace(/\s+/g, ' ').trim();
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
