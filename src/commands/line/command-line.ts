import { type CommandSpec, commands, groups } from '../table.ts';

/** The one flag that stands for a command of its own. */
export const RESET_CIRCUIT = '--reset-circuit';

/** `ralph stories --json` → `ralph stories list --json`; `ralph --reset-circuit` → `ralph circuit reset`. */
export function withDefaultCommand(argv: readonly string[]): readonly string[] {
  if (argv[0] === RESET_CIRCUIT) return ['circuit', 'reset', ...argv.slice(1)];
  const group = groups.find((one) => one.name === argv[0]);
  const next = argv[1];
  if (!group || next === '-h' || next === '--help') return argv;
  return next === undefined || next.startsWith('-') ? [group.name, group.default, ...argv.slice(1)] : argv;
}

/** The leading words of `argv` that name a command or a group. */
export function commandPath(argv: readonly string[]): readonly string[] {
  const [first, second] = argv;
  if (first === undefined) return [];
  if (groups.some((group) => group.name === first)) {
    return commands.some((spec) => spec.name === `${first} ${second}`) && second !== undefined
      ? [first, second]
      : [first];
  }
  return commands.some((spec) => spec.name === first || spec.alias === first) ? [first] : [];
}

/** The one command that is named, where it is plain which one: building the others takes longer than most commands. */
export function commandsFor(line: readonly string[]): readonly CommandSpec[] {
  const name = commandPath(line).join(' ');
  const named = commands.filter((spec) => spec.name === name || spec.alias === name);
  return named.length === 1 ? named : commands;
}
