import type { AfterState, Checkpoint } from '../adapters/git/index.ts';
import type { Isolation } from '../adapters/isolation/index.ts';
import { writeRunRecord } from '../adapters/workspace/index.ts';
import type {
  AgentOutcome,
  Config,
  EventBody,
  IterationHeader,
  LedgerIteration,
  LedgerLine,
  RememberedNotice,
  RunRecord,
  TurnOutcome,
} from '../contracts/index.ts';
import type { Snapshot } from '../rules/judge/index.ts';
import { type LeftBudgets, livedMs, type Shared, spentIn } from '../rules/safeguards/index.ts';
import type { EgressLog } from './inside/egress.ts';
import type { AgentTree, ControlServer, RoomPort, RunPlugins, RunPorts, RunRequest, RunSteering } from './ports.ts';
import type { ShowBacklog } from './report/events.ts';
import type { Book } from './room/book.ts';

/** What the loop works with: all of it stays the same while the run lives. */
interface Ports extends Omit<RunPorts, 'room' | 'openControl'> {
  /** The work tree and git dir, as the agents see and leave them. */
  readonly agentTree: AgentTree;
  /** Where agents reach hooks and tools, and people the events. */
  readonly control: ControlServer;
  /** Instructions from people outside the run. */
  readonly steering: RunSteering;
  /** Analyzers, exit conditions, test detectors and event sinks of the configuration. */
  readonly plugins: RunPlugins;
  /** Connections that the isolation refused. */
  readonly egress: EgressLog;
}

/** What changes while a run lives. */
interface RunState {
  /** Null where checks run in the work tree; set to null once, at the baseline, where the room cannot work. */
  room: CleanRoom | null;
  /** Replaced once, before the first iteration, where checks found in the project are used. */
  config: Config;
  /** Replaced, never mutated, and written to disk each time. */
  record: RunRecord;
  /** The last write of the record: one after the other, each of what is then known. Null before the first. */
  saving: Promise<void> | null;
  /** Appended to when an iteration is closed, and by instructions from people. */
  readonly ledger: LedgerLine[];
  /** Notices that a person must know at the end; saved by `saveRecord`. */
  remembered: readonly RememberedNotice[];
  /** Ignored folders that disappeared in an iteration of this run; saved likewise. */
  gone: readonly string[];
  /** Pending while the checks of the run's first tree run beside the first agent. */
  baseline: Promise<void> | null;
  /** The iteration under way, and since when (epoch ms); null between iterations. */
  current: { readonly iteration: number; readonly startedAt: number } | null;
  /** Full name of the branch of this run's iterations; null when detached; unknown before the first. */
  branch?: string | null;
}

/** What a run reports, to people and programs alike. */
interface Reports {
  readonly emit: (iteration: number, body: EventBody) => void;
  /** Reports the state of the stories each time they are read. */
  readonly showBacklog: ShowBacklog;
  /** Raw bytes of the agent for `<iteration>.log`. */
  readonly agentOutput: (iteration: number, chunk: Uint8Array) => void;
}

/** What follows a turn of a run that continues. */
export type Between = Exclude<TurnOutcome, { readonly kind: 'done' }>;

/** A run under way. A function takes the parts of it that it uses. */
export interface RunContext extends Ports, RunState, Reports {
  readonly run: string;
  readonly request: RunRequest;
  /** Number of ledger lines when this process took up the run. */
  readonly linesBefore: number;
  /** What was left at that time of budgets that this run shares with others; absent: it shares none. */
  readonly left?: LeftBudgets;
  /** This turn follows one that this process ended normally: what a start prepares and announces is done. */
  readonly continues: boolean;
}

/** Replaces the run record, here and on disk, with what a person has to know by now and what is missing. */
export async function saveRecord(
  context: Pick<RunContext, 'git' | 'record' | 'remembered' | 'gone' | 'saving'>,
  change: Partial<RunRecord> = {},
): Promise<void> {
  const { git, record, remembered, gone } = context;
  context.record = { ...record, ...change, remembered, gone };
  const before = context.saving?.catch(() => undefined) ?? Promise.resolve();
  context.saving = before.then(() => writeRunRecord(git.repo.stateDir, context.record));
  await context.saving;
}

/** How long the run has been alive, milliseconds, including the current iteration. */
export function aliveMs({
  ledger,
  record,
  clock,
  current,
}: Pick<RunContext, 'ledger' | 'record' | 'clock' | 'current'>): number {
  const now = clock.now();
  if (current === null) return livedMs(record, ledger, now);
  // A wait between two tries is part of the iteration.
  return livedMs({ ...record, waiting: null }, ledger, now) + Math.max(0, now - current.startedAt);
}

/**
 * The budgets that this run shares with others, with what it has used since they were reported; null: it shares none.
 */
export function sharedOf({
  ledger,
  linesBefore,
  left,
}: Pick<RunContext, 'ledger' | 'linesBefore' | 'left'>): Shared | null {
  if (!left) return null;
  const since = ledger.slice(linesBefore).filter((line): line is LedgerIteration => line.kind === 'iteration');
  return { left, used: spentIn(since) };
}

/** What running a command inside requires: less than a run, so that a work tree can be set up before one. */
export type InsidePorts = Pick<
  RunContext,
  'checksIsolation' | 'isolation' | 'agents' | 'config' | 'env' | 'git' | 'run' | 'signal'
>;

/** What a set-up requires: less than a run, so that a work tree can be prepared before one. */
export type SetUpPorts = InsidePorts & Pick<RunContext, 'clock' | 'emit'>;

/** What checks require: less than a run, so that a merge can be checked before it is made. */
export type CheckPorts = SetUpPorts &
  Pick<RunContext, 'plugins'> & {
    /** Gets more of a check's output than its result keeps: the last 256 KB. */
    readonly seeOutput?: (command: string, output: string) => void;
  };

/** A checkout of the loop's own, in which no agent works. */
export interface CleanRoom extends RoomPort {
  readonly book: Book;
  /** Paths of the person's files that are copied there, each starting with `/`. */
  readonly copies: readonly string[];
  /** What a result depends on in addition to the tree: the settings of the set-up and the copied files. */
  readonly setUp: string;
  /** The person's PATH without folders of the work tree, where an agent can write. */
  readonly searchPath: string;
  /** The isolation, prepared when first needed. */
  readonly opened: () => Promise<Isolation>;
  /** The tree without the files that the loop writes: this is what is judged. Computed once per tree. */
  readonly treeOf: (tree: string, loopFiles: readonly string[]) => Promise<string>;
  /** The work of a tree is on the branch: what its checks left in ignored files may stay. */
  readonly accept: (tree: string) => Promise<void>;
  /** Runs one task at a time in the room. */
  readonly inTurn: <T>(task: () => Promise<T>) => Promise<T>;
  close(): Promise<void>;
}

/** An iteration whose agent has ended. */
export interface Ended {
  readonly header: IterationHeader;
  readonly checkpoint: Checkpoint;
  readonly snapshot: Snapshot;
  readonly outcome: AgentOutcome;
  readonly after: AfterState;
}
