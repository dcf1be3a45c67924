import { Argument, Command, CommanderError, Option } from 'commander';
import { UsageError } from '../contracts/errors.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import type { RawFlags } from './flags.ts';
import { refuseInsideAgent } from './refuse-inside-agent.ts';
import { type CommandSpec, commands, groups } from './table.ts';

/** The one flag that stands for a command of its own. */
const RESET_CIRCUIT = '--reset-circuit';

/** Finds the command that `argv` names and runs it. @returns its exit code. @throws UsageError for what cannot be read */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const line = withDefaultCommand(argv);
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

/** The one command that is named, where it is plain which one: building the others takes longer than most commands. */
function commandsFor(line: readonly string[]): readonly CommandSpec[] {
  const name = commandPath(line).join(' ');
  const named = commands.filter((spec) => spec.name === name || spec.alias === name);
  return named.length === 1 ? named : commands;
}

function buildProgram(specs: readonly CommandSpec[], io: Io, done: (exitCode: number) => void): Command {
  const program = configured(new Command('ralph'), io)
    .description('Runs coding agents in a loop you can trust.')
    .usage('[command] [options]')
    // What stands behind a command is its own: `ralph run --reset-circuit` is a flag of `run`.
    .enablePositionalOptions()
    // Answered by main.ts before this is loaded; here so that the help lists it.
    .addOption(new Option('-V, --version', 'print the version'))
    .addOption(new Option(RESET_CIRCUIT, 'the same as `ralph circuit reset`'))
    .addHelpText(
      'after',
      '\nWithout a command: where it stands and the next sensible command.\nExample:\n  ralph demo',
    );
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
  const examples = commands
    .filter((spec) => spec.name.startsWith(`${name} `))
    .flatMap((spec) => spec.examples.slice(0, 1));
  return configured(program.command(name), io)
    .description(group.summary)
    .addHelpText('after', `\n\`ralph ${name}\` alone is \`ralph ${name} ${group.default}\`.\n${exampleText(examples)}`);
}

function addCommand(parent: Command, name: string, spec: CommandSpec, io: Io, done: (exitCode: number) => void): void {
  const command = configured(parent.command(name), io).description(spec.summary);
  if (spec.alias) command.alias(spec.alias);
  for (const arg of spec.args ?? []) command.addArgument(new Argument(arg.name, arg.meaning));
  for (const flag of spec.flags ?? []) {
    const option = new Option(flag.flags, flag.meaning).hideHelp(flag.hidden === true);
    if (flag.repeat) option.argParser((text: string, all: readonly string[] | undefined) => [...(all ?? []), text]);
    command.addOption(option);
  }
  command.addHelpText('after', exampleText(spec.examples));
  command.action(async () => {
    if (spec.changesState) refuseInsideAgent(spec.name, io.env);
    const action = await spec.load();
    done(await action(command.args, command.opts<RawFlags>(), io));
  });
}

/** Nothing may exit the process or print an error behind the back of the one top-level catch. */
function configured(command: Command, io: Io): Command {
  return command
    .exitOverride()
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ sortSubcommands: false })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(io.columns, 120),
      getErrHelpWidth: () => Math.min(io.columns, 120),
    });
}

/** `ralph stories --json` → `ralph stories list --json`; `ralph --reset-circuit` → `ralph circuit reset`. */
function withDefaultCommand(argv: readonly string[]): readonly string[] {
  if (argv[0] === RESET_CIRCUIT) return ['circuit', 'reset', ...argv.slice(1)];
  const group = groups.find((one) => one.name === argv[0]);
  const next = argv[1];
  if (!group || next === '-h' || next === '--help') return argv;
  return next === undefined || next.startsWith('-') ? [group.name, group.default, ...argv.slice(1)] : argv;
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

/** The leading words of `argv` that name a command or a group. */
function commandPath(argv: readonly string[]): readonly string[] {
  const [first, second] = argv;
  if (first === undefined) return [];
  if (groups.some((group) => group.name === first)) {
    return commands.some((spec) => spec.name === `${first} ${second}`) && second !== undefined
      ? [first, second]
      : [first];
  }
  return commands.some((spec) => spec.name === first || spec.alias === first) ? [first] : [];
}

/** `stories list` → `['stories', 'list']`, `run` → `['', 'run']`. */
function splitName(name: string): readonly [group: string, name: string] {
  const [first = '', second] = name.split(' ');
  return second === undefined ? ['', first] : [first, second];
}

function exampleText(examples: CommandSpec['examples']): string {
  const lines = examples.map(([command, effect]) => `  ${command}\n      ${effect}`);
  return `\nExamples:\n${lines.join('\n')}`;
}
