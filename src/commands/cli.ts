import { describeError, RalphError } from '../contracts/errors.ts';
import { ExitCode } from '../contracts/model.ts';
import type { Io } from '../surfaces/terminal/io.ts';

/**
 * One command line, from arguments to exit code: the only place where errors become text and codes.
 * @param argv without node and script
 */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  try {
    if (argv.length === 0) return await (await import('./home.ts')).home(io);
    return await (await import('./program.ts')).runProgram(argv, io);
  } catch (error) {
    io.stderr.write(`${describeError(error)}\n`);
    if (io.env['RALPH_DEBUG'] === '1' && error instanceof Error) io.stderr.write(`${error.stack}\n`);
    return error instanceof RalphError ? error.exitCode : ExitCode.incomplete;
  }
}
