import type { AndOr, CommandNode, CompoundList, Pipeline, PipelineNode, Statement, Word as WordNode } from 'unbash';
import { SHELLS } from './carriers/shells.ts';
import { consumerOf } from './consumer.ts';
import { expandText, expandWord, runSubstitutions } from './expand.ts';
import { type Frame, inputOf, type Runner } from './frame.ts';
import { runCommandNode } from './run-command.ts';
import { runRedirected } from './run-redirected.ts';
import { assign, subScope } from './scope.ts';
import { concat, constant, EMPTY, type Text, type TracedWord, UNKNOWN_TEXT } from './text.ts';

/** A loop's body is walked for so many of its values, or so many lines that it reads; more are not followed. */
const MOST_ROUNDS = 128;

/** Walks statements in order. Returns what they print together. */
export function walkStatements(statements: readonly Statement[], frame: Frame, runner: Runner): Text {
  const outputs: Text[] = [];
  for (const { command, background } of statements) {
    if (!runner.step()) break;
    const inner = background === true ? { ...frame, via: [...frame.via, '&'] } : frame;
    outputs.push(runner.attempt(() => walkStatement(command, inner, runner)));
  }
  return concat(outputs);
}

function walkStatement(node: Statement['command'], frame: Frame, runner: Runner): Text {
  return node.type === 'AndOr' ? walkAndOr(node, frame, runner) : walkPipelineNode(node, frame, runner);
}

/**
 * Both sides are walked. What stands behind `||` runs where the left side failed, so a `cd` on the left counts for what
 * follows, not for the right side.
 */
function walkAndOr(node: AndOr, frame: Frame, runner: Runner): Text {
  const outputs: Text[] = [];
  let before = frame.scope.cwd;
  node.commands.forEach((command, at) => {
    if (at > 0 && node.operators[at - 1] === '||') {
      const after = frame.scope.cwd;
      frame.scope.cwd = before;
      outputs.push(walkPipelineNode(command, frame, runner));
      frame.scope.cwd = after;
      return;
    }
    before = frame.scope.cwd;
    outputs.push(walkPipelineNode(command, frame, runner));
  });
  return concat(outputs);
}

function walkPipelineNode(node: PipelineNode, frame: Frame, runner: Runner): Text {
  return node.type === 'Pipeline' ? walkPipeline(node, frame, runner) : runner.runNode(node, frame);
}

/** Each member of a pipeline reads what the one before prints. */
function walkPipeline(node: Pipeline, frame: Frame, runner: Runner): Text {
  const via = node.prefixes.some((prefix) => prefix.type === 'Time') ? [...frame.via, 'time'] : frame.via;
  let current: Frame = { ...frame, via };
  let output: Text = EMPTY;
  const consumers = node.commands.slice(1).map((member) => consumerOf(member, frame, runner));
  const lastShell = consumers.findLastIndex((consumer) => consumer !== null && SHELLS.includes(consumer));
  for (const [at, command] of node.commands.entries()) {
    if (!runner.step()) break;
    const pipesTo = at < consumers.length ? (consumers[at] ?? null) : frame.pipesTo;
    const feedsShell = frame.feedsShell || at <= lastShell;
    const scope = node.commands.length === 1 ? frame.scope : subScope(frame.scope);
    output = runner.runNode(command, { ...current, scope, pipesTo, feedsShell });
    current = { ...current, input: inputOf(output), stdin: { rest: output } };
  }
  return output;
}

/** Walks one command, simple or compound. */
export function walkNode(node: CommandNode, frame: Frame, runner: Runner): Text {
  if (!runner.step()) return UNKNOWN_TEXT;
  const list = (body: CompoundList): Text => walkStatements(body.commands, frame, runner);
  switch (node.type) {
    case 'Command':
      return runCommandNode(node, frame, runner);
    case 'Redirected':
      return runRedirected(node, frame, runner);
    case 'BraceGroup':
      return list(node.body);
    case 'Subshell':
      return walkStatements(node.body.commands, { ...frame, scope: subScope(frame.scope) }, runner);
    case 'If': {
      const branches = [node.clause, node.then, ...node.elif.flatMap((branch) => [branch.clause, branch.then])];
      return concat([...branches, ...(node.else === undefined ? [] : [node.else])].map(list));
    }
    case 'Case':
      expandText(node.word, frame, runner);
      return concat(node.items.map((item) => list(item.body)));
    case 'For':
    case 'Select':
      return walkFor(node.name.value, node.wordlist, node.body, frame, runner);
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update]) {
        if (part !== undefined) runSubstitutions(part, frame, runner);
      }
      return list(node.body);
    case 'While':
      return walkWhile(node, frame, runner);
    case 'Function':
      return defineFunction(node, frame, runner);
    case 'Coproc': {
      const inner = { ...frame, scope: subScope(frame.scope), via: [...frame.via, 'coproc'] };
      return node.body.type === 'CompoundList'
        ? walkStatements(node.body.commands, inner, runner)
        : runner.runNode(node.body, inner);
    }
    case 'TestCommand':
      runSubstitutions(node.expression, frame, runner);
      return EMPTY;
    case 'ArithmeticCommand':
      if (node.expression !== undefined) runSubstitutions(node.expression, frame, runner);
      return EMPTY;
  }
}

function walkFor(
  name: string,
  wordlist: readonly WordNode[] | undefined,
  body: CompoundList,
  frame: Frame,
  runner: Runner,
): Text {
  const words: readonly (TracedWord | Text)[] =
    wordlist === undefined ? frame.scope.positional : wordlist.flatMap((word) => expandWord(word, frame, runner));
  if (words.length > MOST_ROUNDS) runner.giveUp('too-long');
  const values = words.length === 0 ? [UNKNOWN_TEXT] : words.slice(0, MOST_ROUNDS);
  const outputs: Text[] = [];
  for (const { text, from } of values) {
    if (!runner.step()) break;
    assign(frame.scope, name, [{ text, from }]);
    outputs.push(walkStatements(body.commands, frame, runner));
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

/** A loop that reads known lines is walked once for each; any other once. */
function walkWhile(node: WhileNode, outer: Frame, runner: Runner): Text {
  const { clause, body } = node;
  const frame = isEndless(node) ? { ...outer, via: [...outer.via, 'while true'] } : outer;
  const outputs: Text[] = [];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = frame.stdin?.rest.text;
    outputs.push(walkStatements(clause.commands, frame, runner), walkStatements(body.commands, frame, runner));
    const left = frame.stdin?.rest.text;
    if (left === before || left === undefined || left === '') break;
  }
  return concat(outputs);
}

/** A body is judged where it is defined, with unknown arguments, and again at each call with the real ones. */
function defineFunction(node: Extract<CommandNode, { type: 'Function' }>, frame: Frame, runner: Runner): Text {
  const name = node.name.value;
  frame.scope.functions.set(name, { node, source: frame.source });
  const scope = subScope(
    frame.scope,
    Array.from({ length: 9 }, () => UNKNOWN_TEXT),
  );
  const inner: Frame = { ...frame, scope, via: [...frame.via, `${name}()`], pipesTo: null };
  if (node.body.type === 'CompoundList') walkStatements(node.body.commands, inner, runner);
  else runner.runNode(node.body, inner);
  return constant('');
}
