import { runCommand, SpawnFailed } from '../../../platform/process/run-command.ts';

/** A missing sign-in makes sbx ask, and then it waits; a daemon that hangs is waited for as well. */
const PATIENCE_MS = 30_000;
/** Of each stream; a list of sandboxes is some kilobytes. */
const MOST_BYTES = 1024 * 1024;

/** How a command of sbx ended. */
export interface SbxAnswer {
  /** No contract: what sbx says counts more. Null when it was ended. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

export interface SbxRunOptions {
  /** Default: 30 s. */
  readonly timeoutMs?: number;
  /** Either stream, as it comes. Must not throw. */
  readonly onOutput?: (chunk: Buffer) => void;
}

/** Runs `sbx` with these arguments and nothing to read; null when there is no such program. */
export type RunSbx = (args: readonly string[], options?: SbxRunOptions) => Promise<SbxAnswer | null>;

/** The real thing, found on the person's PATH. */
export function sbxRunner(env: Readonly<Record<string, string | undefined>>, program = 'sbx'): RunSbx {
  return async (args, { timeoutMs = PATIENCE_MS, onOutput } = {}) => {
    try {
      const result = await runCommand(program, args, {
        cwd: '/',
        env,
        timeoutMs,
        maxBytes: MOST_BYTES,
        ...(onOutput ? { onOutput } : {}),
      });
      const { exitCode, timedOut } = result;
      return { exitCode, stdout: result.stdout.toString('utf8'), stderr: result.stderr.toString('utf8'), timedOut };
    } catch (error) {
      if (error instanceof SpawnFailed) return null;
      throw error;
    }
  };
}
