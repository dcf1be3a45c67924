import type { Io } from '../../surfaces/terminal/io.ts';
import { commandPath, commandsFor, withDefaultCommand } from './command-line.ts';
import { plainLine } from './plain-line.ts';
import { runCommandOf } from './run-command-of.ts';

/** Finds the command that `argv` names and runs it. @returns its exit code. @throws UsageError for what cannot be read */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  const line = withDefaultCommand(argv);
  const [spec, ...others] = commandsFor(line);
  const plain = spec && others.length === 0 ? plainLine(spec, line.slice(commandPath(line).length)) : null;
  if (spec && plain) return runCommandOf(spec, plain, io);
  // Loading commander and describing every flag to it takes longer than most commands.
  const { runParsed } = await import('./parsed-program.ts');
  return runParsed(argv, io);
}
