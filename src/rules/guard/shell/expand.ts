import {
  type ArithmeticExpression,
  forEachChild,
  parse,
  type SyntaxNode,
  type Word as WordNode,
  type WordPart,
} from 'unbash';
import type { Text, Word } from '../api.ts';
import { concat, constant, EMPTY, isKnown, joined, UNKNOWN_TEXT, wordOf } from '../words.ts';
import { assign, type Frame, lookUp, reading, subScope, type Value } from './frame.ts';
import { expandBraces, expandParameter, isList, valueOfParameter } from './parameters.ts';

/** The file name of a process substitution, followed by a number. Its output is found by this name. */
const PROCESS_FILE = '/dev/fd/';

const FIRST_PROCESS = 63;

const MOST_FIELDS = 512;

/** A piece of a word: its values (one, or the list of `"$@"`), and whether quotes hold it together. */
interface Piece {
  readonly values: Value;
  readonly quoted: boolean;
  /** An expansion without quotes: its value is split into words. */
  readonly splits: boolean;
  readonly glob: boolean;
}

/** The words that a word of the source expands to: braces, tildes, parameters, substitutions, splitting. */
export function expandWord(node: WordNode, frame: Frame): readonly Word[] {
  const sources = node.parts?.some((part) => part.type === 'BraceExpansion') ? expandBraces(node.text) : [node.text];
  if (sources.length === 1) return fieldsOf(piecesOf(node, frame), separators(frame));
  if (!frame.runner.step(sources.length)) return [wordOf(node.text, true)];
  return sources.flatMap((source) => {
    const again = reparsed(source);
    if (again === null) return [wordOf(source, true)];
    const inner = { ...frame, source: again.source };
    return fieldsOf(piecesOf(again.word, inner), separators(frame));
  });
}

/** The value of a word where it is not split: after `=`, as the target of a redirection, in `case`. */
export function expandText(node: WordNode, frame: Frame): Text {
  return concat(piecesOf(node, frame).map((piece) => joined(piece.values)));
}

/** The value of parts outside a word, such as a here-document. */
export function expandParts(parts: readonly WordPart[], frame: Frame): Text {
  const pieces = parts.flatMap((part) => piecesOfPart(part, true, frame));
  return concat(pieces.map((piece) => joined(piece.values)));
}

/** Runs the substitutions in a tree that is not a command: arithmetic, `[[ … ]]`. */
export function runSubstitutions(node: SyntaxNode, frame: Frame): void {
  if (node.type === 'Word') expandText(node, frame);
  else if (node.type === 'CommandExpansion' || node.type === 'ArithmeticCommandExpansion') substitute(node, frame);
  else forEachChild(node, (child) => runSubstitutions(child, frame));
}

function reparsed(source: string): { readonly word: WordNode; readonly source: string } | null {
  const text = `: ${source}`;
  const command = parse(text).commands[0]?.command;
  const word = command?.type === 'Command' ? command.suffix[0] : undefined;
  return word?.type === 'Word' ? { word, source: text } : null;
}

function separators(frame: Frame): string {
  return lookUp(frame.scope, 'IFS')?.[0]?.text ?? ' \t\n';
}

function piecesOf(node: WordNode, frame: Frame): readonly Piece[] {
  const { parts } = node;
  if (parts === undefined || parts.length === 0) return [literal(withTilde(node.text, node.value, frame))];
  return parts.flatMap((part, at) => {
    if (at === 0 && part.type === 'Literal') return [literal(withTilde(part.text, part.value, frame))];
    return piecesOfPart(part, false, frame);
  });
}

function literal(text: string, glob = false): Piece {
  return { values: [{ text, from: null }], quoted: false, splits: false, glob };
}

function quoted(value: Text): Piece {
  return { values: [value], quoted: true, splits: false, glob: false };
}

function piecesOfPart(part: WordPart, inQuotes: boolean, frame: Frame): readonly Piece[] {
  const expansion = (values: Value): Piece => ({ values, quoted: inQuotes, splits: !inQuotes, glob: !inQuotes });
  switch (part.type) {
    case 'Literal':
      return [{ ...literal(part.value), quoted: inQuotes }];
    case 'Glob':
    case 'ExtendedGlob':
      return [literal(part.text, !inQuotes)];
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [quoted({ text: part.value, from: null })];
    case 'DoubleQuoted':
    case 'LocaleString':
      if (part.parts.length === 0) return [quoted(EMPTY)];
      return part.parts.flatMap((child) => piecesOfPart(child, true, frame));
    case 'SimpleExpansion': {
      const values = valueOfParameter(frame.scope, part.text.slice(1)) ?? [UNKNOWN_TEXT];
      return [expansion(isList(part.text.slice(1), undefined) ? values : values.slice(0, 1))];
    }
    case 'ParameterExpansion': {
      // Patterns are tried at many places of a value.
      if (part.operation !== undefined && !frame.runner.step(8)) return [expansion([UNKNOWN_TEXT])];
      const values = expandParameter(part, frame.scope, (word) => expandText(word, frame));
      const operator = part.operation?.type === 'Default' ? part.operation.operator : '';
      if (operator.endsWith('=')) assign(frame.scope, part.parameter, values);
      return [expansion(values)];
    }
    case 'CommandExpansion':
      return [expansion([substitute(part, frame)])];
    case 'ArithmeticExpansion':
      return [expansion([arithmetic(part.expression, frame)])];
    case 'ProcessSubstitution':
      return [literal(runProcess(part, frame))];
    case 'BraceExpansion':
      if (part.parts === undefined) return [literal(part.text)];
      return part.parts.flatMap((child) => piecesOfPart(child, inQuotes, frame));
  }
}

