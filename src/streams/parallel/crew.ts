import type { Git } from '../../adapters/git/index.ts';
import {
  appendLedger,
  type ConfigFlags,
  findWorkspace,
  MOST_BACKLOG_BYTES,
  readJournal,
  readLedger,
  readStateFile,
  type StateFileKind,
  type Workspace,
} from '../../adapters/workspace/index.ts';
import {
  anyObject,
  type LedgerIteration,
  type LedgerLine,
  NO_USAGE,
  nullOr,
  object,
  type Story,
  text,
} from '../../contracts/index.ts';
import { loopFiles, openRoom, type RunContext, recover } from '../../loop/index.ts';
import { crashpoint, readInside, writePrivate } from '../../platform/index.ts';
import { isDone } from '../../rules/backlog/index.ts';
import { type LaneMark, laneMarkOf, type Misfit } from '../../rules/streams/index.ts';
import type { OpenRun } from '../set-up.ts';

/** What a run with lanes gets besides the input of every run. */
export interface ParallelInput {
  /** How many stories are worked on at once. */
  readonly lanes: number;
  readonly flags: ConfigFlags;
  readonly openRun: OpenRun;
  /** Called before anything else of an iteration, with its lane, 1-based. Must not throw. */
  readonly onIteration: (iteration: number, lane: number) => void;
}

/** A work tree in which one story is worked on at a time. */
export interface Lane {
  /** 1-based. */
  readonly number: number;
  readonly git: Git;
  /** null while it is free. */
  work: LaneWork | null;
  /** Epoch ms before which its story does not continue. */
  notBefore: number;
  /** The story that it is being prepared for. */
  claimed: string | null;
  /** Agent processes that its turn may start; 0 without one. */
  calls: number;
  /** The line of its last iteration for the run's ledger, held until it is decided whether the iteration counts. */
  held: LaneLine | null;
  /** Why its finished story cannot land before a person clears the way. */
  stuck: string | null;
}

/** A line of a lane's ledger as the run records it. */
type LaneLine = LedgerIteration & { readonly lane: LaneMark };

export interface Crew extends ParallelInput {
  readonly context: RunContext;
  /** The branch that stories land on. */
  readonly branch: string;
  /** Lanes with a story, and free ones for reuse. */
  readonly team: Lane[];
  /** Notes of people that a lane has. */
  readonly handed: Set<string>;
  /** The number that an iteration of a lane's run has in this run; assigned on the first call. */
  readonly numberOf: (run: string, iteration: number, lane: number) => number;
  /** Runs a task in the work tree of the run, after the current tasks there. */
  readonly inOrder: <T>(task: () => Promise<T>) => Promise<T>;
  /** Reports a state change of the breaker. */
  readonly tellBreaker: () => void;
}

const LANE_FILE_VERSION = 1;

/** What a lane works on; kept in the state folder of its work tree, so that the next process can continue. */
export interface LaneWork {
  readonly story: string;
  /** Commit of the branch that it was started on. */
  readonly base: string;
  /** The loop's files at that time, by path; a missing file is absent. */
  readonly files: Readonly<Record<string, string>>;
  /** Its story is done or blocked, and on its way to the branch; null while it is worked on. */
  readonly landing: Landing | null;
}

export interface Landing {
  /** The lane's result for the story. Its work tree may be at `commit`, for the checks. */
  readonly head: string;
  /** The story waits for a person: its work lands only if it fits. */
  readonly blocked: boolean;
  /** Where the branch is moved, and from where; null until the checks of that passed. */
  readonly move: {
    readonly branch: string;
    readonly from: string;
    readonly to: string;
    readonly subject: string;
    /** New text of the loop's files that git ignores: no commit holds them. */
    readonly ignored: Readonly<Record<string, string>>;
  } | null;
}

const KIND: StateFileKind = {
  name: 'lane file',
  version: LANE_FILE_VERSION,
  shape: object({ work: nullOr(object({ story: text, base: text, files: anyObject, landing: nullOr(anyObject) })) }),
  fix: 'start again: the story of that lane starts over; its commits are in the lane until then (`git worktree list`)',
};

/** @throws StateError when it is unreadable (the original is kept aside) or of a later version */
export async function readLaneWork(stateDir: string): Promise<LaneWork | null> {
  const file = (await readStateFile(`${stateDir}/lane.json`, KIND)) as { readonly work: LaneWork | null } | null;
  return file?.work ?? null;
}

/** Also in its file, replaced atomically and fsynced. */
export async function setWork(lane: Lane, work: LaneWork | null): Promise<void> {
  await writePrivate(
    `${lane.git.repo.stateDir}/lane.json`,
    `${JSON.stringify({ version: LANE_FILE_VERSION, work })}\n`,
  );
  lane.work = work;
}

