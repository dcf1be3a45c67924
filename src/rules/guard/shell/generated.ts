import type { SimpleCommand, Word } from '../api.ts';
import { operands, optionValue, optionValues } from '../flags.ts';
import { searchedBy } from './carriers/find.ts';
import { withEscapes } from './printf.ts';
import { entryOf } from './table.ts';
import { type Text, UNKNOWN } from './text.ts';

/*
 * What programs print that make text out of text: `awk '{print "rm " $1}'`, `sed 's/^/rm /'`. Their data are not known,
 * but the words that they put around them are, and those tell what a shell behind the pipe would do.
 */

/** The lines that a text generator prints, unknown where its data stand; null for other programs. */
export function generatedBy(command: SimpleCommand): Text | null {
  const lines = entryOf(GENERATORS, command.name)?.(command) ?? [];
  return lines.length === 0 ? null : { text: lines.map((line) => `${line}\n`).join(''), from: command };
}

type Generator = (command: SimpleCommand) => readonly string[];

const byAwk: Generator = (command) => {
  const [program] = operands(command, ['F', 'v', 'f', 'field-separator', 'assign', 'file']);
  return program === undefined ? [] : awkPrints(program.text).map((print) => print.line);
};

/** What one `print` of awk writes, and the command that it pipes that to. */
export interface AwkPrint {
  readonly line: string;
  readonly reader: string | null;
}

const AWK_PRINT = /\bprintf?\b((?:"(?:[^"\\]|\\.)*"|[^";}\n])*)/g;

const AWK_STRING = /"((?:[^"\\]|\\.)*)"/g;

/** The `print` statements of an awk program, in the order written. */
export function awkPrints(program: string): readonly AwkPrint[] {
  return [...program.matchAll(AWK_PRINT)].map((match) => {
    const [, printed = '', reader] =
      /^((?:"(?:[^"\\]|\\.)*"|[^"|])*)(?:\|&?\s*"((?:[^"\\]|\\.)*)")?/.exec(match[1] ?? '') ?? [];
    const text = printed.replace(/>>?\s*"(?:[^"\\]|\\.)*"\s*$/, '');
    return { line: lineOf(text, match[0].startsWith('printf')), reader: reader ?? null };
  });
}

/** Strings as they are, anything between them unknown; of `printf` the format with its directives unknown. */
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

const SED_SUBSTITUTE = /^[^a-zA-Z/]*s([/|#,@!:])((?:(?!\1)[^\\]|\\.)*)\1((?:(?!\1)[^\\]|\\.)*)\1/;

/** `s/^/rm /` puts words before a line, `s/.*\/rm &/` around it. */
const bySed: Generator = (command) => {
  const given = optionValues(command, 'e', 'expression');
  const scripts: readonly Word[] = given.length > 0 ? given : operands(command).slice(0, 1);
  const line = scripts.reduce((before, { text }) => {
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

const GENERATORS: Readonly<Record<string, Generator>> = {
  awk: byAwk,
  gawk: byAwk,
  mawk: byAwk,
  nawk: byAwk,
  sed: bySed,
  gsed: bySed,
  find: byFind,
};

const STRING_LITERAL = /"((?:[^"\\\n]|\\.){0,400})"|'((?:[^'\\\n]|\\.){0,400})'|`((?:[^`\\]|\\.){0,400})`/g;

/**
 * The strings in a program that feeds a shell by ways that are not followed, each as a line with something unknown behind
 * it: what of the shell's commands can be read in it.
 */
export function literalsOf(code: string): string {
  const literals = [...code.matchAll(STRING_LITERAL)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
  return literals
    .filter((literal) => /[a-z]{2}/i.test(literal))
    .map(lineAround)
    .join('');
}

/** What languages put values in place of: `#{x}`, `${x}`, `\(x)`, `%s`, `{}`, `$x`. */
const PLACEHOLDER = /[#$]\{[^}]*\}|\\\([^)]*\)|%[%\w()-]{0,12}[a-zA-Z]|\{\w*\}|\$\w+/g;

function lineAround(text: string): string {
  return `${withEscapes(text.replace(PLACEHOLDER, UNKNOWN)).trimEnd()} ${UNKNOWN}\n`;
}

/** Words that are shell text, or a program with shell text in its strings: `jq -r '"rm " + .path'`, `--format='rm %h'`. */
export function wordsGeneratedBy(command: SimpleCommand): Text | null {
  const texts = command.args.map((word) => word.text.replace(/^--?[\w-]+=/, '')).filter((text) => /\s/.test(text));
  const lines = texts.map((text) => (/["'`]/.test(text) ? literalsOf(text) : lineAround(text)));
  return lines.length === 0 ? null : { text: lines.join(''), from: command };
}
