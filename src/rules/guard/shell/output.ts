import type { SimpleCommand, Word } from '../api.ts';
import { operands, optionValue } from '../flags.ts';
import { searchedBy } from './carriers/find.ts';
import { decodeBase32, decodeBase64, decodeHex } from './decode.ts';
import { generatedBy, wordsGeneratedBy } from './generated.ts';
import type { Surroundings } from './nested.ts';
import { printf, withEscapes } from './printf.ts';
import { entryOf } from './table.ts';
import { concat, constant, EMPTY, isKnown, joined, originOf, type Text, UNKNOWN, unknownFrom } from './text.ts';

/** What a command prints, or null when the text does not tell. */
type Prints = (command: SimpleCommand, around: Surroundings) => Text | null;

const SILENT =
  'cd pushd popd export declare local readonly typeset unset set shift alias read mkdir touch rm rmdir cp mv ln chmod chown sleep true false : test [ trap wait shopt umask hash mapfile readarray let exit return break continue kill exec source . eval'.split(
    ' ',
  );

const echo: Prints = ({ args }) => {
  let from = 0;
  while (/^-[neE]+$/.test(args[from]?.text ?? '')) from += 1;
  const options = args
    .slice(0, from)
    .map((word) => word.text)
    .join('');
  const text = joined(args.slice(from));
  const line = options.includes('e') ? { ...text, text: withEscapes(text.text) } : text;
  return options.includes('n') ? line : concat([line, constant('\n')]);
};

const prints: Prints = ({ args }) => {
  const words = args[0]?.text === '--' ? args.slice(1) : args;
  if (words[0]?.text === '-v') return EMPTY;
  const from = words.map(originOf).find((origin) => origin !== null) ?? null;
  return { text: printf(words.map((word) => word.text)), from };
};

/** The files it is given, else its input, as it is. */
const copies: Prints = (command, around) => {
  const files = operands(command);
  if (files.length === 0) return around.stdin;
  const texts = files.map((file) => (file.text === '-' ? around.stdin : around.fileText(file)));
  return texts.some((text) => text === null) ? null : concat(texts.filter((text) => text !== null));
};

const passes: Prints = (_, around) => around.stdin;

/** Filters that leave out or reorder lines: known ones are read as if they left all of them. */
const selects: Prints = (command, around) => {
  const { stdin } = around;
  if (stdin === null || operands(command).length > 1 || stdin.text === UNKNOWN) return null;
  return isKnown(stdin) ? stdin : { ...stdin, from: command };
};

const decodes =
  (decode: (text: string) => string | null, flag: RegExp): Prints =>
  (command, around) => {
    if (!command.args.some((word) => flag.test(word.text))) return null;
    const source = copies({ ...command, args: operands(command, ['w']) }, around);
    const decoded = source === null ? null : decode(source.text);
    return decoded === null ? null : constant(decoded);
  };

const reverses: Prints = (command, around) => {
  const source = copies(command, around);
  if (source === null || !isKnown(source)) return null;
  return constant(source.text.replace(/[^\n]+/g, (line) => [...line].reverse().join('')));
};

const translates: Prints = (command, around) => {
  const [from, to] = operands(command).map((word) => ranges(word.text));
  const source = around.stdin;
  if (source === null || !isKnown(source) || from === undefined) return source;
  if (command.args.some((word) => /^-[a-zA-Z]*d/.test(word.text))) {
    return constant([...source.text].filter((char) => !from.includes(char)).join(''));
  }
  if (to === undefined || to === '') return source;
  const last = to.slice(-1);
  return constant(
    [...source.text].map((char) => (from.includes(char) ? (to[from.indexOf(char)] ?? last) : char)).join(''),
  );
};

function ranges(set: string): string {
  return withEscapes(set).replace(/(.)-(.)/g, (whole, first: string, last: string) => {
    const [low, high] = [first.charCodeAt(0), last.charCodeAt(0)];
    return high < low ? whole : String.fromCharCode(...Array.from({ length: high - low + 1 }, (_, at) => low + at));
  });
}

