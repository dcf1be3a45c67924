import type { Git } from '../../adapters/git/index.ts';
import {
  type ConfigFlags,
  MOST_BACKLOG_BYTES,
  readStateFile,
  type StateFileKind,
  type Workspace,
} from '../../adapters/workspace/index.ts';
import type { LedgerIteration } from '../../contracts/index.ts';
import { loopFiles, type RunContext } from '../../loop/index.ts';
import { readInside, writePrivate } from '../../platform/index.ts';
import { anyObject, nullOr, object, text } from '../../rules/shape/index.ts';
import type { LaneMark } from '../../rules/streams/index.ts';
import type { OpenRun } from '../set-up.ts';

/** What a run with lanes gets besides the input of every run. */
export interface ParallelInput {
  /** How many stories are worked on at once. */
  readonly lanes: number;
  /** Settings from the command line. */
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
export type LaneLine = LedgerIteration & { readonly lane: LaneMark };

export interface Crew extends ParallelInput {
  readonly context: RunContext;
  /** The branch that stories land on. */
  readonly branch: string;
  /** Lanes with a story, and free ones for reuse. */
  readonly team: Lane[];
  /** The number that an iteration of a lane's run has in this run; assigned on the first call. */
  readonly numberOf: (run: string, iteration: number, lane: number) => number;
  /** Runs a task in the work tree of the run, after the current tasks there. */
  readonly alone: <T>(task: () => Promise<T>) => Promise<T>;
  /** Reports a state change of the breaker. */
  readonly tellBreaker: () => void;
}

/**
 * The run including what its ledger does not have yet: what lanes hold until their stories have landed counts as used.
 */
export function withHeld({ context, team }: Pick<Crew, 'context' | 'team'>): RunContext {
  return { ...context, ledger: [...context.ledger, ...team.flatMap(({ held }) => held ?? [])] };
}

export async function setWork(lane: Lane, work: LaneWork | null): Promise<void> {
  await writeLaneWork(lane.git.repo.stateDir, work);
  lane.work = work;
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

interface LaneFile {
  readonly version: typeof LANE_FILE_VERSION;
  /** null while it is free. */
  readonly work: LaneWork | null;
}

const KIND: StateFileKind = {
  name: 'lane file',
  version: LANE_FILE_VERSION,
  shape: object({ work: nullOr(object({ story: text, base: text, files: anyObject, landing: nullOr(anyObject) })) }),
  mend: 'start again: the story of that lane begins anew; its commits are in the lane until then (`git worktree list`)',
};

/** @throws StateError when it is unreadable (the original is kept aside) or of a later version */
export async function readLaneWork(stateDir: string): Promise<LaneWork | null> {
  const file = (await readStateFile(`${stateDir}/lane.json`, KIND)) as LaneFile | null;
  return file?.work ?? null;
}

/** Replaces it, atomically and fsynced. */
async function writeLaneWork(stateDir: string, work: LaneWork | null): Promise<void> {
  const file: LaneFile = { version: LANE_FILE_VERSION, work };
  await writePrivate(`${stateDir}/lane.json`, `${JSON.stringify(file)}\n`);
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
