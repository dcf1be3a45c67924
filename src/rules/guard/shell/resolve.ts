import {
  type AndOr,
  type CommandNode,
  type CompoundList,
  type ParsedScript,
  type Pipeline,
  parse,
  type Redirected as RedirectedNode,
  type Statement,
  type Word as WordNode,
} from 'unbash';
import type { GuardContext, SimpleCommand, Text } from '../api.ts';
import { concat, EMPTY, programName, UNKNOWN, UNKNOWN_TEXT, wordOf } from '../words.ts';
import { SHELLS } from './carriers/nested.ts';
import { unwrap } from './carriers/wrappers.ts';
import { expandText, expandWord, runSubstitutions } from './expand.ts';
import { assign, createScope, type Frame, type GaveUp, INHERITED, type Runner, reading, subScope } from './frame.ts';
import { divertOutput, expandRedirects, runCommandNode, simpleCommand } from './run-command.ts';

/** The result for a text: every simple command that it runs, by appearance. */
export interface Resolution {
  readonly commands: readonly SimpleCommand[];
  /** What could not be resolved, for the record. */
  readonly unresolved: readonly string[];
  /** Why part of the text was not checked; null when all of it was. */
  readonly gaveUp: GaveUp | null;
}

/** The budget for one text, including nested texts and loops. */
const MOST_STEPS = 2_000;
const MOST_COMMANDS = 300;
const MOST_PARSED = 64_000;
const MOST_NOTES = 20;

/** Finds the simple commands in a text, through wrappers, substitutions, nested shells and other languages. */
export function resolveCommand(text: string, context: GuardContext): Resolution {
  const commands: SimpleCommand[] = [];
  const seen = new Set<string>();
  const unresolved: string[] = [];
  let gaveUp: GaveUp | null = null;
  let steps = 0;
  let parsed = 0;
  const giveUp = (why: GaveUp): void => {
    gaveUp ??= why;
  };
  const note = (what: string): void => {
    if (unresolved.length < MOST_NOTES) unresolved.push(what.slice(0, 200));
  };
  const runner: Runner = {
    context,
    step: (cost = 1) => {
      steps += cost;
      if (steps <= MOST_STEPS && commands.length < MOST_COMMANDS) return true;
      giveUp('too-long');
      return false;
    },
    emit: (command) => {
      const key = keyOf(command);
      if (commands.length >= MOST_COMMANDS || (key !== null && seen.has(key))) return;
      if (key !== null) seen.add(key);
      commands.push(command);
    },
    note,
    giveUp,
    attempt: (work) => {
      try {
        return work();
      } catch (error) {
        // A syntax tree can be deeper than the stack: `1+1+1+…`.
        giveUp(error instanceof RangeError ? 'too-long' : 'fault');
        note(error instanceof Error ? error.message : String(error));
        return UNKNOWN_TEXT;
      }
    },
    runText: (inner, frame) => {
      const source = isParseable(inner) ? inner : withoutWrittenBodies(inner);
      parsed += source.length;
      if (parsed > MOST_PARSED || !isParseable(source) || !runner.step(2)) {
        giveUp('too-long');
        note(inner);
        return UNKNOWN_TEXT;
      }
      return runner.runScript(parse(source), { ...frame, source });
    },
    runScript,
    runNode: walkNode,
  };
  const scope = createScope(context);
  const top = { runner, scope, via: [], input: INHERITED, stdin: null, pipesTo: null, feedsShell: false, source: '' };
  runner.attempt(() => runner.runText(text, top));
  return { commands, unresolved, gaveUp };
}

/** Equal for commands that mean the same, as the rounds of a loop have them; null for one that reads something. */
function keyOf({ word, args, assignments, redirects, input, pipesTo, cwd, via, source }: SimpleCommand): string | null {
  if (input.kind !== 'inherited' || assignments.length + redirects.length > 0) return null;
  return [cwd, pipesTo, source, ...via, '', word.text, ...args.map(({ text }) => text)].join('\0');
}