const SUBSTITUTION = /^s([/|#,@!:])((?:(?!\1)[^\\]|\\.)*)\1((?:(?!\1)[^\\]|\\.)*)\1(g?)$/;

/** Plain `s/a/b/` with literal texts; anything else is not worked out. */
const substitutes: Prints = (command, around) => {
  const source = around.stdin;
  const scripts = operands(command).map((word) => SUBSTITUTION.exec(word.text));
  const [, , from = '', to = '', all = ''] = scripts[0] ?? [];
  if (source === null || !isKnown(source) || scripts.length !== 1 || scripts[0] === null) return null;
  if (/[.*[\]^$+?(){}\\&]/.test(from) || /[\\&]/.test(to) || from === '') return null;
  return constant(all === 'g' ? source.text.replaceAll(from, to) : source.text.replace(from, () => to));
};

const makesTemporary: Prints = (command, around) => {
  const folder = optionValue(command, 'p', 'tmpdir')?.text ?? around.context.temp[0] ?? '/tmp';
  const [template] = operands(command, ['p', 'suffix']);
  const name = (template?.text ?? 'tmp.XXXXXX').replace(/X{3,}/, UNKNOWN);
  return constant(name.includes('/') ? name : `${folder}/${name}`);
};

const firstOperand: Prints = (command) => firstOf(operands(command));

function firstOf(words: readonly Word[]): Text | null {
  const [word] = words;
  return word === undefined ? null : { text: word.text, from: originOf(word) };
}

/** Names of things in the folders it looks at. */
const finds: Prints = (command) =>
  generatedBy(command) ?? {
    text: searchedBy(command)
      .map((word) => `${word.text}/${UNKNOWN}\n`)
      .join(''),
    from: command,
  };

/** A program that only prints a constant. */
const printsOnce: Prints = (command) => {
  const match = /^\s*BEGIN\s*\{\s*printf?\s*\(?\s*"((?:[^"\\]|\\.)*)"\s*\)?\s*;?\s*\}\s*$/.exec(
    command.args[0]?.text ?? '',
  );
  return match === null ? null : constant(withEscapes(match[1] ?? ''));
};

/** `which rm`: where it really lies does not matter, as long as it is seen to be a program. */
const locates: Prints = (command) => {
  if (/^(command|type)$/.test(command.name) && !/^-[vpP]/.test(command.args[0]?.text ?? '')) return null;
  const found = firstOf(operands(command));
  return found === null || found.text.includes('/') ? found : { ...found, text: `/usr/bin/${found.text}` };
};

const gitPrints: Prints = (command, { context }) => {
  const { root } = context;
  const folders: Readonly<Record<string, string>> = {
    '--show-toplevel': root,
    '--git-dir': `${root}/.git`,
    '--absolute-git-dir': `${root}/.git`,
    '--git-common-dir': `${root}/.git`,
    '--git-path': `${root}/.git/${command.args.at(-1)?.text ?? ''}`,
  };
  const found = command.args.flatMap((word) => entryOf(folders, word.text) ?? []);
  return found[0] === undefined ? null : constant(found[0]);
};

const environment: Prints = (command, { context }) =>
  command.args[0]?.text === 'HOME' ? constant(context.home) : null;

const PRINTERS: Readonly<Record<string, Prints>> = {
  echo,
  printf: prints,
  print: echo,
  cat: copies,
  bat: copies,
  tee: passes,
  sponge: passes,
  pv: passes,
  head: selects,
  tail: selects,
  sort: selects,
  uniq: selects,
  grep: selects,
  tac: selects,
  base64: decodes(decodeBase64, /^(-[a-zA-Z]*[dD]|--decode)$/),
  base32: decodes(decodeBase32, /^(-[a-zA-Z]*d|--decode)$/),
  xxd: decodes(decodeHex, /^-[a-z]*r/),
  rev: reverses,
  tr: translates,
  sed: substitutes,
  find: finds,
  awk: printsOnce,
  gawk: printsOnce,
  mktemp: makesTemporary,
  realpath: firstOperand,
  readlink: firstOperand,
  which: locates,
  command: locates,
  type: locates,
  pwd: (command) => (command.cwd === null ? null : constant(command.cwd)),
  dirname: (command) => changed(command, (path) => path.replace(/\/[^/]*$/, '') || '/'),
  basename: (command) => changed(command, (path) => path.slice(path.lastIndexOf('/') + 1)),
  git: gitPrints,
  printenv: environment,
};

function changed(command: SimpleCommand, change: (path: string) => string): Text | null {
  const [word] = operands(command);
  return word === undefined || !word.known ? null : constant(change(word.text));
}

const QUIET = new Set(SILENT);

/** What a command prints; unknown, and from this command, when the text does not tell. */
export function outputOf(command: SimpleCommand, around: Surroundings): Text {
  if (QUIET.has(command.name) || (command.name === '' && command.word.known)) return EMPTY;
  const text =
    entryOf(PRINTERS, command.name)?.(command, around) ??
    generatedBy(command) ??
    (around.feedsShell ? wordsGeneratedBy(command) : null);
  if (text === null) return unknownFrom(command);
  return isKnown(text) || text.from !== null ? text : { ...text, from: command };
}