/** The loop's own files in a work tree, by path; missing ones are left out. */
export async function loopTexts(root: string, workspace: Workspace): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  for (const path of loopFiles(workspace)) {
    const { bytes } = await readInside(root, path, MOST_BACKLOG_BYTES);
    if (bytes !== null) texts[path] = bytes.toString('utf8');
  }
  return texts;
}

/**
 * Copies lines about a lane's story from the lane's ledger to the run's: from then on they count for the limits,
 * budgets and attempts of the run. Doing it twice changes nothing.
 * @param holdLast the last line waits: whether it counts is decided when the story lands
 */
export async function takeOver(crew: Crew, lane: Lane, holdLast: boolean): Promise<void> {
  const lines = await ownLines(crew, lane);
  const taken = takenBy(crew.context.ledger);
  const untold = lines.filter(({ run, iteration }) => !taken.has(keyOf(run, iteration)));
  const last = holdLast ? lines.at(-1) : undefined;
  for (const line of untold) if (line !== last) await append(crew, asOfRun(crew, lane, line));
  lane.held = last !== undefined && untold.includes(last) ? asOfRun(crew, lane, last) : null;
}

/** Records the held line, with the commit that brings the whole story onto the branch. */
export async function takeLast(crew: Crew, lane: Lane, landed: { commit: string; subject: string }): Promise<void> {
  await takeOver(crew, lane, true);
  const last = (await ownLines(crew, lane)).at(-1);
  if (last === undefined || takenBy(crew.context.ledger).has(keyOf(last.run, last.iteration))) return;
  lane.held = null;
  await append(crew, { ...asOfRun(crew, lane, last), ...landed });
}

/** The number in the run of the lane's last iteration. */
export async function lastNumber(crew: Crew, lane: Lane): Promise<number> {
  const last = (await ownLines(crew, lane)).at(-1);
  return last === undefined ? 0 : crew.numberOf(last.run, last.iteration, lane.number);
}

/** Records the held line as failed: the story did not fit the branch. */
export async function takeLastAsMisfit(
  crew: Crew,
  lane: Lane,
  misfit: Misfit,
  change: Pick<LedgerIteration, 'reason' | 'rescue' | 'failure'>,
): Promise<void> {
  const lines = await ownLines(crew, lane);
  const last = lines.at(-1);
  if (last === undefined) return;
  const isTaken = takenBy(crew.context.ledger).has(keyOf(last.run, last.iteration));
  const line = asOfRun(crew, lane, last);
  lane.held = null;
  await append(crew, {
    ...line,
    // Its cost counts already; a separate line revokes what it says of the story.
    ...(isTaken ? { iteration: crew.numberOf(`${last.run} again`, last.iteration, lane.number), ...FREE } : {}),
    ...change,
    verdict: 'rejected',
    // The agent is not at fault: the breaker is no help here.
    counts: 'ignored',
    stateChanged: false,
    state: null,
    blocked: null,
    workFiles: 0,
    lane: { ...line.lane, misfit },
  });
}

const FREE = { costUsd: null, usage: NO_USAGE, calls: [] } as const;

export async function numbersOf(crew: Crew, lane: Lane): Promise<ReadonlyMap<number, number>> {
  const lines = await ownLines(crew, lane);
  return new Map(lines.map(({ run, iteration }) => [iteration, crew.numberOf(run, iteration, lane.number)]));
}

/** What the lane did for its story: the rest of its ledger is a copy of the run's. */
async function ownLines({ context }: Crew, lane: Lane): Promise<readonly LedgerIteration[]> {
  const copied = new Set(
    context.ledger.flatMap((line) => (line.kind === 'iteration' ? [keyOf(line.run, line.iteration)] : [])),
  );
  const lines: readonly LedgerLine[] = await readLedger(lane.git.repo.stateDir);
  return lines.filter(
    (line): line is LedgerIteration =>
      line.kind === 'iteration' && line.story === lane.work?.story && !copied.has(keyOf(line.run, line.iteration)),
  );
}

function takenBy(ledger: readonly LedgerLine[]): ReadonlySet<string> {
  const marks = ledger.flatMap((line) => laneMarkOf(line) ?? []);
  return new Set(marks.map(({ run, iteration }) => keyOf(run, iteration)));
}

function asOfRun({ context, numberOf }: Crew, lane: Lane, line: LedgerIteration): LaneLine {
  const { run, iteration } = line;
  return {
    ...line,
    run: context.run,
    iteration: numberOf(run, iteration, lane.number),
    // Commits of a lane may be dropped: the one that lands represents them.
    commit: null,
    subject: null,
    lane: { run, iteration },
  };
}

async function append({ context }: Crew, line: LaneLine): Promise<void> {
  await appendLedger(context.git.repo.stateDir, line, context.ledger);
  context.ledger.push(line);
}

export const keyOf = (run: string, iteration: number) => `${run} ${iteration}`;

