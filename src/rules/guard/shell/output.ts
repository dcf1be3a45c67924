import type { SimpleCommand, Text, Word } from '../api.ts';
import { hasWord, operands, optionValue, optionValues } from '../options.ts';
import { namesIn, table } from '../tables.ts';
import { concat, constant, EMPTY, isKnown, joined, UNKNOWN, unknownFrom } from '../words.ts';
import { searchedBy } from './carriers/find.ts';
import { decodeBase32, decodeBase64, decodeHex, printf, withEscapes } from './encodings.ts';
import type { Surroundings } from './frame.ts';

/** What a command prints, or null when the text does not show it. */
type Prints = (command: SimpleCommand, around: Surroundings) => Text | null;

const SILENT =
  namesIn(`cd pushd popd export declare local readonly typeset unset set shift alias read mkdir touch rm rmdir cp mv ln
  chmod chown sleep true false : test [ trap wait shopt umask hash mapfile readarray let exit return break
  continue kill exec source . eval`);

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
  return words[0]?.text === '-v' ? EMPTY : printf(words);
};

/** Prints its files, else its input, unchanged. */
const copies: Prints = (command, around) => {
  const files = operands(command);
  if (files.length === 0) return around.stdin;
  const texts = files.map((file) => (file.text === '-' ? around.stdin : around.fileText(file)));
  return texts.some((text) => text === null) ? null : concat(texts.filter((text) => text !== null));
};

const passes: Prints = (_, around) => around.stdin;

/** Filters that drop or reorder lines: known input counts as if they kept all of it. */
const selects: Prints = (command, around) => {
  const { stdin } = around;
  if (stdin === null || operands(command).length > 1 || stdin.text === UNKNOWN) return null;
  return isKnown(stdin) ? stdin : { ...stdin, from: command };
};

