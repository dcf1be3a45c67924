import type { Assignment, Command, Redirection, Word as WordNode } from 'unbash';
import type { Input, Redirect, SimpleCommand, Text, Word } from '../api.ts';
import {
  concat,
  constant,
  EMPTY,
  isKnown,
  joined,
  nameOfProgram,
  UNKNOWN,
  UNKNOWN_TEXT,
  unknownFrom,
  wordOf,
} from '../words.ts';
import { applyBuiltin, rememberWrittenFiles } from './builtins.ts';
import { nestedIn } from './carriers/nested.ts';
import { expandParts, expandText, expandWord } from './expand.ts';
import {
  assign,
  createScope,
  type Frame,
  fileText,
  GENERATED,
  INHERITED,
  lookUp,
  type Nested,
  reading,
  rememberFile,
  type Surroundings,
  subScope,
  UNMOUNTED,
  type Value,
} from './frame.ts';
import { effectsOf } from './languages/effects.ts';
import { literalsOf, outputOf } from './output.ts';

/** A command found behind more carriers than this is not followed. */
const DEEPEST = 16;

/** Further arguments of one command are not followed either. */
const MOST_ARGUMENTS = 400;

type NamedValue = SimpleCommand['assignments'][number];

interface Parts {
  readonly words: readonly Word[];
  readonly assignments: readonly NamedValue[];
  readonly redirects: readonly Redirect[];
  readonly source: string;
}

/** Runs a simple command of the syntax tree: expands its words, then calls `runWords`. Returns its output. */
export function runCommandNode(node: Command, frame: Frame): Text {
  const prefix = node.prefix.filter((part) => part.type === 'Assignment');
  const assignments = prefix.map((part) => evaluateAssignment(part, frame));
  const name = node.name === undefined ? [] : expandWord(node.name, frame);
  if (node.args.length > MOST_ARGUMENTS) frame.runner.giveUp('too-long');
  const args = node.args.slice(0, MOST_ARGUMENTS);
  const words = [...name, ...args.flatMap((arg) => expandArgument(arg, frame))];
  const { redirects, frame: inner } = expandRedirects(node.redirects, frame);
  const source = frame.source.slice(node.pos, node.end);
  const named = assignments.map(({ name, value }) => ({ name, value: wordOf(joined(value)) }));
  const parts = { words, assignments: named, redirects, source };
  const output = words.length === 0 ? runAssignments(parts, assignments, inner) : runWords(parts, inner);
  return divertOutput(redirects, output, frame);
}

interface Assigned {
  readonly name: string;
  readonly value: Value;
}

function evaluateAssignment(node: Assignment, frame: Frame): Assigned {
  const value = valueAssigned(node, frame);
  const before = lookUp(frame.scope, node.name) ?? [];
  if (node.index !== undefined) {
    const key = expandText(node.index, frame).text;
    const index = Number(key);
    if (!Number.isInteger(index)) {
      assign(frame.scope, `${node.name}[${key}]`, value);
      return { name: node.name, value: [...before, ...value] };
    }
    const elements = [...before];
    if (Number.isInteger(index) && index >= 0 && index <= elements.length) elements[index] = value[0] ?? EMPTY;
    return { name: node.name, value: elements };
  }
  if (node.append !== true) return { name: node.name, value };
  return {
    name: node.name,
    value: node.value.type === 'ArrayValue' ? [...before, ...value] : [concat([...before.slice(0, 1), ...value])],
  };
}

function valueAssigned({ name, value }: Assignment, frame: Frame): Value {
  if (value.type === 'Word') return [expandText(value, frame)];
  return value.elements.flatMap((element) =>
    expandWord(element, frame).map((word) => {
      const [, key, text] = /^\[([^\]]*)\]=([\s\S]*)$/.exec(word.text) ?? [];
      if (key === undefined || text === undefined) return word;
      assign(frame.scope, `${name}[${key}]`, [{ ...word, text }]);
      return { ...word, text };
    }),
  );
}

/** `export A=b` keeps its assignment as one word. */
function expandArgument(node: WordNode | Assignment, frame: Frame): readonly Word[] {
  if (node.type === 'Word') return expandWord(node, frame);
  const { name, value } = evaluateAssignment(node, frame);
  if (value.length > 1) assign(frame.scope, name, value);
  const text = value[0] ?? EMPTY;
  return [wordOf({ ...text, text: `${name}=${text.text}` })];
}

/** `A=b` without a command changes the shell, and is emitted for the rules about variables and redirections. */
function runAssignments(parts: Parts, assigned: readonly Assigned[], frame: Frame): Text {
  for (const { name, value } of assigned) assign(frame.scope, name, value);
  frame.runner.emit(simpleCommand(parts, frame));
  runCommandVariables(parts.assignments, frame);
  return EMPTY;
}

