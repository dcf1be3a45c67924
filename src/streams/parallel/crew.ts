import type { Git } from '../../adapters/git/port.ts';
import type { ConfigFlags } from '../../adapters/workspace/config/config.ts';
import type { LedgerIteration } from '../../contracts/state/ledger.ts';
import type { RunContext } from '../../loop/context.ts';
import type { LaneMark } from '../../rules/streams/lanes.ts';
import type { OpenRun } from '../open-run.ts';
import { type LaneWork, writeLaneWork } from './lane-file.ts';

/** What a run with lanes is given beside what every run is given. */
export interface ParallelInput {
  /** How many stories are worked on at once. */
  readonly lanes: number;
  /** Settings that the command line names. */
  readonly flags: ConfigFlags;
  readonly openRun: OpenRun;
  /** Told before anything else of an iteration: the lane that it is in, 1-based. Must not throw. */
  readonly onIteration: (iteration: number, lane: number) => void;
}

/** A work tree in which one story is worked on at a time. */
export interface Lane {
  /** 1-based. */
  readonly number: number;
  readonly git: Git;
  /** Null while it is free. */
  work: LaneWork | null;
  /** Epoch ms before which its story does not go on. */
  notBefore: number;
  /** The story that it is being made ready for. */
  claimed: string | null;
  /** Agent processes that its turn may start; 0 without one. */
  calls: number;
  /** What the ledger of the run gets of its last iteration, once it is decided whether that stands. */
  held: LaneLine | null;
  /** Why its story, which is done, cannot land before a person makes way. */
  stuck: string | null;
}

/** A line of a lane's ledger as the run has it. */
export type LaneLine = LedgerIteration & { readonly lane: LaneMark };

/** A run with lanes, under way. */
export interface Crew extends ParallelInput {
  readonly context: RunContext;
  /** What stories land on. */
  readonly branch: string;
  /** Those that have a story, and free ones to be used again. */
  readonly team: Lane[];
  /** The number that an iteration of a lane's run has in this one; a new one when it is asked for the first time. */
  readonly numberOf: (run: string, iteration: number, lane: number) => number;
  /** Does something in the work tree of the run, after whatever is done there now. */
  readonly alone: <T>(task: () => Promise<T>) => Promise<T>;
  /** Tells when the breaker has changed its state. */
  readonly tellBreaker: () => void;
}

/** The run with what its ledger does not say yet: what lanes hold until their stories have landed is used all the same. */
export function withHeld({ context, team }: Pick<Crew, 'context' | 'team'>): RunContext {
  return { ...context, ledger: [...context.ledger, ...team.flatMap(({ held }) => held ?? [])] };
}

/** Writes down what a lane does now. */
export async function setWork(lane: Lane, work: LaneWork | null): Promise<void> {
  await writeLaneWork(lane.git.repo.stateDir, work);
  lane.work = work;
}
