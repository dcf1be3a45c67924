import {
  type AgentError,
  type AgentEvent,
  type AgentOutcome,
  type AgentResult,
  FileProblemsError,
  RalphError,
  type StopReason,
} from '../../contracts/index.ts';
import { type Clock, SpawnFailed, type Supervised, supervise } from '../../platform/index.ts';
import type { Isolation, Mount, WrappedCommand } from '../isolation/index.ts';
import { failure, resultOf } from './ends.ts';
import { agentEnvironment } from './environment.ts';
import { lineSplitter } from './line-splitter.ts';
import type { AgentAdapter, AgentCommand, AgentTask } from './port.ts';
import { reasonToStop, stopReasonOf } from './stop.ts';

/** Time between TERM and KILL. */
const DEFAULT_GRACE_MS = 5_000;
/** Bytes of standard error kept to explain a failure. */
const STDERR_TAIL_BYTES = 8 * 1024;

interface StartOptions {
  readonly isolation: Isolation;
  /** What only this process sees inside, beside its private folder: its guest git dir. */
  readonly mounts?: readonly Mount[];
  readonly clock: Clock;
  /** Longest lifetime of the process, milliseconds. */
  readonly timeoutMs: number;
  /** Longest time without any output, milliseconds. */
  readonly idleTimeoutMs: number;
  /** Time between TERM and KILL when it is stopped, milliseconds; default 5 s. */
  readonly graceMs?: number;
  /** Stops the agent; abort it with a {@link StopReason}. */
  readonly signal: AbortSignal;
  /** Called once, when the process exists. Must not throw. */
  readonly onStart?: (pid: number) => void;
  /** Every translated event, in order. Must not throw. */
  readonly onEvent: (event: AgentEvent) => void;
  /** All output of the process on either stream, as it arrives, for the iteration's log. Must not throw. */
  readonly onOutput: (chunk: Buffer) => void;
}

type AgentRun = AgentOutcome & { readonly pid: number | null };

/**
 * Runs one agent process from start to end: inside its isolation, under the warden, with its output translated into
 * events, stopped at its time limits or when `signal` aborts. Resolves when none of its processes are left, background
 * children included. A program that does not start is an outcome (`unavailable`), not an exception, and so is a task
 * for which the adapter cannot build a command (bypass as root, a broken scenario): other agents may continue.
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

/** Waits for the end of the process, stops it when its time is up, then ends what it left in the background. */
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

type Translation = ReturnType<typeof translate>;

/** Connects the byte streams of a process to the adapter's translator. */
function translate(adapter: AgentAdapter, task: AgentTask, options: StartOptions) {
  const translator = adapter.translator(task);
  const errors = tailOf(STDERR_TAIL_BYTES);
  let life = options.clock.now();
  const lines = lineSplitter({
    onLine: (line) => translator.line(line).forEach(options.onEvent),
    onDropped: (bytes) => options.onEvent({ type: 'notice', text: `a line of ${bytes} bytes of output was dropped` }),
  });
  return {
    stdout(chunk: Buffer): void {
      life = options.clock.now();
      options.onOutput(chunk);
      lines.push(chunk);
    },
    stderr(chunk: Buffer): void {
      life = options.clock.now();
      options.onOutput(chunk);
      errors.push(chunk);
    },
    lastLife: () => life,
    end(exit: Exit): AgentResult {
      lines.end();
      return translator.end({ ...exit, stderr: errors.text() });
    },
  };
}

function noProcess(error: AgentError): AgentResult {
  return resultOf({ exitCode: null, signal: null }, { error });
}

function tailOf(maxBytes: number) {
  let kept = Buffer.alloc(0);
  return {
    push(chunk: Buffer): void {
      // The copy matters: a slice would keep the whole chunk it came from in memory.
      kept = Buffer.from(Buffer.concat([kept, chunk.subarray(-maxBytes)]).subarray(-maxBytes));
    },
    text: () => kept.toString('utf8'),
  };
}

/**
 * Why no command could be built, as the end of an agent that did not start. On one line with the fix, because the run's
 * summary has no more room.
 */
function refusalOf(error: RalphError): AgentError {
  const [problem] = error instanceof FileProblemsError ? error.problems : [];
  const found = problem ? `: ${problem.file}:${problem.line}: ${problem.message}` : '';
  const ways = problem ? [problem.fix] : (error.facts.fix ?? []);
  const fix = ways.length === 0 ? '' : ` (fix: ${ways.join('; or ')})`;
  return failure('unavailable', `${error.facts.what}${found}${fix}`.replace(/\s+/g, ' '));
}
