import type { Git } from '../adapters/git/port.ts';
import { readDocument } from '../adapters/workspace/backlog/document.ts';
import { readLedger } from '../adapters/workspace/records/ledger.ts';
import { readRunRecord } from '../adapters/workspace/records/run-record.ts';
import { listStreams, type StreamTree } from '../adapters/workspace/worktrees/places.ts';
import { RalphError } from '../contracts/errors.ts';
import type { EndReason } from '../contracts/model.ts';
import type { LedgerIteration } from '../contracts/state/ledger.ts';
import type { RunRecord, Waiting } from '../contracts/state/run-record.ts';
import { lockHolder } from '../platform/lock/lock.ts';
import { sumDollars } from '../rules/amounts.ts';
import { isDone } from '../rules/backlog/select.ts';
import { streamPlace } from '../rules/view/stream-place.ts';
import { supervisorOf } from './supervisor-lock.ts';
import { workspaceOfStream } from './tree.ts';

/**
 * `new`: no run yet. `between`: its run is open, and nobody takes a turn now. `cut-off`: its last turn was killed, and
 * the next one recovers it. `gone`: git knows the work tree, but its folder was deleted.
 */
export type StreamNow = 'new' | 'running' | 'between' | 'cut-off' | 'ended' | 'gone';

/** How a stream stands, by what is in its work tree: whoever works on it, or nobody. */
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
  /** null when nobody said what anything cost. */
  readonly costUsd: number | null;
  /** Somebody lets it take turns, be it under way now or not. */
  readonly supervised: boolean;
  /** What its run waits for; null when it does not. */
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

/** The work trees of streams; lanes of a run with `--parallel` are none. */
export async function streamTrees(git: Git): Promise<readonly StreamTree[]> {
  return (await listStreams(git)).filter(({ root }) => streamPlace(root)?.lane === null);
}

/** As runs name themselves in the lock; other holders are commands. */
const RUN_NAME = /^\d{8}-\d{6}-[a-z0-9]+$/;
/** More than that are told as so many. */
const MOST_COMMITS = 1;

/** The facts of a stream. One that is damaged says so, and hides no other. */
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

/** Commits of a stream that are not where it came from. */
export async function unmergedCommits(git: Git, { head, file }: StreamTree): Promise<number> {
  if (file === null || head === '') return 0;
  const base = (file.base.branch && (await git.resolve(`refs/heads/${file.base.branch}`))) || file.base.commit;
  if (base === '') return 0;
  return (await git.commitsBetween(base, head, MOST_COMMITS)).count;
}

/** The run that somebody works on in a work tree now; null when nobody does. */
export async function runAtWork(stateDir: string): Promise<string | null> {
  const holder = await lockHolder(`${stateDir}/lock`);
  return holder !== null && RUN_NAME.test(holder.run) ? holder.run : null;
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
  const costs = lines.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]));
  return {
    state: stateOf(record, atWork !== null),
    run: record?.run ?? null,
    ended: record?.ended?.reason ?? null,
    iterations: lines.length,
    maxIterations: record?.limits?.maxIterations ?? record?.maxIterations ?? null,
    costUsd: costs.length === 0 ? null : sumDollars(costs),
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
  const { stories } = document.backlog;
  const done = stories.filter(isDone).length;
  const blocked = stories.filter((story) => story.blocked !== undefined && !isDone(story)).length;
  return { total: stories.length, done, blocked };
}
