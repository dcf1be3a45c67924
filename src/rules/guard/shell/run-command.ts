import type { ArrayValue, Assignment, Command, Word as WordNode } from 'unbash';
import type { Input, SimpleCommand, Word } from '../api.ts';
import { applyBuiltin } from './builtins.ts';
import { nestedIn } from './carriers/index.ts';
import { expandText, expandWord } from './expand.ts';
import { type Frame, INHERITED, type Runner } from './frame.ts';
import { literalsOf } from './generated.ts';
import { effectsOf } from './languages/effects.ts';
import { GENERATED, type Nested, type Surroundings } from './nested.ts';
import { outputOf } from './output.ts';
import { nameOfProgram } from './program-name.ts';
import { divertOutput, expandRedirects, fileText, type Redirected } from './redirects.ts';
import { assign, createScope, findAlias, findFunction, lookUp, subScope, type Value } from './scope.ts';
import {
  concat,
  constant,
  EMPTY,
  isKnown,
  originOf,
  type Text,
  type TracedWord,
  UNKNOWN,
  unknownFrom,
  wordOf,
} from './text.ts';
import { rememberWrittenFiles } from './written-files.ts';

/** A command found behind more carriers than this is not followed. */
const DEEPEST = 16;

/** Nor are more arguments of one command. */
const MOST_ARGUMENTS = 400;

type NamedValue = SimpleCommand['assignments'][number];

interface Parts {
  readonly words: readonly Word[];
  readonly assignments: readonly NamedValue[];
  readonly redirects: readonly Redirected[];
  readonly source: string;
}

