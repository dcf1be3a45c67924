import type { Git, WorktreeEntry } from '../adapters/git/index.ts';
import {
  listStreams,
  readDocument,
  readLedger,
  readRunRecord,
  runAtWork,
  type StreamTree,
} from '../adapters/workspace/index.ts';
import {
  type EndReason,
  type LedgerIteration,
  RalphError,
  type RunRecord,
  type TurnUse,
  type Waiting,
} from '../contracts/index.ts';
import { countStories } from '../loop/index.ts';
import { turnUse } from '../rules/safeguards/index.ts';
import { laneMarkOf } from '../rules/streams/index.ts';
import { sumCosts } from '../rules/text/index.ts';
import { streamPlace } from '../rules/view/index.ts';
import { isThere } from './merge/finished.ts';
import { supervisorOf } from './supervisor-lock.ts';
import { workspaceOfStream } from './tree.ts';

/**
 * `new`: no run yet. `between`: its run is open, and no turn is active. `cut-off`: its last turn was killed, and the
 * next one recovers it. `gone`: git knows the work tree, but its folder was deleted.
 */
export type StreamNow = 'new' | 'running' | 'between' | 'cut-off' | 'ended' | 'gone';

/** The state of a stream, from its work tree, with the process that works on it, if any. */
export interface StreamFacts {
  readonly stream: string;
  readonly root: string;
  readonly branch: string | null;
  readonly state: StreamNow;
  /** Of its last run; null before the first. */
  readonly run: string | null;
  readonly ended: EndReason | null;
  readonly iterations: number;
  readonly maxIterations: number | null;
  /** null when no cost is known. */
  readonly costUsd: number | null;
  /** A process supervises its turns, whether or not one is active now. */
  readonly supervised: boolean;
  /** What its run waits for; null when it does not wait. */
  readonly waiting: Waiting | null;
  /** null when its backlog cannot be read. */
  readonly stories: { readonly total: number; readonly done: number; readonly blocked: number } | null;
  /** The branch that it came from; null when none was checked out. */
  readonly base: string | null;
  /** Commits that are not in `base` yet. */
  readonly unmerged: number;
  /** Why its state cannot be read, for people; null when it can. */
  readonly problem: string | null;
}

/** The work trees of streams, without lanes of a run with `--parallel`. */
export async function streamTrees(git: Git): Promise<readonly StreamTree[]> {
  return (await listStreams(git)).filter(({ root }) => streamPlace(root)?.lane === null);
}

/** Commits listed: only their count is used. */
const MOST_COMMITS = 1;

export async function factsOf(git: Git, tree: StreamTree): Promise<StreamFacts> {
  const { root, branch, name, file } = tree;
  const place = { stream: file?.stream ?? name, root, branch: branch ?? file?.branch ?? null };
  const base = file?.base.branch ?? null;
  const unmerged = await unmergedCommits(git, tree);
  const nothing = {
    run: null,
    ended: null,
    iterations: 0,
    maxIterations: null,
    costUsd: null,
    waiting: null,
    supervised: false,
  };
  if (tree.missing)
    return { ...place, ...nothing, state: 'gone', stories: null, base, unmerged, problem: tree.problem };
  const stories = await storiesOf(tree);
  try {
    return { ...place, ...(await runFacts(tree)), stories, base, unmerged, problem: tree.problem };
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return { ...place, ...nothing, state: 'new', stories, base, unmerged, problem: error.facts.what };
  }
}

export async function unmergedCommits(git: Git, { head, file }: StreamTree): Promise<number> {
  if (file === null || head === '') return 0;
  const base = (file.base.branch && (await git.resolve(`refs/heads/${file.base.branch}`))) || file.base.commit;
  if (base === '' || (await isThere(git, { head, base }))) return 0;
  return (await git.commitsBetween(base, head, MOST_COMMITS)).count;
}