const decodes =
  (decode: (text: string) => string | null, flag: RegExp): Prints =>
  (command, around) => {
    if (!hasWord(command, flag)) return null;
    const source = copies(command, around);
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
  if (hasWord(command, /^-[a-zA-Z]*d/)) {
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

/** What sed does, `-e` or not. */
export function sedScripts(command: SimpleCommand): readonly Word[] {
  const given = optionValues(command, 'e', 'expression');
  return given.length > 0 ? given : operands(command).slice(0, 1);
}

/** Plain `s/a/b/` with literal texts; anything else stays unevaluated. */
const substitutes: Prints = (command, around) => {
  const source = around.stdin;
  const scripts = sedScripts(command).map((word) => SUBSTITUTION.exec(word.text));
  const [, , from = '', to = '', all = ''] = scripts[0] ?? [];
  if (source === null || !isKnown(source) || scripts.length !== 1 || scripts[0] === null) return null;
  if (/[.*[\]^$+?(){}\\&]/.test(from) || /[\\&]/.test(to) || from === '') return null;
  return constant(all === 'g' ? source.text.replaceAll(from, to) : source.text.replace(from, () => to));
};

/** `cut -d, -f2`, `cut -c3-`: one field, or the rest of each line. */
const cuts: Prints = (command, around) => {
  const source = copies({ ...command, args: operands({ name: 'cut', args: command.args }) }, around);
  const field = Number(optionValue(command, 'f', 'fields')?.text);
  const from = /^(\d+)-$/.exec(optionValue(command, 'c', 'characters')?.text ?? '')?.[1];
  if (source === null || !isKnown(source) || (!(field > 0) && from === undefined)) return null;
  const mark = optionValue(command, 'd', 'delimiter')?.text ?? '\t';
  const kept = (line: string) =>
    from === undefined
      ? (line.split(mark)[field - 1] ?? (line.includes(mark) ? '' : line))
      : line.slice(Number(from) - 1);
  return constant(source.text.split('\n').map(kept).join('\n'));
};

/** Folders of tools, which are somewhere in the home folder. */
const TOOL_FOLDER =
  /^(root -g|prefix -g|config get (cache|prefix)|env GO(PATH|ROOT|CACHE|MODCACHE)|--(prefix|cache|cellar)|cache dir|store path|--print sysroot)$/;

const namesToolFolder: Prints = ({ args }, { context }) =>
  TOOL_FOLDER.test(args.map(({ text }) => text).join(' ')) ? constant(`${context.home}/.tool-folder`) : null;

const makesTemporary: Prints = (command, around) => {
  const folder = optionValue(command, 'p', 'tmpdir')?.text ?? around.context.temp[0] ?? '/tmp';
  const [template] = operands(command);
  const name = (template?.text ?? 'tmp.XXXXXX').replace(/X{3,}/, UNKNOWN);
  return constant(name.includes('/') ? name : `${folder}/${name}`);
};

const firstOperand: Prints = (command) => operands(command)[0] ?? null;

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

/** `which rm`: the real location does not matter, as long as the path is recognised as a program. */
const locates: Prints = (command) => {
  if (/^(command|type)$/.test(command.name) && !/^-[vpP]/.test(command.args[0]?.text ?? '')) return null;
  const [found = null] = operands(command);
  return found === null || found.text.includes('/') ? found : { ...found, text: `/usr/bin/${found.text}` };
};

const gitPrints: Prints = ({ args }, { context: { root } }) => {
  const asked = args.flatMap(
    ({ text }) => /^--(show-toplevel|(?:absolute-)?git-dir|git-common-dir|git-path)$/.exec(text)?.[1] ?? [],
  );
  if (asked[0] === undefined) return null;
  if (asked[0] === 'show-toplevel') return constant(root);
  return constant(asked[0] === 'git-path' ? `${root}/.git/${args.at(-1)?.text ?? ''}` : `${root}/.git`);
};

const environment: Prints = (command, { context }) =>
  command.args[0]?.text === 'HOME' ? constant(context.home) : null;

const PRINTERS = table<Prints>([
  ['echo print', echo],
  ['printf', prints],
  ['cat bat', copies],
  ['tee sponge pv', passes],
  ['head tail sort uniq grep tac', selects],
  ['base64', decodes(decodeBase64, /^(-[a-zA-Z]*[dD]|--decode)$/)],
  ['base32', decodes(decodeBase32, /^(-[a-zA-Z]*d|--decode)$/)],
  ['xxd', decodes(decodeHex, /^-[a-z]*r/)],
  ['rev', reverses],
  ['tr', translates],
  ['sed', substitutes],
  ['cut', cuts],
  ['npm pnpm yarn go brew pip pip3 rustc', namesToolFolder],
  ['find', finds],
  ['awk gawk', printsOnce],
  ['mktemp', makesTemporary],
  ['realpath readlink', firstOperand],
  ['which command type', locates],
  ['pwd', (command) => (command.cwd === null ? null : constant(command.cwd))],
  ['dirname', (command) => changed(command, (path) => path.replace(/\/[^/]*$/, '') || '/')],
  ['basename', (command) => changed(command, (path) => path.slice(path.lastIndexOf('/') + 1))],
  ['git', gitPrints],
  ['printenv', environment],
]);

function changed(command: SimpleCommand, change: (path: string) => string): Text | null {
  const [word] = operands(command);
  return word === undefined || !isKnown(word) ? null : constant(change(word.text));
}

const QUIET = new Set(SILENT);

/** What a command prints; when the text does not show it, unknown and from this command. */
export function outputOf(command: SimpleCommand, around: Surroundings): Text {
  if (QUIET.has(command.name) || (command.name === '' && isKnown(command.word))) return EMPTY;
  const text =
    PRINTERS.get(command.name)?.(command, around) ??
    generatedBy(command) ??
    (around.feedsShell ? (piecesOfInput(command, around) ?? wordsGeneratedBy(command)) : null);
  if (text === null) return unknownFrom(command);
  return isKnown(text) || text.from !== null ? text : { ...text, from: command };
}

/** Programs that print parts of the lines they read. */
const EDITORS = /^(sed|gsed|awk|gawk|cut|column|fold|paste|colrm|expand|fmt|nl|jq|yq|perl)$/;

/** Of a known input that such a program feeds to a shell, each part between punctuation, as a line. */
function piecesOfInput({ name }: SimpleCommand, { stdin }: Surroundings): Text | null {
  if (stdin === null || !isKnown(stdin) || !EDITORS.test(name)) return null;
  return constant(stdin.text.replace(/[#:;,|&]+|\t/g, '\n'));
}

/*
 * Output of programs that make text out of text: `awk '{print "rm " $1}'`, `sed 's/^/rm /'`. Their data are unknown,
 * but the words that they put around the data are known, and show what a shell after the pipe would do.
 */

/** The lines that a text generator prints, unknown in place of its data; null for other programs. */
function generatedBy(command: SimpleCommand): Text | null {
  const lines = GENERATORS.get(command.name)?.(command) ?? [];
  return lines.length === 0 ? null : { text: lines.map((line) => `${line}\n`).join(''), from: command };
}

type Generator = (command: SimpleCommand) => readonly string[];

const byAwk: Generator = (command) => {
  const [program] = operands(command);
  return program === undefined ? [] : awkPrints(program.text).map((print) => print.line);
};

/** What one `print` of awk writes, and the command it is piped to. */
interface AwkPrint {
  readonly line: string;
  readonly reader: string | null;
}

const AWK_PRINT = /\bprintf?\b((?:"(?:[^"\\]|\\.)*"|[^";}\n])*)/g;

const AWK_STRING = /"((?:[^"\\]|\\.)*)"/g;