/** Runs a command given as words: emits it, applies its changes to the shell, and follows everything it runs. */
function runWords(parts: Parts, frame: Frame): Text {
  if (!frame.runner.step(1 + parts.words.length / 8)) return EMPTY;
  const bare = simpleCommand(parts, frame);
  const around: Surroundings = {
    context: frame.runner.context,
    stdin: frame.stdin?.rest ?? null,
    feedsShell: frame.feedsShell,
    fileText: (file) => fileText(file, frame),
    files: frame.scope.files,
  };
  const nested = bare.via.length > DEEPEST ? [] : nestedIn(bare, around);
  if (bare.via.length > DEEPEST) frame.runner.giveUp('too-long');
  const command = { ...bare, input: inputOfCode(bare, nested) };
  frame.runner.emit(command);
  runCommandVariables(parts.assignments, frame);
  applyBuiltin(command, frame);
  rememberWrittenFiles(command, frame);
  const own = runOwnDefinition(command, frame);
  if (own !== null) return own;
  const outputs = nested.map((each) => runNested(each, command, frame));
  return outputs.length > 0 ? concat(outputs) : outputOf(command, around);
}

export function simpleCommand({ words, ...parts }: Parts, { input, pipesTo, scope, via }: Frame): SimpleCommand {
  const [word = wordOf(''), ...args] = words;
  return { name: nameOfProgram(word), word, args, ...parts, input, pipesTo, cwd: scope.cwd, via };
}

/**
 * A program that runs code printed by another command reads it, however it arrives: `sh -c "$(curl …)"` and `bash
 * <(curl …)` have the input of `curl … | sh`, as does a command word that another command printed.
 */
function inputOfCode(command: SimpleCommand, nested: readonly Nested[]): Input {
  const codes = nested.flatMap((each) => (each.kind === 'argv' ? [] : [each.code.from]));
  const from = codes.find((origin) => origin !== null) ?? (isKnown(command.word) ? null : command.word.from);
  return from === null ? command.input : { kind: 'pipe', from };
}

/** Runs a function or an alias of this name that the text defined; null without one. */
function runOwnDefinition(command: SimpleCommand, frame: Frame): Text | null {
  const { text } = command.word;
  const defined = frame.scope.functions.get(text);
  const mark = `${text}()`;
  if (defined !== undefined && !frame.via.includes(mark)) {
    const before = frame.scope.positional;
    const inner = { ...frame, via: [...frame.via, mark], source: defined.source };
    frame.scope.positional = command.args;
    const { body } = defined.node;
    const output = body.type === 'CompoundList' ? EMPTY : frame.runner.runNode(body, inner);
    frame.scope.positional = before;
    return output;
  }
  const alias = frame.scope.aliases.get(text);
  const via = `alias ${text}`;
  if (alias === undefined || frame.via.includes(via)) return null;
  const rest = command.args.map((word) => quoted(word.text)).join(' ');
  return frame.runner.runText(`${alias} ${rest}`, { ...frame, via: [...frame.via, via] });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function runNested(nested: Nested, command: SimpleCommand, frame: Frame): Text {
  const via = [...frame.via, ...viaOf(nested)];
  if (nested.kind === 'argv') return runArgv(nested, command, { ...frame, via });
  const { code } = nested;
  if (code.text.replaceAll(UNKNOWN, '').trim() === '') {
    if (isKnown(code)) return EMPTY;
    frame.runner.note(`${nested.via}: ${command.source}`);
    return unknownFrom(command);
  }
  if (nested.kind === 'language') {
    if (!frame.runner.step(code.text.length / 20)) return UNKNOWN_TEXT;
    const inner = { ...frame, scope: subScope(frame.scope), via, pipesTo: null };
    const effects = effectsOf(code.text, nested.language, frame.runner.context.home);
    const outputs = effects.map((effect) => runNested(effect, command, inner));
    const printed = concat(outputs);
    if (printed.text !== '') return printed;
    return frame.feedsShell ? { text: literalsOf(code.text) || UNKNOWN, from: command } : unknownFrom(command);
  }
  const output = frame.runner.runText(code.text, shellFrame(nested, command, { ...frame, via }));
  // Output from another machine comes from its carrier, not from the program that printed it there.
  return nested.where === 'elsewhere' && !isKnown(output) ? { ...output, from: command } : output;
}

function viaOf(nested: Nested): readonly string[] {
  if (nested.via === '') return [];
  if (nested.kind === 'argv' && nested.isApart === true) return [nested.via, UNMOUNTED];
  const generated = nested.kind === 'shell' && nested.code.from !== null && !isKnown(nested.code);
  return generated ? [nested.via, GENERATED] : [nested.via];
}

/** The frame in which shell text runs: this shell, a child, or an unknown machine. */
function shellFrame(nested: Extract<Nested, { kind: 'shell' }>, command: SimpleCommand, frame: Frame): Frame {
  const input = nested.fromInput === true ? { input: INHERITED, stdin: null } : {};
  const positional = nested.args ?? [];
  if (nested.where === 'elsewhere') {
    const scope = { ...createScope(frame.runner.context), cwd: null, positional };
    return { ...frame, ...input, scope };
  }
  if (nested.where === 'here') {
    if (positional.length > 0) frame.scope.positional = positional;
    return { ...frame, ...input };
  }
  const scope = subScope(frame.scope, positional);
  if (nested.zero !== undefined) assign(scope, '0', [nested.zero]);
  for (const { name, value } of command.assignments) assign(scope, name, [value]);
  return { ...frame, ...input, scope };
}

function runArgv(nested: Extract<Nested, { kind: 'argv' }>, command: SimpleCommand, frame: Frame): Text {
  const at = nested.words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word.text));
  const assignments = nested.words.slice(0, Math.max(0, at)).map((word): NamedValue => {
    const equals = word.text.indexOf('=');
    return { name: word.text.slice(0, equals), value: { ...word, text: word.text.slice(equals + 1) } };
  });
  const moved = nested.cwd === undefined ? frame : { ...frame, scope: { ...subScope(frame.scope), cwd: nested.cwd } };
  const parts: Parts = {
    words: nested.words.slice(Math.max(0, at)),
    assignments: [...command.assignments, ...assignments],
    redirects: nested.redirects ?? command.redirects,
    source: command.source,
  };
  return runWords(parts, moved);
}