function runScript(script: ParsedScript, frame: Frame): Text {
  const { runner } = frame;
  if (!runner.step()) return EMPTY;
  const [error] = script.errors ?? [];
  if (error !== undefined) {
    // Text with unknown parts may be valid once they are known: `eval "$name=(1 2)"`.
    if (!frame.source.includes(UNKNOWN)) runner.giveUp('unparsable');
    runner.note(`${error.message}: ${frame.source.slice(error.pos, error.pos + 80)}`);
  }
  return walkStatements(script.commands, frame);
}

/** Longer texts are not parsed. Parsing and walking takes about a millisecond for each thousand characters. */
const LONGEST = 32_000;

/** Deeper nesting is not parsed: the parser parses each level again from the level above. */
const DEEPEST = 60;

/** Here-documents are searched for from every line: many of them take quadratic time. */
const MOST_HERE_DOCUMENTS = 60;

/** Whether a text is small enough to parse in the time a guard has. Linear; does not parse the text. */
function isParseable(text: string): boolean {
  if (text.length > LONGEST) return false;
  return text.split('<<').length - 1 <= MOST_HERE_DOCUMENTS && nestingOf(text) <= DEEPEST;
}

const OPENING = /^(\(|\{|if|for|while|until|case|select)$/;
const CLOSING = /^(\)|\}|fi|done|esac)$/;

/** A lower bound for the nesting of brackets and compound commands; backticks count by their escapes. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/[(){}]|\b(?:if|for|while|until|case|select|fi|done|esac)\b|\\{3,}/g)) {
    if (token.startsWith('\\')) deepest = Math.max(deepest, token.length > 15 ? DEEPEST + 1 : 0);
    else if (OPENING.test(token)) depth += 1;
    else if (CLOSING.test(token)) depth = Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

const WRITES_FILE = /^[^#|;&]*\b(?:cat|tee)\b[^|;&\n]*$/;

const HERE_DOCUMENT = /<<(-?)\s*(['"\\]?)([A-Za-z_][\w.-]*)\2/;

const TARGET = /(?:>>?\|?\s*|\btee\s+(?:-a\s+)?)["']?([^\s"'<>|;&]+)/;

/** Files that are compiled or only read: the text of such a file is not what runs. */
const NEVER_RUN =
  /\.(md|json5?|jsonc|ya?ml|toml|xml|html?|s?css|svg|csv|c|cc|cpp|h|hpp|rs|go|java|kt|swift|cs|[jt]sx|ts|vue|svelte)$/;

const RUNS_FILES = /\b(?:\w*sh|source|eval|xargs|chmod)\b|(?:^|[\s;&|])\.\s/;

/** Further bodies stay in the text: each is searched for from its line. */
const MOST_BODIES = 50;

/**
 * A text without the bodies of here-documents that only go into files: `cat > notes.md <<'EOF'`. They are data, and
 * make a harmless text too long. A body stays where the text may later run its file, and where the shell would expand
 * substitutions in it.
 */
function withoutWrittenBodies(text: string): string {
  const lines = text.split('\n');
  const kept: string[] = [];
  let bodies = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    kept.push(line);
    const [, dash = '', quote = '', delimiter] = HERE_DOCUMENT.exec(line) ?? [];
    const file = TARGET.exec(line)?.[1];
    if (delimiter === undefined || file === undefined || !WRITES_FILE.test(line) || bodies >= MOST_BODIES) continue;
    bodies += 1;
    const end = lines.findIndex(
      (other, nth) => nth > at && (dash === '' ? other : other.replace(/^\t+/, '')) === delimiter,
    );
    if (end < 0) continue;
    const body = lines.slice(at + 1, end);
    const name = file.slice(file.lastIndexOf('/') + 1);
    const isData = quote !== '' || !body.some((bodyLine) => /\$\(|`/.test(bodyLine));
    const later = lines.slice(end).filter((other) => name === '' || other.includes(name));
    const mayRun = later.some((other) => !NEVER_RUN.test(name) || RUNS_FILES.test(other));
    if (isData && !mayRun) at = end - 1;
  }
  return kept.join('\n');
}

/** A loop's body is walked for this many values or input lines; further ones are not followed. */
const MOST_ROUNDS = 128;

function walkStatements(statements: readonly Statement[], frame: Frame): Text {
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

function walkNode(node: CommandNode, frame: Frame): Text {
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