/** Ends the work on a lane's story: what was done is kept, and the lane is free. */
export async function abandon(crew: Crew, lane: Lane, why: string): Promise<void> {
  const { work, git } = lane;
  if (work === null) return;
  // The cost of an interrupted iteration counts, and nothing of it may come back later.
  await recoverLane(crew, lane);
  crashpoint('lane-recovered');
  await takeOver(crew, lane, false);
  const head = work.landing?.head ?? (await git.resolve('HEAD'));
  if (head !== null && head !== work.base) {
    const ref = await keepWork(crew, head, `${work.story} is no longer worked on in its lane: ${why}`);
    crashpoint('lane-kept');
    const text = `${work.story} is no longer worked on in lane ${lane.number}: ${why}.`;
    const fix = `what was done for it: ralph rescue show ${ref.replace('refs/ralph/rescue/', '')}`;
    crew.context.emit(0, { type: 'notice', level: 'warning', text, fix });
  }
  await setWork(lane, null);
  crashpoint('lane-free');
}

/** Keeps the commits of a lane under the usual names of rolled-back work. @returns the full ref */
export async function keepWork({ context }: Crew, head: string, subject: string): Promise<string> {
  const { git, run, clock, ledger } = context;
  const iteration = ledger.findLast((line) => line.kind === 'iteration' && line.run === run);
  const { ref } = await git.rescue({
    run,
    iteration: iteration?.kind === 'iteration' ? iteration.iteration : 0,
    tree: await git.treeWith(head, {}),
    parents: [head],
    subject: `rescue: ${subject}`,
    date: clock.now(),
  });
  return ref;
}

/**
 * Finishes or rolls back what a crash interrupted in a lane whose story gets no further turn. Otherwise the first turn
 * on another story would do it, and restore the work tree to its state before that story began.
 */
async function recoverLane(crew: Crew, lane: Lane): Promise<void> {
  const { stateDir } = lane.git.repo;
  const entry = await readJournal(stateDir);
  if (entry === null || entry.phase === 'done') return;
  const ledger = [...(await readLedger(stateDir))];
  const { run } = entry;
  await insideLane(crew, lane, (inside) =>
    recover({
      ...inside,
      run,
      ledger,
      // Anything left to report is reported where the work is kept.
      emit: () => undefined,
    }),
  );
}

/** Runs a task in the lane's work tree as the run does in its own, in that work tree's isolation. */
export async function insideLane<T>(
  { context, openRun }: Crew,
  { git }: Lane,
  task: (inside: RunContext) => Promise<T>,
): Promise<T> {
  const { config, run, egress } = context;
  const { root } = git.repo;
  const workspace = await findWorkspace({
    root,
    cwd: root,
    flags: { ralphDir: context.workspace.specDir },
    env: {},
  });
  const opened = await openRun({ git, workspace, config });
  const { isolation, checksIsolation } = opened;
  const room =
    opened.room && (await openRoom(opened.room, { config, env: context.env, git, run, onRefusal: egress.refused }));
  const insides = [...new Set([isolation, checksIsolation])];
  try {
    await Promise.all(insides.map((one) => one.prepare({ run, localPorts: [], onRefusal: egress.refused })));
    return await task({ ...context, git, workspace: opened.workspace, isolation, checksIsolation, room });
  } finally {
    await Promise.all([...insides.map((one) => one.dispose()), room?.close()]);
    await opened.close();
  }
}

/** More commits than this are not examined one by one. */
const MOST_COMMITS = 200;

/**
 * Whether the lane's work can be merged as work on its story: the merge takes the difference from `work.base`, so both
 * sides must build on it; otherwise it would revert what landed since.
 * @param head the lane's result for the story
 * @returns why not, in a few words; null when it can
 */
export async function landingObstacle(
  { context: { git }, branch }: Pick<Crew, 'context' | 'branch'>,
  { base }: LaneWork,
  head: string,
  story: Story | undefined,
): Promise<string | null> {
  if (story !== undefined && isDone(story)) return 'it is done on the branch';
  const there = await git.resolve(branch);
  if (there === null || !(await git.descends(there, base)))
    return `${branch} no longer contains the commit it started from`;
  if (!(await git.descends(head, base))) return 'its commits do not build on the commit it started from';
  const others = story === undefined ? [] : await otherStories(git, base, head, story.safeId);
  return others.length === 0 ? null : `its commits are work on ${others.join(', ')}`;
}

/** Stories named by the loop's commits in `base..head`, except one. An agent's own commits do not count. */
async function otherStories(git: Git, base: string, head: string, safeId: string): Promise<readonly string[]> {
  const { commits } = await git.commitsBetween(base, head, MOST_COMMITS);
  const views = await Promise.all(commits.map(({ id }) => git.commitView(id)));
  const told = views.flatMap((view) => [...(view?.body ?? '').matchAll(/^Ralph-Story: (.+)$/gm)].map(([, id]) => id));
  return [...new Set(told.filter((id) => id !== undefined && id !== safeId))] as string[];
}