/** Variables whose value other programs run. */
const COMMAND_VARIABLES =
  /^(PROMPT_COMMAND|PS[0-4]|BASH_ENV|ENV|(GIT_)?(SSH_COMMAND|EDITOR|PAGER|ASKPASS|SEQUENCE_EDITOR|EXTERNAL_DIFF|PROXY_COMMAND)|VISUAL|MANPAGER|LESSOPEN|LESSCLOSE|SUDO_ASKPASS|SSH_ASKPASS|BROWSER|RSYNC_RSH|FZF_DEFAULT_COMMAND|npm_config_script_shell)$/;

function runCommandVariables(assignments: readonly NamedValue[], frame: Frame): void {
  for (const { name, value } of assignments) {
    if (!COMMAND_VARIABLES.test(name) || value.text === '' || frame.via.length > DEEPEST) continue;
    const written = fileText(value, frame);
    const code = written?.text ?? value.text;
    frame.runner.runText(code, {
      ...frame,
      scope: subScope(frame.scope),
      via: [...frame.via, `${name}=`],
      pipesTo: null,
    });
  }
}

/** The redirections of a command, and the frame in which it reads its redirected input. */
export function expandRedirects(
  nodes: readonly Redirection[],
  frame: Frame,
): { readonly redirects: readonly Redirect[]; readonly frame: Frame } {
  let inner = frame;
  const redirects = nodes.map((node): Redirect => {
    const target = node.type === 'HereDoc' ? wordOf(hereDocument(node, frame)) : targetOf(node, frame);
    const descriptor = node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : null;
    if (descriptor !== null && descriptor > 2) rememberDescriptor(descriptor, node.operator, target, frame);
    if (descriptor === null || descriptor === 0) inner = withInput(inner, node.operator, target);
    return { operator: node.operator, target, descriptor };
  });
  return { redirects, frame: inner };
}

function targetOf({ target }: Exclude<Redirection, HereDocument>, frame: Frame): Word {
  const words = target === undefined ? [] : expandWord(target, frame);
  return words.length === 1 && words[0] ? words[0] : wordOf(joined(words));
}

type HereDocument = Extract<Redirection, { type: 'HereDoc' }>;

function hereDocument(node: HereDocument, frame: Frame): Text {
  const { body, delimiter, operator } = node;
  const text =
    delimiter?.quoted === true || body.parts === undefined ? constant(body.text) : expandParts(body.parts, frame);
  return operator === '<<-' ? { ...text, text: text.text.replace(/^\t+/gm, '') } : text;
}

/** `exec 3<<< text`, for a later `<&3` or `/dev/fd/3`. */
function rememberDescriptor(descriptor: number, operator: string, target: Word, frame: Frame): void {
  const { stdin } = withInput({ ...frame, stdin: null }, operator, target);
  if (stdin !== null) frame.scope.files.set(`/dev/fd/${descriptor}`, stdin.rest);
}

function withInput(frame: Frame, operator: string, target: Word): Frame {
  if (operator === '<<' || operator === '<<-' || operator === '<<<') {
    return reading(operator === '<<<' ? concat([target, constant('\n')]) : target, frame);
  }
  if (operator === '<&') {
    const opened = frame.scope.files.get(`/dev/fd/${target.text}`);
    return opened === undefined ? frame : reading(opened, frame);
  }
  if (operator !== '<' && operator !== '<>') return frame;
  const written = fileText(target, frame);
  if (written === null) return { ...frame, input: { kind: 'file', file: target }, stdin: null };
  return reading(written, frame);
}

/** Records what a command writes to files. Returns the output that is left for the pipe. */
export function divertOutput(redirects: readonly Redirect[], output: Text, frame: Frame): Text {
  let left = output;
  for (const { operator, target, descriptor } of redirects) {
    if (!/^(&?>>?|>\|)$/.test(operator) || (descriptor !== null && descriptor !== 1)) continue;
    rememberFile(target, output, operator.endsWith('>>'), frame);
    left = EMPTY;
  }
  return left;
}
