import type { AgentError, AgentEvent, AgentResult, StopReason } from '../../contracts/agent.ts';
import { RalphError } from '../../contracts/errors.ts';
import { NO_USAGE } from '../../contracts/model.ts';
import type { AgentOutcome } from '../../contracts/state/agent-outcome.ts';
import type { Clock } from '../../platform/clock.ts';
import { SpawnFailed } from '../../platform/process/run-command.ts';
import { type Supervised, supervise } from '../../platform/process/supervise.ts';
import type { Isolation, Mount, WrappedCommand } from '../isolation/port.ts';
import { agentEnvironment } from './environment.ts';
import { lineSplitter } from './line-splitter.ts';
import type { AgentAdapter, AgentCommand, AgentTask } from './port.ts';
import { refusalOf } from './refusal.ts';
import { tailOf } from './tail.ts';
import { reasonToStop, stopReasonOf } from './watch.ts';

/** Between TERM and KILL. */
const DEFAULT_GRACE_MS = 5_000;
/** Standard error kept to explain a failure, bytes. */
const STDERR_TAIL_BYTES = 8 * 1024;

export interface StartOptions {
  readonly isolation: Isolation;
  /** What this process alone sees inside, beside its private folder: its guest git dir. */
  readonly mounts?: readonly Mount[];
  readonly clock: Clock;
  /** Longest life of the process, milliseconds. */
  readonly timeoutMs: number;
  /** Longest time without any output, milliseconds. */
  readonly idleTimeoutMs: number;
  /** Between TERM and KILL when it is stopped, milliseconds; default 5 s. */
  readonly graceMs?: number;
  /** Stops the agent; abort it with a {@link StopReason}. */
  readonly signal: AbortSignal;
  /** Called once, when the process exists. Must not throw. */
  readonly onStart?: (pid: number) => void;
  /** Every translated event, in order. Must not throw. */
  readonly onEvent: (event: AgentEvent) => void;
  /** Everything the process prints on either stream, as it comes, for the iteration's log. Must not throw. */
  readonly onOutput: (chunk: Buffer) => void;
}

/** How an agent process went; `pid` is null when none came to life. */
export type AgentRun = AgentOutcome & { readonly pid: number | null };

/**
 * Runs one agent process from start to end: inside its isolation, under the warden, with its output translated into
 * events, stopped at its time limits or when `signal` aborts. Resolves when no process of it is left, background
 * children included. A program that does not start is an outcome (`unavailable`), not an exception, and so is a task that
 * the adapter cannot build a command for (bypass as root, a scenario that was broken since): other agents may go on.
 */
export async function startAgent(adapter: AgentAdapter, task: AgentTask, options: StartOptions): Promise<AgentRun> {
  const startedAt = options.clock.now();
  const outcome = (pid: number | null, stopped: StopReason | null, result: AgentResult): AgentRun => ({
    pid,
    stopped,
    result,
    startedAt,
    endedAt: options.clock.now(),
  });

  const command = await commandFor(adapter, task);
  if (command instanceof RalphError) return outcome(null, null, noProcess(refusalOf(command)));
  if (options.signal.aborted) {
    return outcome(
      null,
      stopReasonOf(options.signal),
      noProcess({ kind: 'crash', message: 'stopped before it was started' }),
    );
  }
  const translation = translate(adapter, task, options);
  const inside = await options.isolation.wrap({
    file: command.file,
    args: command.args,
    cwd: command.cwd,
    env: command.env,
    mounts: [{ from: task.tempDir, at: task.tempDir, writable: true }, ...(options.mounts ?? [])],
  });
  try {
    const started = await spawn(inside, command.stdin, task, translation);
    if (started instanceof SpawnFailed) {
      return outcome(null, null, noProcess({ kind: 'unavailable', message: started.message }));
    }
    options.onStart?.(started.pid);
    const { exit, stopped } = await untilEnd(started, options, translation.lastLife);
    return outcome(started.pid, stopped, translation.end(exit));
  } finally {
    await inside.end();
  }
}

async function commandFor(adapter: AgentAdapter, task: AgentTask): Promise<AgentCommand | RalphError> {
  try {
    return await adapter.command({ ...task, env: agentEnvironment(task.env, task) });
  } catch (error) {
    if (error instanceof RalphError) return error;
    throw error;
  }
}

async function spawn(
  { file, args, cwd, env }: WrappedCommand,
  stdin: string,
  task: AgentTask,
  translation: Translation,
): Promise<Supervised | SpawnFailed> {
  try {
    return await supervise({
      file,
      args,
      cwd,
      env,
      stdin,
      marker: task.run,
      scratch: task.tempDir,
      onStdout: translation.stdout,
      onStderr: translation.stderr,
    });
  } catch (error) {
    if (error instanceof SpawnFailed) return error;
    throw error;
  }
}

type Exit = Awaited<Supervised['exited']>;

/** Waits for the end of the process, stopping it when its time is up, then sweeps what it left in the background. */
async function untilEnd(
  agent: Supervised,
  options: StartOptions,
  lastLife: () => number,
): Promise<{ exit: Exit; stopped: StopReason | null }> {
  const graceMs = options.graceMs ?? DEFAULT_GRACE_MS;
  const ended = new AbortController();
  const exited = agent.exited.finally(() => ended.abort());
  const stopped = await reasonToStop({ ...options, lastLife, ended: ended.signal });
  if (stopped) await agent.stop(graceMs);
  const exit = await exited;
  // A normal end leaves `cmd &` and setsid children alive: stopping again finds them by their marker.
  await agent.stop(graceMs);
  return { exit, stopped };
}

interface Translation {
  stdout(chunk: Buffer): void;
  stderr(chunk: Buffer): void;
  lastLife(): number;
  end(exit: Exit): AgentResult;
}

/** Joins the byte streams of a process to the adapter's translator. */
function translate(adapter: AgentAdapter, task: AgentTask, options: StartOptions): Translation {
  const translator = adapter.translator(task);
  const errors = tailOf(STDERR_TAIL_BYTES);
  let life = options.clock.now();
  const lines = lineSplitter({
    onLine: (line) => translator.line(line).forEach(options.onEvent),
    onDropped: (bytes) => options.onEvent({ type: 'notice', text: `a line of ${bytes} bytes of output was dropped` }),
  });
  return {
    stdout(chunk) {
      life = options.clock.now();
      options.onOutput(chunk);
      lines.push(chunk);
    },
    stderr(chunk) {
      life = options.clock.now();
      options.onOutput(chunk);
      errors.push(chunk);
    },
    lastLife: () => life,
    end(exit) {
      lines.end();
      return translator.end({ ...exit, stderr: errors.text() });
    },
  };
}

function noProcess(error: AgentError): AgentResult {
  return {
    exitCode: null,
    signal: null,
    ok: false,
    text: '',
    usage: NO_USAGE,
    costUsd: null,
    turns: null,
    sessionId: null,
    limit: null,
    error,
  };
}
