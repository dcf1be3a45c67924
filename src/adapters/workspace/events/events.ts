import type { AgentEvent } from '../../../contracts/agent.ts';
import { StateError } from '../../../contracts/errors.ts';
import { EVENTS_VERSION, type EventBody, type RalphEvent } from '../../../contracts/events.ts';
import type { Mode, Verdict } from '../../../contracts/model.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type AppendLog, openAppendLog } from '../../../platform/files/append-log.ts';
import { agentLogPath, runFolder } from '../paths.ts';
import { type AgentLog, openAgentLog } from './agent-log.ts';
import { redactedValue } from './redact/redact.ts';
import { redactPieces } from './redact/redact-block.ts';

/** The first line of `events.jsonl`; it is not an event. */
interface EventLogHeader {
  readonly type: 'log';
  readonly version: number;
  readonly run: string;
}

/** One line of `index.jsonl`: where an iteration is in `events.jsonl`, and what came of it. */
export interface IterationIndex {
  readonly iteration: number;
  /** Byte offsets: of its first event, and behind its last. Events of other lanes may lie between. */
  readonly start: number;
  readonly end: number;
  readonly mode: Mode | null;
  readonly story: string | null;
  readonly verdict: Verdict | null;
  readonly durationMs: number;
  readonly costUsd: number | null;
}

export interface EventLog {
  /**
   * Writes one event, redacted, and returns it as it was written. Never throws: a full disk must not stop the loop.
   */
  emit(iteration: number, body: EventBody): RalphEvent;
  /** Appends raw output of an iteration's agent to `<iteration>.log`, redacted. Never throws. */
  agentOutput(iteration: number, chunk: Uint8Array): void;
  close(): void;
}

type Progress = Omit<IterationIndex, 'end' | 'durationMs' | 'costUsd'>;

/**
 * Opens the event log of a run; a resumed run goes on in its old one. One write per event, not fsynced: events are
 * shown to people and decide nothing.
 * @throws StateError when the folder cannot be written: better not to start than to run unseen.
 */
export async function openEventLog(root: string, run: string, clock: Clock): Promise<EventLog> {
  const folder = `${root}/${runFolder(run)}`;
  const agents = new Map<number, AgentLog>();
  const open = new Map<number, Progress>();
  const pieces = new Map<number, (piece: string) => string>();
  let log = openOrRefuse(folder, run);

  function write(event: RalphEvent): void {
    if (event.type === 'select') log = reopened(log, folder, run);
    const start = log.size();
    log.append(JSON.stringify(event));
    if (event.iteration > 0) track(event, start);
  }

  function track(event: RalphEvent, start: number): void {
    const before = open.get(event.iteration) ?? {
      iteration: event.iteration,
      start,
      mode: null,
      story: null,
      verdict: null,
    };
    if (event.type === 'select') open.set(event.iteration, { ...before, mode: event.mode, story: event.story });
    else if (event.type === 'verdict') open.set(event.iteration, { ...before, verdict: event.verdict });
    else if (event.type === 'iteration-end') endIteration(before, event.durationMs, event.costUsd);
    else open.set(event.iteration, before);
  }

  function endIteration(progress: Progress, durationMs: number, costUsd: number | null): void {
    open.delete(progress.iteration);
    pieces.delete(progress.iteration);
    closeAgent(progress.iteration);
    appendOnce(`${folder}/index.jsonl`, { ...progress, end: log.size(), durationMs, costUsd });
  }

  function closeAgent(iteration: number): void {
    agents.get(iteration)?.close();
    agents.delete(iteration);
  }

  function withoutPieces(iteration: number, body: EventBody): EventBody {
    if (body.type !== 'agent') return body;
    // What begins in one event may go on in the next.
    const redactPiece = pieces.get(iteration) ?? redactPieces();
    pieces.set(iteration, redactPiece);
    return { ...body, event: saidBy(body.event, redactPiece) };
  }

  return {
    emit(iteration, body) {
      const ts = new Date(clock.now()).toISOString();
      const event: RalphEvent = redactedValue({ ts, run, iteration, ...withoutPieces(iteration, body) });
      quietly(() => write(event));
      return event;
    },
    agentOutput(iteration, chunk) {
      quietly(() => {
        const agent = agents.get(iteration) ?? openAgentLog(`${root}/${agentLogPath(run, iteration)}`);
        agents.set(iteration, agent);
        agent.write(chunk);
      });
    },
    close() {
      for (const iteration of [...agents.keys()]) quietly(() => closeAgent(iteration));
      log.close();
    },
  };
}

/** The event with another text in it, where it has one. */
function saidBy(event: AgentEvent, change: (text: string) => string): AgentEvent {
  if (event.type === 'text' || event.type === 'notice') return { ...event, text: change(event.text) };
  if (event.type === 'tool-call' || event.type === 'tool-result') return { ...event, summary: change(event.summary) };
  return event;
}

function openOrRefuse(folder: string, run: string): AppendLog {
  try {
    return openWithHeader(folder, run);
  } catch (error) {
    throw new StateError({
      what: 'the event log cannot be written',
      where: folder,
      why: error instanceof Error ? error.message : String(error),
      mend: ['make room, or make .ralph/runs/ a folder you may write'],
    });
  }
}

function openWithHeader(folder: string, run: string): AppendLog {
  const log = openAppendLog(`${folder}/events.jsonl`);
  const header: EventLogHeader = { type: 'log', version: EVENTS_VERSION, run };
  if (log.size() === 0) log.append(JSON.stringify(header));
  return log;
}

/** Once per iteration: an agent may have deleted the folder under the open file, and what follows would be lost. */
function reopened(old: AppendLog, folder: string, run: string): AppendLog {
  const log = openWithHeader(folder, run);
  old.close();
  return log;
}

function appendOnce(path: string, line: IterationIndex): void {
  const log = openAppendLog(path);
  log.append(JSON.stringify(line));
  log.close();
}

/** Full disk, vanished folder, lost permission: the run goes on, the record of it has a gap. */
function quietly(write: () => void): void {
  try {
    write();
  } catch {
    // Nobody to tell: what would report it is what failed.
  }
}
