import type { AgentAdapter } from '../adapters/agents/port.ts';
import type { Git } from '../adapters/git/port.ts';
import type { Isolation } from '../adapters/isolation/port.ts';
import type { Workspace } from '../adapters/workspace/layout.ts';
import type { Config } from '../contracts/config.ts';
import type { EventBody } from '../contracts/events.ts';
import type { LedgerLine } from '../contracts/state/ledger.ts';
import type { RememberedNotice, RunLimits, RunRecord } from '../contracts/state/run-record.ts';
import type { Clock } from '../platform/clock.ts';
import type { LeftBudgets } from '../rules/safeguards/api.ts';
import type { ControlServer, OpenControl } from './control.ts';
import type { EgressLog } from './inside/egress.ts';
import type { SteeringDesk } from './persons/steering.ts';
import type { PluginDesk } from './plugin-desk.ts';
import type { CleanRoom, RoomPort } from './room/room.ts';
import type { ShowBacklog } from './tell/show-backlog.ts';

/** What a person asked of this run, beside the configuration. */
export interface RunRequest {
  /** Work on this story only. */
  readonly only: string | null;
  /** Stop once this story is done. */
  readonly until: string | null;
  /** One iteration. */
  readonly once: boolean;
  /** At most one iteration; then the run stays open for the next turn. Instead of waiting it ends the turn. */
  readonly turn: boolean;
  /** Close the breaker first. */
  readonly resetCircuit: boolean;
  /** Limits that the command line names: a run that is resumed keeps the others. */
  readonly limits: Partial<RunLimits>;
}

/** Everything outside that a run touches; effects come in here and nowhere else. */
export interface RunPorts {
  readonly git: Git;
  readonly workspace: Workspace;
  /** In order of preference; at least one. Who does the next iteration is decided at the gate. */
  readonly agents: readonly AgentAdapter[];
  readonly isolation: Isolation;
  /** The same for checks and commit hooks, with no login in their home folders. */
  readonly checksIsolation: Isolation;
  /** Where checks run; null: in the work tree. */
  readonly room: RoomPort | null;
  readonly openControl: OpenControl;
  readonly clock: Clock;
  /** The environment the person started ralph with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by the first SIGINT or SIGTERM, and by `ralph stop --now`; its reason is a `StopReason`. */
  readonly signal: AbortSignal;
}

/** A run under way: its ports, its settings, and what it has recorded so far. */
export interface RunContext extends Omit<RunPorts, 'room'> {
  /** Null where checks run in the work tree; set to it once, at the baseline, where the room cannot work. */
  room: CleanRoom | null;
  /** Replaced once, before the first iteration, where the project's own checks are taken. */
  config: Config;
  readonly request: RunRequest;
  readonly run: string;
  /** Where agents find hooks and tools, and people the events. */
  readonly control: ControlServer;
  /** What people say from outside. */
  readonly steering: SteeringDesk;
  /** Analyzers, exit conditions, test detectors and event sinks of the configuration. */
  readonly plugins: PluginDesk;
  readonly emit: (iteration: number, body: EventBody) => void;
  /** Tells how the stories stand, whenever they were read. */
  readonly showBacklog: ShowBacklog;
  /** Raw bytes of the agent for `<iteration>.log`. */
  readonly agentOutput: (iteration: number, chunk: Uint8Array) => void;
  /** Connections that the isolation refused. */
  readonly egress: EgressLog;
  /** While the checks of the run's first tree run beside the first agent. */
  baseline: Promise<void> | null;
  /** Number of the iteration under way; 0 between iterations. */
  iterationNow: number;
  /** Epoch ms; null between iterations. */
  iterationStartedAt: number | null;
  /** Full name of the branch of this run's iterations, null when detached; not known before the first. */
  branch?: string | null;
  /** Notices that a person must know at the end; they go into the record with its next write. */
  remembered: readonly RememberedNotice[];
  /** Ignored folders that are missing since an iteration of this run. */
  gone: readonly string[];
  /** Replaced, never mutated, as the run goes on. */
  record: RunRecord;
  /** Appended to by conclude only. */
  readonly ledger: LedgerLine[];
  /** Lines that the ledger had when this process took the run up. */
  readonly linesBefore: number;
  /** What is left of budgets that this run shares with others, as of then; absent: it shares none. */
  readonly left?: LeftBudgets;
  /** A turn after one that this process ended in order: what a start prepares and announces is done. */
  readonly continues: boolean;
}
