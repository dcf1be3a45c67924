import { Argument, Command, CommanderError, Option } from 'commander';
import { UsageError } from '../contracts/index.ts';
import { shellWord } from '../rules/text/index.ts';
import { type Io, paintFor } from '../surfaces/terminal/index.ts';
import { commandManual, type Extent, groupManual, type Manual, manualText, programManual } from './help.ts';
import { isTask, type RawFlags } from './shared/flags.ts';
import { refuseInsideAgent } from './shared/refuse-inside-agent.ts';
import type { CommandTable } from './table/spec.ts';
import { type CommandSpec, commands, groups } from './table.ts';

/** The one flag that acts as a command. */
const RESET_CIRCUIT = '--reset-circuit';

/** For the commands that describe commands. */
const TABLE: CommandTable = { commands, groups };

/**
 * Finds the command that `argv` names and runs it. @returns its exit code. @throws UsageError for an invalid command
 * line
 */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const line = withDefaultCommand(withoutHelpOfNothing(argv));
  const extent = line.includes('--all') ? 'all' : 'short';
  const program = buildProgram(commandsFor(line), io, extent, (code) => {
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

function buildProgram(
  specs: readonly CommandSpec[],
  io: Io,
  extent: Extent,
  done: (exitCode: number) => void,
): Command {
  const program = configured(new Command('ralph'), io, () => programManual(TABLE, extent))
    // Flags after a command belong to it: `ralph run --reset-circuit` is a flag of `run`.
    .enablePositionalOptions()
    // Answered by bin/ralph.js before this is loaded; listed here so that a typo of it is recognised.
    .addOption(new Option('-V, --version'))
    .addOption(new Option(RESET_CIRCUIT));
  const parents = new Map([['', program]]);
  for (const spec of specs) {
    const [group, name] = splitName(spec.name);
    const parent = parents.get(group) ?? addGroup(program, group, io);
    parents.set(group, parent);
    addCommand(parent, name, spec, io, extent, done);
  }
  return program;
}

function addGroup(program: Command, name: string, io: Io): Command {
  const group = groups.find((one) => one.name === name);
  if (!group) throw new Error(`no group ${name} in the command table`);
  return configured(program.command(name), io, () => groupManual(group, TABLE));
}

function addCommand(
  parent: Command,
  name: string,
  spec: CommandSpec,
  io: Io,
  extent: Extent,
  done: (exitCode: number) => void,
): void {
  const command = configured(parent.command(name), io, () => commandManual(spec, TABLE, extent));
  if (spec.alias) command.alias(spec.alias);
  for (const arg of spec.args ?? []) command.addArgument(new Argument(arg.name, arg.meaning));
  for (const flag of spec.flags ?? []) {
    const option = new Option(flag.flags, flag.meaning).hideHelp(flag.hidden === true);
    if (flag.repeat) option.argParser((text: string, all: readonly string[] | undefined) => [...(all ?? []), text]);
    command.addOption(option);
  }
  command.action(async () => {
    done(await runCommand(spec, command.args, command.opts<RawFlags>(), io));
  });
}

/** Nothing may exit the process or print an error outside the one top-level catch. */
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
      // Otherwise commander strips our colours where it sees no terminal, and asks the process instead of `io`.
      getOutHasColors: () => true,
    });
}

function usageError(error: CommanderError, argv: readonly string[]): UsageError {
  const path = commandPath(argv);
  const complaint = error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.*)\?\)$/s, '. Did you mean $1?')
    .replace(/\.$/, '');
  const what = error.code === 'commander.help' ? `${['ralph', ...path].join(' ')} needs a command` : complaint;
  const said = argv.slice(path[0] === 'run' ? 1 : 0);
  const end = said.findIndex((word) => word.startsWith('-'));
  const words = end < 0 ? said : said.slice(0, end);
  const isSentence =
    words.length > 2 &&
    !what.includes('Did you mean') &&
    /commander\.(unknownCommand|excessArguments)/.test(error.code);
  return new UsageError({
    what: `${what} (see: ${['ralph', ...path, '--help'].join(' ')})`,
    ...(isSentence && (path.length === 0 || path[0] === 'run')
      ? { fix: [`a task goes in quotes: ralph ${shellWord(words.join(' '))}`] }
      : {}),
  });
}

/** A command that does not exist has no help either; commander would show the help of all commands. */
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

/** The width stays a getter, as the terminal's width is read again each time. */
function withEnv(io: Io, env: Io['env']): Io {
  return Object.create(io, { env: { value: env, enumerable: true } });
}

async function runCommand(spec: CommandSpec, args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  if (!spec.forAgents) refuseInsideAgent(spec.name, io.env);
  const action = await spec.load();
  // The flag means the same as the variable.
  const env = flags['trust'] === true ? { ...io.env, RALPH_TRUST: '1' } : null;
  return action(args, flags, env ? withEnv(io, env) : io, TABLE);
}

/**
 * `ralph "Add a flag"` → `ralph run "Add a flag"`; `ralph stories --json` → `ralph stories list --json`;
 * `ralph --reset-circuit` → `ralph circuit reset`.
 */
function withDefaultCommand(argv: readonly string[]): readonly string[] {
  if (isTask(argv[0] ?? '')) return ['run', ...argv];
  if (argv[0] === RESET_CIRCUIT) return ['circuit', 'reset', ...argv.slice(1)];
  const group = groups.find((one) => one.name === argv[0]);
  const next = argv[1];
  if (!group || next === '-h' || next === '--help') return argv;
  return next === undefined || next.startsWith('-') ? [group.name, group.default, ...argv.slice(1)] : argv;
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

/** Only the named command, where it is unambiguous: building the others takes longer than most commands. */
function commandsFor(line: readonly string[]): readonly CommandSpec[] {
  const name = commandPath(line).join(' ');
  const named = commands.filter((spec) => spec.name === name || spec.alias === name);
  return named.length === 1 ? named : commands;
}
