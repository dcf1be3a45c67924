import type { Env } from '../../contracts/index.ts';
import { knowEnvironment, leaveOutWorkTree, withoutSecrets } from '../../platform/index.ts';

export interface Output {
  write(text: string): unknown;
}

/** What a command may know of its process, and where it prints; tests pass their own. */
export interface Io {
  readonly cwd: string;
  readonly env: Env;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly isTTY: boolean;
  /** The current width of the terminal; without one that of `COLUMNS`, else 80. */
  readonly columns: number;
}

/**
 * The real process. A closed reader (`ralph log | head`) is no error and stops nothing. From here on the secrets of its
 * environment are known, and neither stream shows one.
 */
export function processIo(): Io {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') process.exitCode = 1;
    });
  }
  knowEnvironment(process.env);
  const cwd = process.cwd();
  leaveOutWorkTree(process.env, cwd);
  return {
    cwd,
    env: process.env,
    stdout: { write: (text) => process.stdout.write(withoutSecrets(text)) },
    stderr: { write: (text) => process.stderr.write(withoutSecrets(text)) },
    isTTY: process.stdout.isTTY === true,
    get columns() {
      return process.stdout.columns ?? columnsIn(process.env);
    },
  };
}

/** A user who pipes into a pager sets its width. */
function columnsIn({ COLUMNS }: NodeJS.ProcessEnv): number {
  const columns = Number(COLUMNS);
  return Number.isInteger(columns) && columns > 0 ? columns : 80;
}

/** The same process, whose output goes elsewhere. */
export function withStdout(io: Io, stdout: Output, { env = io.env, columns = () => io.columns } = {}): Io {
  const { cwd, stderr, isTTY } = io;
  return {
    ...{ cwd, env, stdout, stderr, isTTY },
    get columns() {
      return columns();
    },
  };
}
