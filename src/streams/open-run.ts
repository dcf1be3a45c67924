import type { Git } from '../adapters/git/port.ts';
import type { Workspace } from '../adapters/workspace/layout.ts';
import type { Config } from '../contracts/config.ts';
import type { EventSink } from '../contracts/events.ts';
import type { RunPorts } from '../loop/context.ts';
import type { RunInput } from '../loop/run.ts';

/** A work tree in which a run goes on. */
export interface RunPlace {
  readonly git: Git;
  readonly workspace: Workspace;
  readonly config: Config;
}

/** What a run needs beside its place: who works, in which isolation, and who is told. */
export interface OpenedRun
  extends Pick<RunPorts, 'workspace' | 'agents' | 'isolation' | 'checksIsolation' | 'room' | 'openControl'>,
    Pick<RunInput, 'isolationInstead' | 'planted' | 'notices'> {
  /** Tells those whom the settings name. Must not throw. */
  readonly see: EventSink;
  /** After the last event; waits until they have been told. */
  close(): Promise<void>;
}

/**
 * Gathers that; given by the commands, as only they know surfaces and the command line.
 * @throws UnavailableError where no agent, or an isolation that is required, can be had
 */
export type OpenRun = (place: RunPlace) => Promise<OpenedRun>;
