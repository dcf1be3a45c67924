import type { SimpleCommand, Text, Word } from '../api.ts';
import { hasFlag, operands, optionValue, textsOf } from '../options.ts';
import { normalPath } from '../paths.ts';
import { table } from '../tables.ts';
import { constant, EMPTY, isKnown, UNKNOWN_TEXT, unknownFrom, wordOf } from '../words.ts';
import { scriptsSet } from './carriers/runners.ts';
import { printf } from './encodings.ts';
import { assign, changeFolder, type Frame, fileText, lookUp, rememberFile, type Scope } from './frame.ts';

type Builtin = (command: SimpleCommand, frame: Frame) => void;

const changesFolder: Builtin = (command, { scope }) => {
  const [target] = operands(command);
  changeFolder(scope, folderOf(target, command.args, scope));
};

function folderOf(target: Word | undefined, args: readonly Word[], scope: Scope): string | null {
  if (args.some((word) => word.text === '-')) return scope.previousCwd;
  if (target === undefined) return lookUp(scope, 'HOME')?.[0]?.text ?? null;
  if (target.text.startsWith('/')) return normalPath(target.text);
  return scope.cwd === null || !isKnown(target) ? null : normalPath(`${scope.cwd}/${target.text}`);
}

const popsFolder: Builtin = (_, { scope }) => {
  changeFolder(scope, scope.previousCwd);
};

/** `export A=b`, `local A`, …: their assignments arrive as words. */
const declares: Builtin = (command, { scope }) => {
  for (const word of command.args) {
    const match = /^([A-Za-z_]\w*)(\+?)=([\s\S]*)$/.exec(word.text);
    if (match === null) continue;
    const [, name = '', , text = ''] = match;
    // `declare a=(x y)` is known already, with all its elements.
    const known = lookUp(scope, name);
    if (known !== null && known.length > 1 && known[0]?.text === text) continue;
    assign(scope, name, [{ ...word, text }]);
  }
};

const unsets: Builtin = (command, { scope }) => {
  for (const word of operands(command)) assign(scope, word.text, []);
};

/** `read A B`: the next line of the input, split at IFS; the last name gets the rest. */
const reads: Builtin = (command, frame) => {
  const names = textsOf(operands(command));
  const line = takeLine(frame);
  const array = optionValue(command, 'a');
  const own = command.assignments.find(({ name }) => name === 'IFS');
  const ifs = own?.value.text ?? lookUp(frame.scope, 'IFS')?.[0]?.text ?? ' \t\n';
  if (array !== null) return assign(frame.scope, array.text, cut(line, ifs, Number.POSITIVE_INFINITY));
  const targets = names.length === 0 ? ['REPLY'] : names;
  const parts = cut(line, ifs, targets.length);
  targets.forEach((name, at) => {
    assign(frame.scope, name, [parts[at] ?? (isKnown(line) ? constant('') : line)]);
  });
};

function takeLine(frame: Frame): Text {
  const { stdin } = frame;
  if (stdin === null) return UNKNOWN_TEXT;
  const { text, from } = stdin.rest;
  const end = text.indexOf('\n');
  stdin.rest = { text: end < 0 ? '' : text.slice(end + 1), from };
  const line = end < 0 ? text : text.slice(0, end);
  return isKnown({ text: line }) ? constant(line) : { text: line, from };
}

function cut(line: Text, ifs: string, most: number): readonly Text[] {
  if (!isKnown(line)) return [line];
  const parts: Text[] = [];
  let rest = trimmed(line.text, ifs);
  while (rest !== '' && parts.length < most - 1) {
    const end = [...rest].findIndex((char) => ifs.includes(char));
    if (end < 0) break;
    parts.push(constant(rest.slice(0, end)));
    rest = trimmed(rest.slice(end + 1), ifs);
  }
  return [...parts, constant(rest)];
}

function trimmed(text: string, ifs: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && ifs.includes(text[from] ?? '')) from += 1;
  while (to > from && ifs.includes(text[to - 1] ?? '')) to -= 1;
  return text.slice(from, to);
}

const readsLines: Builtin = (command, frame) => {
  const name = operands(command)[0]?.text ?? 'MAPFILE';
  const { stdin } = frame;
  const lines = stdin?.rest.text.replace(/\n$/, '').split('\n') ?? null;
  assign(frame.scope, name, lines?.map((text) => ({ text, from: stdin?.rest.from ?? null })) ?? null);
};

