import { leaveOutWorkTree } from '../../platform/process/host-environment.ts';

/** Where text goes. */
export interface Output {
  write(text: string): unknown;
}

/** What a command may know of the process it runs in, and where it prints; tests pass their own. */
export interface Io {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What was asked for. */
  readonly stdout: Output;
  /** Errors and warnings. */
  readonly stderr: Output;
  /** Is `stdout` a terminal? */
  readonly isTTY: boolean;
  /** Width of the terminal now; where there is none that of `COLUMNS`, else 80. */
  readonly columns: number;
}

/** The real process. A reader that went away (`ralph log | head`) is no error and stops nothing. */
export function processIo(): Io {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') process.exitCode = 1;
    });
  }
  const cwd = process.cwd();
  leaveOutWorkTree(process.env, cwd);
  return {
    cwd,
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    isTTY: process.stdout.isTTY === true,
    get columns() {
      return process.stdout.columns ?? columnsIn(process.env);
    },
  };
}

/** Whoever pipes into a pager says how wide it is. */
function columnsIn({ COLUMNS }: NodeJS.ProcessEnv): number {
  const columns = Number(COLUMNS);
  return Number.isInteger(columns) && columns > 0 ? columns : 80;
}
