import {
  type AgentEvent,
  EVENTS_VERSION,
  type EventBody,
  type Mode,
  messageOf,
  type RalphEvent,
  StateError,
  type Verdict,
} from '../../../contracts/index.ts';
import { type AppendLog, type Clock, openAppendLog } from '../../../platform/index.ts';
import { agentLogPath, runFolder } from '../paths.ts';
import { redact, redactedValue, redactPieces } from './redact.ts';

/** One line of `index.jsonl`: where an iteration is in `events.jsonl`, and its outcome. */
export interface IterationIndex {
  readonly iteration: number;
  /** Byte offsets: of its first event, and of the end of its last. Events of other lanes may lie between. */
  readonly start: number;
  readonly end: number;
  readonly mode: Mode | null;
  readonly story: string | null;
  readonly verdict: Verdict | null;
  readonly durationMs: number;
  readonly costUsd: number | null;
}

interface EventLog {
  /** Writes one event, redacted, and returns it as written. Never throws: a full disk must not stop the loop. */
  emit(iteration: number, body: EventBody, at?: number): RalphEvent;
  /** Appends raw output of an iteration's agent to `<iteration>.log`, redacted. Never throws. */
  agentOutput(iteration: number, chunk: Uint8Array): void;
  close(): void;
}

type Progress = Omit<IterationIndex, 'end' | 'durationMs' | 'costUsd'>;

/**
 * Opens the event log of a run; a resumed run continues its old one. One write per event, not fsynced: events are
 * displayed to people and decide nothing.
 * @throws StateError when the folder cannot be written: it is better not to start than to run unobserved.
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
    // A secret may begin in one event and continue in the next.
    const redactPiece = pieces.get(iteration) ?? redactPieces();
    pieces.set(iteration, redactPiece);
    return { ...body, event: saidBy(body.event, redactPiece) };
  }

  return {
    emit(iteration, body, at = clock.now()) {
      const ts = new Date(at).toISOString();
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

/** The event with its text changed, if it has one. */
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
      why: messageOf(error),
      fix: ['make room, or make .ralph/runs/ a folder you may write'],
    });
  }
}

function openWithHeader(folder: string, run: string): AppendLog {
  const log = openAppendLog(`${folder}/events.jsonl`);
  if (log.size() === 0) log.append(JSON.stringify({ type: 'log', version: EVENTS_VERSION, run }));
  return log;
}

/** Once per iteration: an agent may have deleted the folder under the open file, and later output would be lost. */
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

/** Full disk, missing folder, lost permission: the run continues, with a gap in its record. */
function quietly(write: () => void): void {
  try {
    write();
  } catch {
    // No way to report it: the log itself failed.
  }
}

/** A longer line counts as broken: memory must stay bounded even if an agent floods its output. */
const LONGEST_LINE = 1024 * 1024;

/** How far back in such a line a cutting place is searched for: a secret must not be cut in two. */
const LONGEST_WORD = 4 * 1024;

type AgentLog = ReturnType<typeof openAgentLog>;

/**
 * Opens the log of one iteration's agent for appending, redacted. Text is held back until its line ends, so that a secret that arrives in
 * two chunks is still seen whole; multi-line keys are followed from line to line.
 */
function openAgentLog(path: string) {
  const log = openAppendLog(path);
  const decoder = new TextDecoder();
  const redactPiece = redactPieces();
  let pending = '';

  function flush(upTo: number): void {
    if (upTo <= 0) return;
    // The log adds the newline itself.
    log.append(redact(redactPiece(pending.slice(0, pending[upTo - 1] === '\n' ? upTo - 1 : upTo))));
    pending = pending.slice(upTo);
  }

  return {
    write(chunk: Uint8Array) {
      pending += decoder.decode(chunk, { stream: true });
      flush(safeEnd(pending));
    },
    /** Writes the rest of an unfinished line. */
    close() {
      pending += decoder.decode();
      flush(pending.length);
      log.close();
    },
  };
}

/** Where the text can be cut: after its last line, or after a word of an overlong line. */
function safeEnd(text: string): number {
  const end = text.lastIndexOf('\n') + 1;
  if (end > 0 || text.length <= LONGEST_LINE) return end;
  const word = text.lastIndexOf(' ') + 1;
  return word > text.length - LONGEST_WORD ? word : text.length;
}
