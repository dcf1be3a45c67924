import type { ArrayValue, Assignment, Command, Redirection, Word as WordNode } from 'unbash';
import type { Input, Redirect, SimpleCommand, Word } from '../api.ts';
import {
  asText,
  concat,
  constant,
  EMPTY,
  isKnown,
  nameOfProgram,
  originOf,
  type Text,
  type TracedWord,
  UNKNOWN,
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
  findAlias,
  findFunction,
  GENERATED,
  INHERITED,
  inputOf,
  lookUp,
  type Nested,
  rememberFile,
  type Surroundings,
  subScope,
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
  readonly redirects: readonly Redirected[];
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
  const parts = { words, assignments: assignments.map(nameFirst), redirects, source };
  const output = words.length === 0 ? runAssignments(parts, assignments, inner) : runWords(parts, inner);
  return divertOutput(redirects, output, frame);
}

interface Assigned {
  readonly name: string;
  readonly value: Value;
}

function nameFirst({ name, value }: Assigned): NamedValue {
  const whole = value.length === 1 ? value : value.flatMap((text) => [text, constant(' ')]).slice(0, -1);
  const text = concat(whole);
  return { name, value: wordOf(text.text, false, text.from) };
}

function evaluateAssignment(node: Assignment, frame: Frame): Assigned {
  const value = valueAssigned(node.value, frame);
  const before = lookUp(frame.scope, node.name) ?? [];
  if (node.index !== undefined) {
    const index = Number(expandText(node.index, frame).text);
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

function valueAssigned(node: WordNode | ArrayValue, frame: Frame): Value {
  if (node.type === 'Word') return [expandText(node, frame)];
  return node.elements.flatMap((element) => expandWord(element, frame).map(({ text, from }) => ({ text, from })));
}

/** `export A=b` keeps its assignment as one word. */
function expandArgument(node: WordNode | Assignment, frame: Frame): readonly TracedWord[] {
  if (node.type === 'Word') return expandWord(node, frame);
  const { name, value } = evaluateAssignment(node, frame);
  if (value.length > 1) assign(frame.scope, name, value);
  const text = value[0] ?? EMPTY;
  return [wordOf(`${name}=${text.text}`, false, text.from)];
}

/** `A=b` without a command changes the shell, and is emitted for the rules about variables and redirections. */
function runAssignments(parts: Parts, assigned: readonly Assigned[], frame: Frame): Text {
  for (const { name, value } of assigned) assign(frame.scope, name, value);
  const command = simpleCommand(parts, frame);
  frame.runner.emit(command);
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

function simpleCommand(parts: Parts, frame: Frame): SimpleCommand {
  const [word = wordOf(''), ...args] = parts.words;
  return {
    name: nameOfProgram(word),
    word,
    args,
    assignments: parts.assignments,
    redirects: parts.redirects.map(({ operator, target }) => ({ operator, target })),
    input: frame.input,
    pipesTo: frame.pipesTo,
    cwd: frame.scope.cwd,
    via: frame.via,
    source: parts.source,
  };
}

/**
 * A program that runs code printed by another command reads it, however it arrives: `sh -c "$(curl …)"` and `bash
 * <(curl …)` have the input of `curl … | sh`, as does a command word that another command printed.
 */
function inputOfCode(command: SimpleCommand, nested: readonly Nested[]): Input {
  const codes = nested.flatMap((each) => (each.kind === 'argv' ? [] : [each.code.from]));
  const from = codes.find((origin) => origin !== null) ?? (command.word.known ? null : originOf(command.word));
  return from === null ? command.input : { kind: 'pipe', from };
}

/** Runs a function or an alias of this name that the text defined; null without one. */
function runOwnDefinition(command: SimpleCommand, frame: Frame): Text | null {
  const defined = findFunction(frame.scope, command.word.text);
  const mark = `${command.word.text}()`;
  if (defined !== null && !frame.via.includes(mark)) {
    const before = frame.scope.positional;
    const inner = { ...frame, via: [...frame.via, mark], source: defined.source };
    frame.scope.positional = command.args.map(asText);
    const { body } = defined.node;
    const output = body.type === 'CompoundList' ? EMPTY : frame.runner.runNode(body, inner);
    frame.scope.positional = before;
    return output;
  }
  const alias = findAlias(frame.scope, command.word.text);
  const via = `alias ${command.word.text}`;
  if (alias === null || frame.via.includes(via)) return null;
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
  const generated = nested.kind === 'shell' && nested.code.from !== null && !isKnown(nested.code);
  return generated ? [nested.via, GENERATED] : [nested.via];
}

/** The frame in which shell text runs: this shell, a child, or an unknown machine. */
function shellFrame(nested: Extract<Nested, { kind: 'shell' }>, command: SimpleCommand, frame: Frame): Frame {
  const input = nested.fromInput === true ? { input: INHERITED, stdin: null } : {};
  const [...args] = nested.args ?? [];
  const positional = args.map(asText);
  if (nested.where === 'elsewhere') {
    const scope = { ...createScope(frame.runner.context), cwd: null, positional };
    return { ...frame, ...input, scope };
  }
  if (nested.where === 'here') {
    if (positional.length > 0) frame.scope.positional = positional;
    return { ...frame, ...input };
  }
  const scope = subScope(frame.scope, positional);
  if (nested.zero !== undefined) assign(scope, '0', [asText(nested.zero)]);
  for (const { name, value } of command.assignments) assign(scope, name, [asText(value)]);
  return { ...frame, ...input, scope };
}

function runArgv(nested: Extract<Nested, { kind: 'argv' }>, command: SimpleCommand, frame: Frame): Text {
  const at = nested.words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word.text));
  const assignments = nested.words.slice(0, Math.max(0, at)).map((word): NamedValue => {
    const equals = word.text.indexOf('=');
    return { name: word.text.slice(0, equals), value: wordOf(word.text.slice(equals + 1), false, originOf(word)) };
  });
  const moved = nested.cwd === undefined ? frame : { ...frame, scope: { ...subScope(frame.scope), cwd: nested.cwd } };
  const redirects = nested.redirects ?? command.redirects;
  return runWords(
    {
      words: nested.words.slice(Math.max(0, at)),
      assignments: [...command.assignments, ...assignments],
      redirects: redirects.map((redirect) => ({ ...redirect, descriptor: null })),
      source: command.source,
    },
    moved,
  );
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

/** A redirection with its descriptor, which decides whether standard output goes there. */
interface Redirected extends Redirect {
  readonly descriptor: number | null;
}

/** The redirections of a command, and the frame in which it reads its redirected input. */
export function expandRedirects(
  nodes: readonly Redirection[],
  frame: Frame,
): { readonly redirects: readonly Redirected[]; readonly frame: Frame } {
  let inner = frame;
  const redirects = nodes.map((node): Redirected => {
    const text = node.type === 'HereDoc' ? hereDocument(node, frame) : null;
    const target = text === null ? targetOf(node, frame) : wordOf(text.text, false, text.from);
    const descriptor = node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : null;
    if (descriptor !== null && descriptor > 2) rememberDescriptor(descriptor, node.operator, target, frame);
    if (descriptor === null || descriptor === 0) inner = withInput(inner, node.operator, target);
    return { operator: node.operator, target, descriptor };
  });
  return { redirects, frame: inner };
}

function targetOf(node: Redirection, frame: Frame): Word {
  if (node.type === 'HereDoc' || node.target === undefined) return wordOf('');
  const words = expandWord(node.target, frame);
  const [first] = words;
  if (first !== undefined && words.length === 1) return first;
  return wordOf(words.map((word) => word.text).join(' '));
}

function hereDocument(node: Extract<Redirection, { type: 'HereDoc' }>, frame: Frame): Text {
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
    const text = operator === '<<<' ? concat([asText(target), constant('\n')]) : asText(target);
    return { ...frame, input: inputOf(text), stdin: { rest: text } };
  }
  if (operator === '<&') {
    const opened = frame.scope.files.get(`/dev/fd/${target.text}`);
    return opened === undefined ? frame : { ...frame, input: inputOf(opened), stdin: { rest: opened } };
  }
  if (operator !== '<' && operator !== '<>') return frame;
  const written = fileText(target, frame);
  if (written === null) return { ...frame, input: { kind: 'file', file: target }, stdin: null };
  return { ...frame, input: inputOf(written), stdin: { rest: written } };
}

/** Records what a command writes to files. Returns the output that is left for the pipe. */
export function divertOutput(redirects: readonly Redirected[], output: Text, frame: Frame): Text {
  let left = output;
  for (const { operator, target, descriptor } of redirects) {
    if (!/^(&?>>?|>\|)$/.test(operator) || (descriptor !== null && descriptor !== 1)) continue;
    rememberFile(target, output, operator.endsWith('>>'), frame);
    left = EMPTY;
  }
  return left;
}
