import { Argument, Command, CommanderError, Option } from 'commander';
import { forEachChild, parse, type SyntaxNode } from 'unbash';
import type { CommandSpec } from '../../src/commands/table.ts';

/** A call of ralph that a page shows: its words, and whether it is one to type rather than one that is spoken of. */
export interface Call {
  readonly words: readonly string[];
  readonly isTyped: boolean;
}

const FENCED = /^( *)(```+|~~~+)(\S*)[^\n]*\n([\s\S]*?)^\1\2[^\n]*$/gm;
const INLINE = /`(ralph [^`\n]+)`/g;

/** Flags of `ralph` itself. */
const OWN_FLAGS = ['-V, --version', '-h, --help', '--reset-circuit'];

/** Every call of ralph in the shell blocks and in the inline code of a Markdown text. Pure. */
export function callsIn(text: string): readonly Call[] {
  const typed = [...text.matchAll(FENCED)].flatMap(([, , , language, code = '']) => {
    if (language === 'sh') return callsOf(code);
    return language === 'console' ? callsOf(typedLines(code)) : [];
  });
  const spoken = [...text.replace(FENCED, '').matchAll(INLINE)].flatMap(([, code = '']) => callsOf(code));
  return [...typed.map((words) => ({ words, isTyped: true })), ...spoken.map((words) => ({ words, isTyped: false }))];
}

function typedLines(code: string): string {
  return [...code.matchAll(/^\s*\$ (.*)$/gm)].map((match) => match[1]).join('\n');
}

function callsOf(code: string): readonly (readonly string[])[] {
  const found: string[][] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command' && node.name?.value === 'ralph')
      found.push(node.suffix.flatMap((word) => (word.type === 'Word' ? [word.value ?? word.text] : [])));
    forEachChild(node, visit);
  };
  visit(parse(code));
  // Words of a page, not of a command: `ralph run …`.
  return found.map((words) => words.filter((word) => !/^(\[.*|.*\]|…|<.*>)$/.test(word)));
}

/**
 * What is wrong with a call: an unknown command or flag, a value that is missing, an argument too many. One that is only
 * spoken of may leave arguments out. Null when it could be typed.
 */
export function wrongCall(
  { words, isTyped }: Call,
  specs: readonly CommandSpec[],
  groups: readonly { readonly name: string; readonly default: string }[],
): string | null {
  const [first = '', second = ''] = words;
  const group = groups.find(({ name }) => name === first);
  const isBare = group !== undefined && !specs.some(({ name }) => name === `${first} ${second}`);
  if (isBare && second !== '' && !second.startsWith('-'))
    return `ralph ${words.join(' ')}: ${first} has no such command`;
  const line = isBare ? [first, group.default, ...words.slice(1)] : words;
  // Flags alone are those of `ralph` itself; with an action, any word would pass for an argument.
  const top = program(specs);
  if (first === '' || first.startsWith('-')) top.action(() => undefined);
  try {
    top.parse(line, { from: 'user' });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const isFine = error.exitCode === 0 || (!isTyped && error.code === 'commander.missingArgument');
    return isFine ? null : `ralph ${words.join(' ')}: ${error.message.replace(/^error: /, '')}`;
  }
}

function program(specs: readonly CommandSpec[]): Command {
  const top = quiet(new Command('ralph')).enablePositionalOptions();
  for (const flags of OWN_FLAGS) top.addOption(new Option(flags));
  const parents = new Map<string, Command>();
  for (const { name, alias, args = [], flags = [] } of specs) {
    const [last = '', group] = name.split(' ').reverse();
    const parent = group === undefined ? top : (parents.get(group) ?? quiet(top.command(group)));
    if (group !== undefined) parents.set(group, parent);
    const command = quiet(parent.command(last)).action(() => undefined);
    if (alias) command.alias(alias);
    for (const arg of args) command.addArgument(new Argument(arg.name));
    for (const flag of flags) command.addOption(new Option(flag.flags));
  }
  return top;
}

function quiet(command: Command): Command {
  return command
    .exitOverride()
    .allowExcessArguments(false)
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
}