/** `~`, `~/x`, `~+`, `~user`; quotes and backslashes in the raw text keep a tilde literal. */
function withTilde(raw: string, value: string, frame: Frame): string {
  const match = /^~([A-Za-z0-9_.+-]*)(?=\/|$)/.exec(raw);
  if (match === null || !value.startsWith(match[0])) return value;
  const name = match[1] ?? '';
  const home = lookUp(frame.scope, 'HOME')?.[0]?.text ?? '';
  return folderOfTilde(name, home, frame) + value.slice(match[0].length);
}

function folderOfTilde(name: string, home: string, frame: Frame): string {
  if (name === '') return home;
  if (name === '+') return frame.scope.cwd ?? UNKNOWN_TEXT.text;
  if (name === '-') return frame.scope.previousCwd ?? UNKNOWN_TEXT.text;
  if (name === 'root') return '/root';
  return `${home.slice(0, home.lastIndexOf('/'))}/${name}`;
}

type Substitution = Extract<SyntaxNode, { type: 'CommandExpansion' | 'ArithmeticCommandExpansion' }>;

function substitute(part: Substitution, frame: Frame): Text {
  // The parser parses a substitution at the first access to it: not beyond the budget.
  const script = frame.runner.step() ? part.script : undefined;
  if (script === undefined) return UNKNOWN_TEXT;
  const output = frame.runner.runScript(script, {
    ...frame,
    scope: subScope(frame.scope),
    via: [...frame.via, '$()'],
    pipesTo: null,
    source: script.source ?? frame.source,
  });
  return { ...output, text: output.text.replace(/\n+$/, '') };
}

/**
 * `<(…)` runs at once, and its output is stored under the file's name for the program that opens it. `>(…)` runs with
 * the input of its command, as in `tee >(sh)`, and again with what is written to it.
 */
function runProcess(part: Extract<WordPart, { type: 'ProcessSubstitution' }>, frame: Frame): string {
  const { files, readers } = frame.scope;
  const file = `${PROCESS_FILE}${FIRST_PROCESS + files.size + readers.size}`;
  const script = frame.runner.step() ? part.script : undefined;
  if (script === undefined) return file;
  const inner: Frame = {
    ...frame,
    scope: subScope(frame.scope),
    via: [...frame.via, `${part.operator}()`],
    pipesTo: null,
    source: script.source ?? frame.source,
  };
  const output = frame.runner.runScript(script, inner);
  if (part.operator === '<') files.set(file, output);
  else {
    readers.set(file, (written) => {
      frame.runner.runScript(script, reading(written, inner));
    });
  }
  return file;
}

function arithmetic(expression: ArithmeticExpression | undefined, frame: Frame): Text {
  if (expression === undefined) return UNKNOWN_TEXT;
  runSubstitutions(expression, frame);
  const isNumber = expression.type === 'ArithmeticWord' && /^\d+$/.test(expression.value);
  return isNumber ? constant(expression.value) : UNKNOWN_TEXT;
}

/** Joins pieces into words, splitting where an unquoted expansion holds separators. */
function fieldsOf(pieces: readonly Piece[], ifs: string): readonly Word[] {
  const fields: Word[] = [];
  let texts: Text[] = [];
  let glob = false;
  const close = (): void => {
    if (texts.length === 0 || fields.length >= MOST_FIELDS) return;
    fields.push(wordOf(concat(texts), glob));
    texts = [];
    glob = false;
  };
  for (const piece of pieces) {
    piece.values.forEach((value, nth) => {
      if (nth > 0) close();
      const parts = piece.splits ? splitFields(value, ifs) : [value];
      parts.forEach((part, at) => {
        if (at > 0) close();
        if (piece.splits && part.text === '') return;
        texts.push(part);
        glob ||= piece.glob;
      });
    });
  }
  close();
  return fields;
}

function splitFields(value: Text, ifs: string): readonly Text[] {
  if (ifs === '' || ![...ifs].some((char) => value.text.includes(char))) return [value];
  const parts: string[] = [''];
  for (const char of value.text) {
    if (!ifs.includes(char)) parts[parts.length - 1] += char;
    else parts.push('');
  }
  return parts.map((text) => ({ text, from: isKnown({ text }) ? null : value.from }));
}
