import type { SimpleCommand } from '../../api.ts';
import { hasFlag, operands } from '../../flags.ts';
import { familyOf } from './tests.ts';

const SHELLS: readonly string[] = 'sh bash zsh dash ksh mksh csh tcsh fish ash busybox nu elvish xonsh pwsh'.split(' ');

/** Interpreters of other languages, without the version that their names may end with. */
export const LANGUAGES: readonly string[] =
  'python pypy perl ruby php node nodejs bun deno ts-node tsx lua luajit tclsh osascript Rscript R psysh irb groovy julia elixir guile'.split(
    ' ',
  );

/** Programs that run code in some language that can start other programs. */
export const INTERPRETERS: readonly string[] = [...SHELLS, ...LANGUAGES];

const KNOWN: ReadonlySet<string> = new Set(INTERPRETERS);

/** Options by which an interpreter takes its program from a word or by another way than standard input. */
const OTHER_PROGRAM = ['c', 'e', 'E', 'r', 'm', 'p', 'n', 'eval', 'print', 'command', 'run'];

/** Whether a program runs code in a shell's language. */
function isShell(command: SimpleCommand): boolean {
  return SHELLS.includes(command.name);
}

/** Whether a program runs code in some language that can start other programs. */
export function isInterpreter(command: SimpleCommand): boolean {
  return KNOWN.has(command.name) || KNOWN.has(familyOf(command.name));
}

/** Whether an interpreter reads its program from standard input: no script is named, or it is `-`. */
export function readsProgram(command: SimpleCommand): boolean {
  if (/^(source|\.)$/.test(command.name)) return isStandardInput(command.args[0]?.text);
  if (/^(iex|Invoke-Expression)$/.test(command.name)) return command.args.length === 0;
  if (command.name === 'deno' || command.name === 'bun') return command.args.some(({ text }) => text === '-');
  if (!isInterpreter(command)) return false;
  if (isShell(command))
    return hasFlag(command, 's') || (!hasFlag(command, 'c') && startsWithInput(command, ['o', 'O']));
  return (
    !hasFlag(command, ...OTHER_PROGRAM) && startsWithInput(command, ['W', 'X', 'I', 'M', 'd', 'require', 'import'])
  );
}

function startsWithInput(command: SimpleCommand, valueFlags: readonly string[]): boolean {
  const [script] = operands(command, valueFlags);
  return script === undefined || isStandardInput(script.text);
}

function isStandardInput(text: string | undefined): boolean {
  return text === '-' || text === '/dev/stdin' || text === '/dev/fd/0' || text === '/proc/self/fd/0';
}

/** The code that an interpreter is given as words or as constant text on standard input. */
export function codeOf(command: SimpleCommand): readonly string[] {
  if (!isInterpreter(command)) return [];
  const typed = command.input.kind === 'text' ? [command.input.text] : [];
  return [...command.args.map((word) => word.text), ...typed];
}

/** The paths that code names in its strings. */
export function pathsInCode(code: string): readonly string[] {
  return [...code.matchAll(/["'`]((?:~|\.{0,2}\/|\.)?[\w./~-]+)["'`]/g)].flatMap((match) => match[1] ?? []);
}
