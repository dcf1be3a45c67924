import { runCommand, SpawnFailed } from '../../platform/index.ts';
import type { Env } from './port.ts';

interface RunTextOptions {
  readonly env: Env;
  /** Default: the root folder. */
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly maxBytes?: number;
  readonly input?: Uint8Array | null | undefined;
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
  readonly marker?: string;
}

/** How a program ended. */
interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** It could not be started; `stderr` says why. */
  readonly failed: SpawnFailed | null;
}

/** Runs a program to its end; its output as text. */
export async function runText(file: string, args: readonly string[], options: RunTextOptions): Promise<Ran> {
  const { input, onOutput, ...rest } = options;
  const more = { ...(input ? { input } : {}), ...(onOutput ? { onOutput } : {}) };
  try {
    const { exitCode, stdout, stderr, timedOut } = await runCommand(file, args, { cwd: '/', ...rest, ...more });
    return { exitCode, stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8'), timedOut, failed: null };
  } catch (error) {
    if (!(error instanceof SpawnFailed)) throw error;
    return { exitCode: null, stdout: '', stderr: error.message, timedOut: false, failed: error };
  }
}