/** `set -- a b` and `set a b`. */
const setsArguments: Builtin = (command, { scope }) => {
  const at = command.args.findIndex((word) => word.text === '--' || !/^[-+]/.test(word.text));
  if (at < 0) return;
  const words = command.args[at]?.text === '--' ? command.args.slice(at + 1) : command.args.slice(at);
  scope.positional = words;
};

const shifts: Builtin = (command, { scope }) => {
  const count = Number(command.args[0]?.text ?? '1');
  scope.positional = scope.positional.slice(Number.isInteger(count) ? Math.max(0, count) : 1);
};

const aliases: Builtin = (command, { scope }) => {
  for (const word of command.args) {
    const match = /^([^=\s]+)=([\s\S]*)$/.exec(word.text);
    if (match !== null) scope.aliases.set(match[1] ?? '', match[2] ?? '');
  }
};

/** `hash -p /bin/rm x`: another name for a program. */
const remembersProgram: Builtin = (command, { scope }) => {
  const program = optionValue(command, 'p');
  const [name] = operands(command);
  if (program !== null && name !== undefined) scope.aliases.set(name.text, program.text);
};

/** `cp /bin/rm x`: another name for a program; only `./x` starts it. */
const copiesProgram: Builtin = (command, { scope }) => {
  const [source, target] = operands(command);
  if (target === undefined || !/^(\/usr(\/local)?)?\/s?bin\//.test(source?.text ?? '')) return;
  scope.aliases.set(target.text.includes('/') ? target.text : `./${target.text}`, source?.text ?? '');
};

const printsInto: Builtin = (command, { scope }) => {
  if (command.args[0]?.text !== '-v') return;
  const [, name, ...words] = command.args;
  if (name !== undefined) assign(scope, name.text, [printf(words)]);
};

const BUILTINS = table<Builtin>([
  ['cd chdir pushd', changesFolder],
  ['popd', popsFolder],
  ['export declare typeset local readonly', declares],
  ['unset', unsets],
  ['read', reads],
  ['mapfile readarray', readsLines],
  ['set', setsArguments],
  ['shift', shifts],
  ['alias', aliases],
  ['hash', remembersProgram],
  ['cp mv ln install', copiesProgram],
  ['printf', printsInto],
]);

export function applyBuiltin(command: SimpleCommand, frame: Frame): void {
  BUILTINS.get(command.name)?.(command, frame);
}

interface Written {
  readonly file: Word;
  readonly text: Text;
}

/** Records the files that a command writes by its arguments, so that running one of them later can be judged. */
export function rememberWrittenFiles(command: SimpleCommand, frame: Frame): void {
  const written = WRITERS.get(command.name)?.(command, frame);
  for (const { file, text } of written ?? [])
    rememberFile(file, text, command.name === 'npm' || hasFlag(command, 'a', 'append'), frame);
}

type Writer = (command: SimpleCommand, frame: Frame) => readonly Written[];

const WRITERS = table<Writer>([
  ['tee', (command, frame) => operands(command).map((file) => ({ file, text: frame.stdin?.rest ?? EMPTY }))],
  [
    'curl',
    (command) => {
      const named = optionValue(command, 'o', 'output');
      const files =
        named !== null ? [named] : hasFlag(command, 'O', 'remote-name', 'remote-name-all') ? downloaded(command) : [];
      return files.map((file) => ({ file, text: unknownFrom(command) }));
    },
  ],
  [
    'wget',
    (command) => {
      const named = optionValue(command, 'O', 'output-document');
      const folder = optionValue(command, 'P', 'directory-prefix');
      const files = named === null ? downloaded(command) : [named];
      return files.map((file) => ({
        file: folder === null || named !== null ? file : wordOf(`${folder.text}/${file.text}`),
        text: unknownFrom(command),
      }));
    },
  ],
  ['npm pnpm', scriptsSet],
  ['cp mv install ln', copies],
]);

function downloaded(command: SimpleCommand): readonly Word[] {
  return operands(command)
    .filter((word) => /\/[^/?]+$/.test(word.text.replace(/[?#].*$/, '')))
    .map((word) => wordOf(word.text.replace(/[?#].*$/, '').replace(/^.*\//, '')));
}

function copies(command: SimpleCommand, frame: Frame): readonly Written[] {
  const [source, target] = operands(command);
  if (source === undefined || target === undefined) return [];
  const text = fileText(source, frame);
  if (text === null) return [];
  const name = source.text.slice(source.text.lastIndexOf('/') + 1);
  return [
    { file: target, text },
    { file: wordOf(`${target.text.replace(/\/$/, '')}/${name}`), text },
  ];
}
