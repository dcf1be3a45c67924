import type {
  AndOr,
  CommandNode,
  CompoundList,
  Pipeline,
  Redirected as RedirectedNode,
  Statement,
  Word as WordNode,
} from 'unbash';
import type { Text } from '../api.ts';
import { concat, EMPTY, programName, UNKNOWN, UNKNOWN_TEXT, wordOf } from '../words.ts';
import { SHELLS } from './carriers/nested.ts';
import { unwrap } from './carriers/wrappers.ts';
import { expandText, expandWord, runSubstitutions } from './expand.ts';
import { assign, type Frame, reading, subScope } from './frame.ts';
import { divertOutput, expandRedirects, runCommandNode, simpleCommand } from './run-command.ts';

/** A loop's body is walked for this many values or input lines; further ones are not followed. */
const MOST_ROUNDS = 128;

export function walkStatements(statements: readonly Statement[], frame: Frame): Text {
  const outputs: Text[] = [];
  for (const { command, background } of statements) {
    if (!frame.runner.step()) break;
    const inner = background === true ? { ...frame, via: [...frame.via, '&'] } : frame;
    outputs.push(frame.runner.attempt(() => walkStatement(command, inner)));
  }
  return concat(outputs);
}

function walkStatement(node: Statement['command'], frame: Frame): Text {
  if (node.type === 'AndOr') return walkAndOr(node, frame);
  return node.type === 'Pipeline' ? walkPipeline(node, frame) : frame.runner.runNode(node, frame);
}

/**
 * Both sides are walked. The command after `||` runs when the left side failed, so a `cd` on the left affects what
 * follows, but not the right side.
 */
function walkAndOr({ commands, operators }: AndOr, frame: Frame): Text {
  const { scope } = frame;
  let before = scope.cwd;
  const outputs = commands.map((command, at) => {
    const after = scope.cwd;
    const isFallback = at > 0 && operators[at - 1] === '||';
    if (isFallback) scope.cwd = before;
    else before = after;
    const output = walkStatement(command, frame);
    if (isFallback) scope.cwd = after;
    return output;
  });
  return concat(outputs);
}

/** Each member of a pipeline reads the output of the one before. */
function walkPipeline(node: Pipeline, frame: Frame): Text {
  const via = node.prefixes.some((prefix) => prefix.type === 'Time') ? [...frame.via, 'time'] : frame.via;
  let current: Frame = { ...frame, via };
  let output: Text = EMPTY;
  const consumers = node.commands.slice(1).map((member) => consumerOf(member, frame));
  const lastShell = consumers.findLastIndex((consumer) => consumer !== null && SHELLS.includes(consumer));
  for (const [at, command] of node.commands.entries()) {
    if (!frame.runner.step()) break;
    const pipesTo = at < consumers.length ? (consumers[at] ?? null) : frame.pipesTo;
    const feedsShell = frame.feedsShell || at <= lastShell;
    const scope = node.commands.length === 1 ? frame.scope : subScope(frame.scope);
    output = frame.runner.runNode(command, { ...current, scope, pipesTo, feedsShell });
    current = reading(output, current);
  }
  return output;
}

export function walkNode(node: CommandNode, frame: Frame): Text {
  if (!frame.runner.step()) return UNKNOWN_TEXT;
  const list = (body: CompoundList): Text => walkStatements(body.commands, frame);
  switch (node.type) {
    case 'Command':
      return runCommandNode(node, frame);
    case 'Redirected':
      return runRedirected(node, frame);
    case 'BraceGroup':
      return list(node.body);
    case 'Subshell':
      return walkStatements(node.body.commands, { ...frame, scope: subScope(frame.scope) });
    case 'If': {
      const branches = [node.clause, node.then, ...node.elif.flatMap((branch) => [branch.clause, branch.then])];
      return concat([...branches, ...(node.else === undefined ? [] : [node.else])].map(list));
    }
    case 'Case':
      expandText(node.word, frame);
      return concat(node.items.map((item) => list(item.body)));
    case 'For':
    case 'Select':
      return walkFor(node.name.value, node.wordlist, node.body, frame);
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update]) {
        if (part !== undefined) runSubstitutions(part, frame);
      }
      return list(node.body);
    case 'While':
      return walkWhile(node, frame);
    case 'Function':
      return defineFunction(node, frame);
    case 'Coproc': {
      const inner = { ...frame, scope: subScope(frame.scope), via: [...frame.via, 'coproc'] };
      return node.body.type === 'CompoundList'
        ? walkStatements(node.body.commands, inner)
        : frame.runner.runNode(node.body, inner);
    }
    case 'TestCommand':
      runSubstitutions(node.expression, frame);
      return EMPTY;
    case 'ArithmeticCommand':
      if (node.expression !== undefined) runSubstitutions(node.expression, frame);
      return EMPTY;
  }
}