async function runFacts({ stateDir }: StreamTree) {
  const [record, atWork, supervisor] = await Promise.all([
    readRunRecord(stateDir),
    runAtWork(stateDir),
    supervisorOf(stateDir),
  ]);
  const lines = (await readLedger(stateDir)).filter(
    (line): line is LedgerIteration => line.kind === 'iteration' && line.run === record?.run,
  );
  return {
    state: stateOf(record, atWork !== null),
    run: record?.run ?? null,
    ended: record?.ended?.reason ?? null,
    iterations: lines.length,
    maxIterations: record?.limits?.maxIterations ?? record?.maxIterations ?? null,
    costUsd: sumCosts(lines.map(({ costUsd }) => costUsd)),
    supervised: supervisor !== null,
    waiting: record?.ended === null ? (record.waiting ?? null) : null,
  };
}

function stateOf(record: RunRecord | null, isAtWork: boolean): StreamNow {
  if (isAtWork) return 'running';
  if (record === null) return 'new';
  if (record.ended !== null) return 'ended';
  return record.between ? 'between' : 'cut-off';
}

async function storiesOf({ root, file }: StreamTree): Promise<StreamFacts['stories']> {
  if (file === null) return null;
  const workspace = await workspaceOfStream(root, file.specDir).catch(() => null);
  const document = workspace && (await readDocument(workspace).catch(() => null))?.document;
  if (!document) return null;
  return countStories(document.backlog.stories);
}

const HOUR_MS = 3_600_000;

interface Books {
  readonly iterations: readonly LedgerIteration[];
  /** Ids of runs that have not ended. */
  readonly open: ReadonlySet<string>;
}

/**
 * What all work trees of the repositories used of the limits that streams share: starts within the last hour, and the
 * cost of open runs.
 * @param own roots of the work trees whose turns the caller counts itself: of these only what exists now counts
 * @returns a function that reads it again
 */
export async function usedByOthers(gits: readonly Git[], own: ReadonlySet<string>): Promise<() => Promise<TurnUse>> {
  const books = async (isMeant: (root: string) => boolean) => {
    const all = (await Promise.all(gits.map((git) => git.worktrees()))).flat();
    const trees = all.filter(({ root, missing }) => !missing && isMeant(root));
    return together(await Promise.all(trees.map(booksOf)));
  };
  const before = await books((root) => own.has(root));
  return async () => usedIn(together([before, await books((root) => !own.has(root))]), Date.now());
}

function usedIn({ iterations, open }: Books, now: number): TurnUse {
  const each = eachOnce(iterations);
  const { costUsd, tokens } = turnUse(each.filter(({ run }) => open.has(run)));
  return { costUsd, tokens, calls: turnUse(each).calls.filter((at) => at > now - HOUR_MS) };
}

/**
 * Ledgers of lanes begin as a copy of their run's, which takes over their later lines: lines that the run has count as
 * its own, the rest as the lane's.
 */
function eachOnce(iterations: readonly LedgerIteration[]): readonly LedgerIteration[] {
  const found = new Map<string, LedgerIteration>();
  const marked = (line: LedgerIteration) => laneMarkOf(line) !== null;
  for (const line of [...iterations.filter(marked), ...iterations.filter((one) => !marked(one))]) {
    const { run, iteration } = laneMarkOf(line) ?? line;
    const key = `${run} ${iteration}`;
    // The first line has the cost; a later one only revokes what it said of the story.
    if (!found.has(key)) found.set(key, line);
  }
  return [...found.values()];
}

async function booksOf({ gitDir }: WorktreeEntry): Promise<Books> {
  const stateDir = `${gitDir}/ralph`;
  try {
    const [lines, record] = await Promise.all([readLedger(stateDir), readRunRecord(stateDir)]);
    return {
      iterations: lines.filter((line) => line.kind === 'iteration'),
      open: new Set(record?.ended === null ? [record.run] : []),
    };
  } catch (error) {
    // A process that works there gets the error; it must not keep the others from working.
    if (error instanceof RalphError) return { iterations: [], open: new Set() };
    throw error;
  }
}

function together(all: readonly Books[]): Books {
  return {
    iterations: all.flatMap(({ iterations }) => iterations),
    open: new Set(all.flatMap(({ open }) => [...open])),
  };
}
