import type { SimpleCommand, Word } from '../../api.ts';
import { hasFlag } from '../../flags.ts';
import type { Carrier, Nested, Surroundings } from '../nested.ts';
import { joined, originOf, type Text } from '../text.ts';

export const SHELLS: readonly string[] = 'sh bash dash zsh ksh mksh ash fish rbash yash csh tcsh lksh pdksh'.split(' ');

/** Options of shells that take a value: `-o pipefail`, `--rcfile F`. */
const VALUE_OPTIONS = /^([-+][a-zA-Z]*[oO]|--(rcfile|init-file))$/;

const STANDARD_INPUT = /^(-|\/dev\/(stdin|fd\/0)|\/proc\/self\/fd\/0)$/;

/** `bash -lc CODE name args`, `bash -s args < text`, `bash FILE` where the text wrote the file. */
export const runShell: Carrier = (command, around) => {
  const via = hasCode(command) ? `${command.name} -c` : command.name;
  const { code, args, zero, fromInput } = codeOfShell(command, around);
  if (code === null) return [];
  return [{ kind: 'shell', via, code, args, where: 'child', fromInput, ...(zero === undefined ? {} : { zero }) }];
};

function hasCode(command: SimpleCommand): boolean {
  return command.args.some((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word.text));
}

interface ShellCode {
  readonly code: Text | null;
  readonly args: readonly Word[];
  /** The word behind the code of `-c`: its `$0`. */
  readonly zero?: Word | undefined;
  readonly fromInput: boolean;
}

function codeOfShell(command: SimpleCommand, around: Surroundings): ShellCode {
  let reads: 'file' | 'code' | 'input' = 'file';
  const { args } = command;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    const { text } = word;
    if (VALUE_OPTIONS.test(text)) {
      const file = args[at + 1];
      const startup = text.startsWith('--') && file !== undefined ? around.fileText(file) : null;
      if (startup !== null) return { code: startup, args: [], fromInput: false };
      at += 1;
    } else if (/^-[a-zA-Z]*c[a-zA-Z]*$/.test(text)) reads = 'code';
    else if (/^-[a-zA-Z]*s[a-zA-Z]*$/.test(text)) reads = 'input';
    else if (/^([-+][a-zA-Z]+|--.*)$/.test(text)) continue;
    else if (reads === 'code')
      return { code: textOf(word), zero: args[at + 1], args: args.slice(at + 2), fromInput: false };
    else if (reads === 'input') return { code: around.stdin, args: args.slice(at), fromInput: true };
    else if (STANDARD_INPUT.test(text)) return { code: around.stdin, args: args.slice(at + 1), fromInput: true };
    else return { code: around.fileText(word), args: args.slice(at + 1), fromInput: false };
  }
  return { code: reads === 'code' ? null : around.stdin, args: [], fromInput: true };
}

function textOf(word: Word): Text {
  return { text: word.text, from: originOf(word) };
}

/** `eval a b`: its words, joined, in this shell. */
export const runEval: Carrier = (command) => {
  const words = command.args[0]?.text === '--' ? command.args.slice(1) : command.args;
  return words.length === 0 ? [] : [{ kind: 'shell', via: 'eval', code: joined(words), where: 'here' }];
};

/** `source FILE args`, where the text wrote the file or a substitution prints it. */
export const runSource: Carrier = (command, around) => {
  const [file, ...args] = command.args;
  if (file === undefined) return [];
  const fromInput = STANDARD_INPUT.test(file.text);
  const code = fromInput ? around.stdin : around.fileText(file);
  return code === null ? [] : [{ kind: 'shell', via: command.name, code, args, where: 'here', fromInput }];
};

/** `trap 'CODE' EXIT`. */
export const runTrap: Carrier = (command) => {
  const words = command.args.filter((word) => !/^-[lp-]?$/.test(word.text));
  const [code] = words;
  if (code === undefined || words.length < 2 || hasFlag(command, 'l', 'p')) return [];
  return [{ kind: 'shell', via: 'trap', code: textOf(code), where: 'child' }];
};

/** `su user` and `sudo -s` without a command start a shell that reads its standard input. */
export const runLoginShell: Carrier = (command, around) => {
  const code = around.stdin;
  const other =
    command.name === 'su'
      ? hasFlag(command, 'c', 'command')
      : !/^-[a-zA-Z]*[si]|^--(shell|login)$/.test(command.args.at(-1)?.text ?? '');
  if (code === null || other) return [];
  return [{ kind: 'shell', via: command.name, code, where: 'child', fromInput: true } satisfies Nested];
};

/** A program started by its path that the text wrote itself: judged as a shell script. */
export function runWrittenFile(command: SimpleCommand, around: Surroundings): readonly Nested[] {
  if (!command.word.text.includes('/')) return [];
  const code = around.fileText(command.word);
  if (code === null) return [];
  return [
    {
      kind: 'argv',
      via: command.word.text,
      words: [{ text: 'sh', known: true, glob: false }, command.word, ...command.args],
    },
  ];
}