/** Runs a simple command of the syntax tree: expands its words, then see `runWords`. Returns what it prints. */
export function runCommandNode(node: Command, frame: Frame, runner: Runner): Text {
  const prefix = node.prefix.filter((part) => part.type === 'Assignment');
  const assignments = prefix.map((part) => evaluateAssignment(part, frame, runner));
  const name = node.name === undefined ? [] : expandWord(node.name, frame, runner);
  if (node.args.length > MOST_ARGUMENTS) runner.giveUp('too-long');
  const args = node.args.slice(0, MOST_ARGUMENTS);
  const words = [...name, ...args.flatMap((arg) => expandArgument(arg, frame, runner))];
  const { redirects, frame: inner } = expandRedirects(node.redirects, frame, runner);
  const source = frame.source.slice(node.pos, node.end);
  const parts = { words, assignments: assignments.map(nameFirst), redirects, source };
  const output =
    words.length === 0 ? runAssignments(parts, assignments, inner, runner) : runWords(parts, inner, runner);
  return divertOutput(redirects, output, frame, runner);
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

function evaluateAssignment(node: Assignment, frame: Frame, runner: Runner): Assigned {
  const value = valueAssigned(node.value, frame, runner);
  const before = lookUp(frame.scope, node.name) ?? [];
  if (node.index !== undefined) {
    const index = Number(expandText(node.index, frame, runner).text);
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

function valueAssigned(node: WordNode | ArrayValue, frame: Frame, runner: Runner): Value {
  if (node.type === 'Word') return [expandText(node, frame, runner)];
  return node.elements.flatMap((element) =>
    expandWord(element, frame, runner).map(({ text, from }) => ({ text, from })),
  );
}

/** `export A=b` keeps its assignment as one word. */
function expandArgument(node: WordNode | Assignment, frame: Frame, runner: Runner): readonly TracedWord[] {
  if (node.type === 'Word') return expandWord(node, frame, runner);
  const { name, value } = evaluateAssignment(node, frame, runner);
  if (value.length > 1) assign(frame.scope, name, value);
  const text = value[0] ?? EMPTY;
  return [wordOf(`${name}=${text.text}`, false, text.from)];
}

/** `A=b` without a command changes the shell, and is emitted for the rules that watch variables and redirections. */
function runAssignments(parts: Parts, assigned: readonly Assigned[], frame: Frame, runner: Runner): Text {
  for (const { name, value } of assigned) assign(frame.scope, name, value);
  const command = simpleCommand(parts, frame);
  runner.emit(command);
  runCommandVariables(parts.assignments, frame, runner);
  return EMPTY;
}

/** Runs a command given as words: emits it, lets it change the shell, and follows everything it runs in turn. */
function runWords(parts: Parts, frame: Frame, runner: Runner): Text {
  if (!runner.step(1 + parts.words.length / 8)) return EMPTY;
  const bare = simpleCommand(parts, frame);
  const around: Surroundings = {
    context: runner.context,
    stdin: frame.stdin?.rest ?? null,
    feedsShell: frame.feedsShell,
    fileText: (file) => fileText(file, frame.scope, runner.context),
  };
  const nested = bare.via.length > DEEPEST ? [] : nestedIn(bare, around);
  if (bare.via.length > DEEPEST) runner.giveUp('too-long');
  const command = { ...bare, input: inputOfCode(bare, nested) };
  runner.emit(command);
  runCommandVariables(parts.assignments, frame, runner);
  applyBuiltin(command, frame);
  rememberWrittenFiles(command, frame, runner);
  const own = runOwnDefinition(command, frame, runner);
  if (own !== null) return own;
  const outputs = nested.map((each) => runNested(each, command, frame, runner));
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
 * A program that runs code printed by another command reads it, whichever way it comes: `sh -c "$(curl …)"` and
 * `bash <(curl …)` have the input of `curl … | sh`, and so has a command word that another command printed.
 */
function inputOfCode(command: SimpleCommand, nested: readonly Nested[]): Input {
  const codes = nested.flatMap((each) => (each.kind === 'argv' ? [] : [each.code.from]));
  const from = codes.find((origin) => origin !== null) ?? (command.word.known ? null : originOf(command.word));
  return from === null ? command.input : { kind: 'pipe', from };
}

/** A function or an alias of this name that the text defined; null when there is none. */
function runOwnDefinition(command: SimpleCommand, frame: Frame, runner: Runner): Text | null {
  const defined = findFunction(frame.scope, command.word.text);
  const mark = `${command.word.text}()`;
  if (defined !== null && !frame.via.includes(mark)) {
    const before = frame.scope.positional;
    const inner = { ...frame, via: [...frame.via, mark], source: defined.source };
    frame.scope.positional = command.args.map((word) => ({ text: word.text, from: originOf(word) }));
    const { body } = defined.node;
    const output = body.type === 'CompoundList' ? EMPTY : runner.runNode(body, inner);
    frame.scope.positional = before;
    return output;
  }
  const alias = findAlias(frame.scope, command.word.text);
  const via = `alias ${command.word.text}`;
  if (alias === null || frame.via.includes(via)) return null;
  const rest = command.args.map((word) => quoted(word.text)).join(' ');
  return runner.runText(`${alias} ${rest}`, { ...frame, via: [...frame.via, via] });
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function runNested(nested: Nested, command: SimpleCommand, frame: Frame, runner: Runner): Text {
  const via = [...frame.via, ...viaOf(nested)];
  if (nested.kind === 'argv') return runArgv(nested, command, { ...frame, via }, runner);
  const { code } = nested;
  if (code.text.replaceAll(UNKNOWN, '').trim() === '') {
    if (isKnown(code)) return EMPTY;
    runner.note(`${nested.via}: ${command.source}`);
    return unknownFrom(command);
  }
  if (nested.kind === 'language') {
    const inner = { ...frame, scope: subScope(frame.scope), via, pipesTo: null };
    const effects = effectsOf(code.text, nested.language, runner.context.home);
    const outputs = effects.map((effect) => runNested(effect, command, inner, runner));
    const printed = concat(outputs);
    if (printed.text !== '') return printed;
    return frame.feedsShell ? { text: literalsOf(code.text) || UNKNOWN, from: command } : unknownFrom(command);
  }
  const output = runner.runText(code.text, shellFrame(nested, command, { ...frame, via }, runner));
  // What comes from another machine comes from its carrier, whatever printed it there.
  return nested.where === 'elsewhere' && !isKnown(output) ? { ...output, from: command } : output;
}

function viaOf(nested: Nested): readonly string[] {
  if (nested.via === '') return [];
  const generated = nested.kind === 'shell' && nested.code.from !== null && !isKnown(nested.code);
  return generated ? [nested.via, GENERATED] : [nested.via];
}

/** The frame in which shell text runs: this shell, a child, or a machine of which nothing is known. */
function shellFrame(
  nested: Extract<Nested, { kind: 'shell' }>,
  command: SimpleCommand,
  frame: Frame,
  runner: Runner,
): Frame {
  const input = nested.fromInput === true ? { input: INHERITED, stdin: null } : {};
  const [...args] = nested.args ?? [];
  const positional = args.map((word) => ({ text: word.text, from: originOf(word) }));
  if (nested.where === 'elsewhere') {
    const scope = { ...createScope(runner.context), cwd: null, positional };
    return { ...frame, ...input, scope };
  }
  if (nested.where === 'here') {
    if (positional.length > 0) frame.scope.positional = positional;
    return { ...frame, ...input };
  }
  const scope = subScope(frame.scope, positional);
  if (nested.zero !== undefined) assign(scope, '0', [{ text: nested.zero.text, from: originOf(nested.zero) }]);
  for (const { name, value } of command.assignments) assign(scope, name, [{ text: value.text, from: originOf(value) }]);
  return { ...frame, ...input, scope };
}

function runArgv(
  nested: Extract<Nested, { kind: 'argv' }>,
  command: SimpleCommand,
  frame: Frame,
  runner: Runner,
): Text {
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
    runner,
  );
}

/** Variables whose value programs run. */
const COMMAND_VARIABLES =
  /^(PROMPT_COMMAND|PS[0-4]|BASH_ENV|ENV|(GIT_)?(SSH_COMMAND|EDITOR|PAGER|ASKPASS|SEQUENCE_EDITOR|EXTERNAL_DIFF|PROXY_COMMAND)|VISUAL|MANPAGER|LESSOPEN|LESSCLOSE|SUDO_ASKPASS|SSH_ASKPASS|BROWSER|RSYNC_RSH|FZF_DEFAULT_COMMAND|npm_config_script_shell)$/;

function runCommandVariables(assignments: readonly NamedValue[], frame: Frame, runner: Runner): void {
  for (const { name, value } of assignments) {
    if (!COMMAND_VARIABLES.test(name) || value.text === '' || frame.via.length > DEEPEST) continue;
    const written = fileText(value, frame.scope, runner.context);
    const code = written?.text ?? value.text;
    runner.runText(code, { ...frame, scope: subScope(frame.scope), via: [...frame.via, `${name}=`], pipesTo: null });
  }
}
