import type { SimpleCommand, Word } from '../api.ts';
import { hasFlag, operands, optionValue } from '../flags.ts';
import type { Frame, Runner } from './frame.ts';
import { scriptFile, scriptsSet } from './package-scripts.ts';
import { fileText, rememberFile } from './redirects.ts';
import { entryOf } from './table.ts';
import { EMPTY, originOf, type Text, unknownFrom, wordOf } from './text.ts';

interface Written {
  readonly file: Word;
  readonly text: Text;
}

/** Notes the files that a command writes by its arguments, so that running one of them later can be judged. */
export function rememberWrittenFiles(command: SimpleCommand, frame: Frame, runner: Runner): void {
  const written = entryOf(WRITERS, command.name)?.(
    command,
    (file) => fileText(file, frame.scope, runner.context),
    frame,
  );
  for (const { file, text } of written ?? []) rememberFile(file, text, hasFlag(command, 'a', 'append'), frame, runner);
}

type Writer = (command: SimpleCommand, read: (file: Word) => Text | null, frame: Frame) => readonly Written[];

const WRITERS: Readonly<Record<string, Writer>> = {
  tee: (command, _, frame) => operands(command).map((file) => ({ file, text: frame.stdin?.rest ?? EMPTY })),
  curl: (command) => {
    const named = optionValue(command, 'o', 'output');
    const files =
      named !== null ? [named] : hasFlag(command, 'O', 'remote-name', 'remote-name-all') ? downloaded(command) : [];
    return files.map((file) => ({ file, text: unknownFrom(command) }));
  },
  wget: (command) => {
    const named = optionValue(command, 'O', 'output-document');
    const folder = optionValue(command, 'P', 'directory-prefix');
    const files = named === null ? downloaded(command) : [named];
    return files.map((file) => ({
      file: folder === null || named !== null ? file : wordOf(`${folder.text}/${file.text}`),
      text: unknownFrom(command),
    }));
  },
  npm: scripts,
  pnpm: scripts,
  cp: copies,
  mv: copies,
  install: copies,
  ln: copies,
};

function scripts(command: SimpleCommand): readonly Written[] {
  return scriptsSet(command.args).map(({ script, code }) => ({
    file: scriptFile(script),
    text: { text: code.text, from: originOf(code) },
  }));
}

function downloaded(command: SimpleCommand): readonly Word[] {
  return operands(command, ['o', 'H', 'd', 'X', 'A', 'e', 'u', 'P', 'header'])
    .filter((word) => /\/[^/?]+$/.test(word.text.replace(/[?#].*$/, '')))
    .map((word) => wordOf(word.text.replace(/[?#].*$/, '').replace(/^.*\//, '')));
}

function copies(command: SimpleCommand, read: (file: Word) => Text | null): readonly Written[] {
  const [source, target] = operands(command, ['m', 'o', 'g']);
  if (source === undefined || target === undefined) return [];
  const text = read(source);
  if (text === null) return [];
  const name = source.text.slice(source.text.lastIndexOf('/') + 1);
  return [
    { file: target, text },
    { file: wordOf(`${target.text.replace(/\/$/, '')}/${name}`), text },
  ];
}