/** The `print` statements of an awk program, as written. */
export function awkPrints(program: string): readonly AwkPrint[] {
  return [...program.matchAll(AWK_PRINT)].map((match) => {
    const [, printed = '', reader] =
      /^((?:"(?:[^"\\]|\\.)*"|[^"|])*)(?:\|&?\s*"((?:[^"\\]|\\.)*)")?/.exec(match[1] ?? '') ?? [];
    const text = printed.replace(/>>?\s*"(?:[^"\\]|\\.)*"\s*$/, '');
    return { line: lineOf(text, match[0].startsWith('printf')), reader: reader ?? null };
  });
}

/** Strings verbatim, anything between them unknown; for `printf` the format with its directives unknown. */
function lineOf(expressions: string, isFormat: boolean): string {
  const [format] = isFormat ? [...expressions.matchAll(AWK_STRING)] : [];
  if (format !== undefined)
    return withEscapes(format[1] ?? '')
      .replace(/%[^%a-zA-Z]*[a-zA-Z]/g, UNKNOWN)
      .trimEnd();
  let line = '';
  let from = 0;
  for (const match of expressions.matchAll(AWK_STRING)) {
    line += between(expressions.slice(from, match.index)) + withEscapes(match[1] ?? '');
    from = match.index + match[0].length;
  }
  return line + between(expressions.slice(from));
}

function between(expression: string): string {
  if (/^[\s()]*$/.test(expression)) return '';
  return expression.replace(/[^,]+/g, (part) => (part.trim() === '' ? '' : UNKNOWN)).replaceAll(',', ' ');
}

/** sed's `s` behind an address: pattern, replacement, flags, and the file of the flag `w`. */
export const SED_SUBSTITUTE =
  /^[^a-zA-Z/]*s([/|#,@!:])((?:(?!\1)[^\\]|\\.)*)\1((?:(?!\1)[^\\]|\\.)*)\1(\w*)(?:\s+(\S+))?/;

/** `s/^/rm /` puts words before a line, `s/.*\/rm &/` around it. */
const bySed: Generator = (command) => {
  const line = sedScripts(command).reduce((before, { text }) => {
    const [, , pattern, replacement] = SED_SUBSTITUTE.exec(text) ?? [];
    if (pattern === undefined || replacement === undefined) return before;
    const put = replacement.replace(/\\?&|\\\d/g, UNKNOWN).replace(/\\(.)/g, '$1');
    if (pattern === '^') return put + before;
    if (pattern === '$') return before + put;
    return /^\^?\.\*\$?$/.test(pattern) ? put : `${put}${UNKNOWN}`;
  }, UNKNOWN);
  return line === UNKNOWN ? [] : [line];
};

/** `find -printf 'rm %p\n'`. */
const byFind: Generator = (command) => {
  const format = optionValue(command, '-printf');
  if (format === null) return [];
  const [start] = searchedBy(command);
  const path = `${start?.text ?? '.'}/${UNKNOWN}`;
  return [
    withEscapes(format.text)
      .replace(/%p/g, path)
      .replace(/%[^%a-zA-Z]*[a-zA-Z]/g, UNKNOWN)
      .trimEnd(),
  ];
};

const GENERATORS = table<Generator>([
  ['awk gawk mawk nawk', byAwk],
  ['sed gsed', bySed],
  ['find', byFind],
]);

const STRING_LITERAL = /"((?:[^"\\\n]|\\.){0,400})"|'((?:[^'\\\n]|\\.){0,400})'|`((?:[^`\\]|\\.){0,400})`/g;

/**
 * The strings in a program that feeds a shell in ways that are not followed, each as a line with something unknown
 * after it: the parts of the shell's commands that it shows.
 */
export function literalsOf(code: string): string {
  const literals = [...code.matchAll(STRING_LITERAL)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
  return literals
    .filter((literal) => /[a-z]{2}/i.test(literal))
    .map(lineAround)
    .join('');
}

/** Placeholders of various languages: `#{x}`, `${x}`, `\(x)`, `%s`, `{}`, `$x`. */
const PLACEHOLDER = /[#$]\{[^}]*\}|\\\([^)]*\)|%[%\w()-]{0,12}[a-zA-Z]|\{\w*\}|\$\w+/g;

function lineAround(text: string): string {
  return `${withEscapes(text.replace(PLACEHOLDER, UNKNOWN)).trimEnd()} ${UNKNOWN}\n`;
}

/** Words with shell text, or a program with it in its strings: `jq -r '"rm " + .path'`, `--format='rm %h'`. */
function wordsGeneratedBy(command: SimpleCommand): Text | null {
  const texts = command.args.map((word) => word.text.replace(/^--?[\w-]+=/, '')).filter((text) => /\s/.test(text));
  const lines = texts.map((text) => (/["'`]/.test(text) ? literalsOf(text) : lineAround(text)));
  return lines.length === 0 ? null : { text: lines.join(''), from: command };
}