function walkFor(name: string, wordlist: readonly WordNode[] | undefined, body: CompoundList, frame: Frame): Text {
  const words = wordlist === undefined ? frame.scope.positional : wordlist.flatMap((word) => expandWord(word, frame));
  if (words.length > MOST_ROUNDS) frame.runner.giveUp('too-long');
  const values = words.length === 0 ? [UNKNOWN_TEXT] : words.slice(0, MOST_ROUNDS);
  const outputs: Text[] = [];
  for (const value of values) {
    if (!frame.runner.step()) break;
    assign(frame.scope, name, [value]);
    outputs.push(walkStatements(body.commands, frame));
  }
  return concat(outputs);
}

type WhileNode = Extract<CommandNode, { type: 'While' }>;

/** `while true`, `until false`, `while :`. */
function isEndless(node: WhileNode): boolean {
  const [statement] = node.clause.commands;
  if (node.clause.commands.length !== 1 || statement?.command.type !== 'Command') return false;
  const test = node.kind === 'until' ? /^false$/ : /^(true|:)$/;
  return test.test(statement.command.name?.text ?? '');
}

/** A loop that reads known lines is walked once per line; any other loop once. */
function walkWhile(node: WhileNode, outer: Frame): Text {
  const { clause, body } = node;
  const frame = isEndless(node) ? { ...outer, via: [...outer.via, 'while true'] } : outer;
  const outputs: Text[] = [];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = frame.stdin?.rest.text;
    outputs.push(walkStatements(clause.commands, frame), walkStatements(body.commands, frame));
    const left = frame.stdin?.rest.text;
    if (left === before || left === undefined || left === '') break;
  }
  return concat(outputs);
}

/** A body is judged at its definition, with unknown arguments, and again at each call with the real ones. */
function defineFunction(node: Extract<CommandNode, { type: 'Function' }>, frame: Frame): Text {
  const name = node.name.value;
  frame.scope.functions.set(name, { node, source: frame.source });
  const scope = subScope(frame.scope, Array<Text>(9).fill(UNKNOWN_TEXT));
  const inner: Frame = { ...frame, scope, via: [...frame.via, `${name}()`], pipesTo: null };
  if (node.body.type === 'CompoundList') walkStatements(node.body.commands, inner);
  else frame.runner.runNode(node.body, inner);
  return EMPTY;
}

/** The program that reads a pipeline member's input: behind wrappers, and the first of a group. Null when not found. */
function consumerOf(node: Statement['command'] | undefined, frame: Frame): string | null {
  switch (node?.type) {
    case 'Command': {
      const words = [node.name, ...node.args].filter((word) => word?.type === 'Word').slice(0, 12);
      let known = words.flatMap((word) => (isStatic(word) ? expandWord(word, frame) : [wordOf(UNKNOWN)]));
      for (let inner = unwrap(known); inner !== null; inner = unwrap(known)) known = [...inner.words];
      return programName(known[0]?.text ?? '') || null;
    }
    case 'Redirected':
      return consumerOf(node.command, frame);
    case 'AndOr':
    case 'Pipeline':
      return consumerOf(node.commands[0], frame);
    case 'BraceGroup':
    case 'Subshell':
      return consumerOf(node.body.commands[0]?.command, frame);
    case 'While':
    case 'If':
      return consumerOf(node.clause.commands[0]?.command, frame);
    default:
      return null;
  }
}

/** Expanding it runs nothing: no substitutions, no assignments. */
function isStatic(word: WordNode): boolean {
  return !/[`(]|:?=/.test(word.text);
}

/** `{ …; } > file`, `while …; done < file`: the redirections are emitted as a command with an empty name. */
function runRedirected(node: RedirectedNode, frame: Frame): Text {
  const { redirects, frame: inner } = expandRedirects(node.redirects, frame);
  const source = frame.source.slice(node.pos, node.end);
  frame.runner.emit(simpleCommand({ words: [], assignments: [], redirects, source }, inner));
  return divertOutput(redirects, frame.runner.runNode(node.command, inner), frame);
}
