import type { ChildProcess } from 'node:child_process';
import { type Lineage, startInLineage } from './lineage.ts';
import { MARKER_VARIABLE } from './process-table.ts';
import { childExit, type Exit } from './start-child.ts';
import { killFamily } from './tree-kill.ts';
import { startWarden } from './warden.ts';

/** Time that a command gets between SIGTERM and SIGKILL after a timeout. */
const GRACE_MS = 2000;
/** The same for processes that it left running in the background. */
const LEFTOVER_GRACE_MS = 500;

export interface RunCommandOptions {
  readonly cwd: string;
  /** The complete environment; default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Written to standard input; without it, standard input is empty. */
  readonly input?: string | Uint8Array;
  readonly timeoutMs?: number;
  /** How many bytes to keep of the end of each stream; default: all. */
  readonly maxBytes?: number;
  /** Aborting ends the command and all that it started. */
  readonly signal?: AbortSignal;
  /** Receives both streams, as output arrives. Must not throw. */
  onOutput?(chunk: Buffer): void;
  /**
   * For commands from the project (checks): the value of RALPH_RUN_ID. No process that carries it outlives the command,
   * or this process if it is killed. Must be unique to this command.
   */
  readonly marker?: string;
}

export interface CommandResult extends Exit {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly timedOut: boolean;
  /** Output beyond `maxBytes` was dropped from its beginning. */
  readonly truncated: boolean;
}

/**
 * Runs a program to its end. Any exit code is a result; only a program that does not start throws ({@link
 * SpawnFailed}). A timeout or an abort ends the whole tree; a silent grandchild that keeps the pipes open delays the
 * result by at most 250 ms.
 */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: RunCommandOptions,
): Promise<CommandResult> {
  const { marker } = options;
  const warden = marker === undefined ? null : await startWarden(marker);
  try {
    const env = options.env ?? process.env;
    const lineage = warden?.lineage ?? null;
    const child = await startInLineage(lineage, file, args, {
      cwd: options.cwd,
      env: marker === undefined ? env : { ...env, ...warden?.env, [MARKER_VARIABLE]: marker },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      // A separate session: Ctrl-C is for the loop, and must not interrupt a git command halfway.
      detached: true,
    });
    warden?.watch(child.pid);
    child.once('exit', () => warden?.watch(null));
    const result = await finish(child, options, lineage);
    if (marker !== undefined) await killFamily({ marker, lineage }, { graceMs: LEFTOVER_GRACE_MS });
    return result;
  } finally {
    warden?.release();
  }
}

async function finish(
  child: ChildProcess & { pid: number },
  options: RunCommandOptions,
  lineage: Lineage | null,
): Promise<CommandResult> {
  const stdout = collect(child, 'stdout', options);
  const stderr = collect(child, 'stderr', options);
  const exited = childExit(child);
  child.stdin?.on('error', () => {}); // closed early by a program that does not read: its right
  child.stdin?.end(options.input);

  let killing: Promise<unknown> | null = null;
  let timedOut = false;
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  const end = () => {
    if (ended) return;
    const { marker } = options;
    const family = { root: child.pid, lineage, ...(marker === undefined ? {} : { marker }) };
    killing ??= killFamily(family, { graceMs: GRACE_MS });
  };
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = !ended;
          end();
        }, options.timeoutMs);
  options.signal?.addEventListener('abort', end);
  if (options.signal?.aborted) end();

  const exit = await exited;
  clearTimeout(timer);
  options.signal?.removeEventListener('abort', end);
  await killing;
  return {
    ...exit,
    stdout: stdout.bytes(),
    stderr: stderr.bytes(),
    timedOut,
    truncated: stdout.truncated() || stderr.truncated(),
  };
}

/** Collects the last `maxBytes` of a stream. */
function collect(
  child: ChildProcess,
  stream: 'stdout' | 'stderr',
  { maxBytes = Number.POSITIVE_INFINITY, onOutput }: RunCommandOptions,
) {
  const chunks: Buffer[] = [];
  let kept = 0;
  let dropped = false;
  child[stream]?.on('data', (chunk: Buffer) => {
    onOutput?.(chunk);
    chunks.push(chunk);
    kept += chunk.length;
    for (let first = chunks[0]; first && kept - first.length >= maxBytes; first = chunks[0]) {
      chunks.shift();
      kept -= first.length;
      dropped = true;
    }
  });
  return {
    bytes: () => Buffer.concat(chunks, kept).subarray(Math.max(0, kept - maxBytes)),
    truncated: () => dropped || kept > maxBytes,
  };
}
