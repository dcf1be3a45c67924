import { describeError, ExitCode, RalphError } from '../contracts/index.ts';
import { type Io, processIo } from '../surfaces/terminal/index.ts';
import { fileTrouble } from './shared/file-trouble.ts';

/**
 * One command line, from arguments to exit code: the only place where errors become text and codes.
 * @param argv without node and script
 */
export async function runCli(argv: readonly string[], io: Io = processIo()): Promise<number> {
  try {
    // Called at every press of the Tab key: it needs nothing of the command line itself.
    if (argv[0] === 'completion' && argv[1] === '--complete')
      return await (await import('./completion/answer.ts')).answerCompletion(argv.slice(argv[2] === '--' ? 3 : 2), io);
    if (argv.length === 0) return await (await import('./home.ts')).home(io);
    return await (await import('./program.ts')).runProgram(argv, io);
  } catch (thrown) {
    const error = fileTrouble(thrown) ?? thrown;
    io.stderr.write(`${describeError(error)}\n`);
    if (io.env['RALPH_DEBUG'] === '1' && thrown instanceof Error) io.stderr.write(`${thrown.stack}\n`);
    return error instanceof RalphError ? error.exitCode : ExitCode.incomplete;
  }
}
