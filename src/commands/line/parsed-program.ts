import { Argument, Command, CommanderError, Option } from 'commander';
import { UsageError } from '../../contracts/errors.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { paintFor } from '../../surfaces/terminal/paint.ts';
import { commandManual, groupManual, type Manual, programManual } from '../help/manual.ts';
import { manualText } from '../help/text.ts';
import type { RawFlags } from '../shared/flags.ts';
import { type CommandSpec, groups } from '../table.ts';
import { commandPath, commandsFor, RESET_CIRCUIT, withDefaultCommand } from './command-line.ts';
import { runCommandOf, TABLE } from './run-command-of.ts';

/**
 * Has commander read a line and run what it names: whatever is not plain, help and everything that is wrong.
 * @returns the exit code. @throws UsageError for what cannot be read
 */
export async function runParsed(argv: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const line = withDefaultCommand(withoutHelpOfNothing(argv));
  const program = buildProgram(commandsFor(line), io, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(line, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageError(error, line);
  }
  return exitCode;
}

function buildProgram(specs: readonly CommandSpec[], io: Io, done: (exitCode: number) => void): Command {
  const program = configured(new Command('ralph'), io, () => programManual(TABLE))
    // What stands behind a command is its own: `ralph run --reset-circuit` is a flag of `run`.
    .enablePositionalOptions()
    // Answered by main.ts before this is loaded; here so that a slip in it is understood.
    .addOption(new Option('-V, --version'))
    .addOption(new Option(RESET_CIRCUIT));
  const parents = new Map([['', program]]);
  for (const spec of specs) {
    const [group, name] = splitName(spec.name);
    const parent = parents.get(group) ?? addGroup(program, group, io);
    parents.set(group, parent);
    addCommand(parent, name, spec, io, done);
  }
  return program;
}

function addGroup(program: Command, name: string, io: Io): Command {
  const group = groups.find((one) => one.name === name);
  if (!group) throw new Error(`no group ${name} in the command table`);
  return configured(program.command(name), io, () => groupManual(group, TABLE));
}

function addCommand(parent: Command, name: string, spec: CommandSpec, io: Io, done: (exitCode: number) => void): void {
  const command = configured(parent.command(name), io, () => commandManual(spec, TABLE));
  if (spec.alias) command.alias(spec.alias);
  for (const arg of spec.args ?? []) command.addArgument(new Argument(arg.name, arg.meaning));
  for (const flag of spec.flags ?? []) {
    const option = new Option(flag.flags, flag.meaning).hideHelp(flag.hidden === true);
    if (flag.repeat) option.argParser((text: string, all: readonly string[] | undefined) => [...(all ?? []), text]);
    command.addOption(option);
  }
  command.action(async () => {
    done(await runCommandOf(spec, { args: command.args, flags: command.opts<RawFlags>() }, io));
  });
}

/** Nothing may exit the process or print an error behind the back of the one top-level catch. */
function configured(command: Command, io: Io, manual: () => Manual): Command {
  return command
    .exitOverride()
    .helpOption('-h, --help')
    .helpCommand(false)
    .configureHelp({
      formatHelp: () => `${manualText(manual(), { columns: io.columns, paint: paintFor(io) }).join('\n')}\n`,
    })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: () => {},
      // Else commander takes our colours away where it sees no terminal, and asks the process instead of `io`.
      getOutHasColors: () => true,
    });
}

/** commander's complaint as one line that says where to look. */
function usageError(error: CommanderError, argv: readonly string[]): UsageError {
  const path = commandPath(argv);
  const complaint = error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.*)\?\)$/s, '. Did you mean $1?')
    .replace(/\.$/, '');
  const what = error.code === 'commander.help' ? missingCommand(path) : complaint;
  return new UsageError({ what: `${what} (see: ${['ralph', ...path, '--help'].join(' ')})` });
}

function missingCommand(path: readonly string[]): string {
  return `${['ralph', ...path].join(' ')} needs a command`;
}

/** A command that does not exist has no help either; commander would show that of all the others. */
function withoutHelpOfNothing(argv: readonly string[]): readonly string[] {
  const path = commandPath(argv);
  const next = argv[path.length];
  const isGroup = path.length === 0 || groups.some(({ name }) => name === path.join(' '));
  const isUnknown = isGroup && next !== undefined && !next.startsWith('-');
  return isUnknown ? argv.filter((word) => word !== '-h' && word !== '--help') : argv;
}

/** `stories list` → `['stories', 'list']`, `run` → `['', 'run']`. */
function splitName(name: string): readonly [group: string, name: string] {
  const [first = '', second] = name.split(' ');
  return second === undefined ? ['', first] : [first, second];
}
