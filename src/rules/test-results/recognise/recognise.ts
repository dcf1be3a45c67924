import { type Command, type If, type Pipeline, parse, type Redirection, type Statement, type Word } from 'unbash';
import type { ScriptLookup } from '../api.ts';
import {
  both,
  codeIn,
  either,
  inverse,
  lessSeen,
  MASKED,
  type Meaning,
  type Node,
  newScope,
  OTHER,
  type Recognition,
  type Scope,
  subshell,
  type TestRunStep,
  type Walk,
} from './scope.ts';
import { plainPath, simpleCommand } from './simple.ts';
import { printsTap, showsAll } from './tools.ts';
import { nameOf } from './unwrap.ts';

/** The most simple commands that are examined, in all scripts together. */
const BUDGET = 300;
const LONGEST_COMMAND = 16 * 1024;

/** Finds the test runs in a command as given to the shell, and what its exit code shows about them. */
export function recognise(command: string, scripts?: ScriptLookup): Recognition {
  const walk: Walk = {
    steps: [],
    echoes: [],
    files: new Map(),
    written: new Map(),
    shown: new Set(),
    scripts,
    read: (text, scope) => readScript(text, scope, walk),
    budget: BUDGET,
  };
  const exit = readScript(command, newScope(), walk);
  return { steps: walk.steps, exit, echoes: walk.echoes, mixed: walk.shown.size > 0, ownWords: ownWordsOf(walk) };
}

function ownWordsOf({ shown, steps }: Walk): Recognition['ownWords'] {
  if (shown.size !== 1 || steps.length !== 1) return null;
  return shown.has('before') ? 'last' : 'first';
}

function readScript(text: string, scope: Scope, walk: Walk): Meaning {
  return walk.budget <= 0 ? OTHER : shell(parse(text.slice(0, LONGEST_COMMAND)).commands, subshell(scope), walk);
}

/** A whole shell: its status is that of its last command, if it is reached. */
function shell(commands: readonly Statement[], scope: Scope, walk: Walk): Meaning {
  const last = list(commands, scope, walk, true);
  return both(scope.shell.gates, last);
}

/** @param isShell `exit` ends it */
function list(commands: readonly Statement[], scope: Scope, walk: Walk, isShell = false): Meaning {
  let last = MASKED;
  for (const { command, background } of commands) {
    const exit = isShell ? exitOf(command, scope) : null;
    if (exit !== null) return exit;
    const meaning = node(command, scope, walk);
    last = background ? MASKED : meaning;
    scope.shell.last = last;
    if (scope.shell.errexit && !background) scope.shell.gates = both(scope.shell.gates, last);
  }
  return last;
}

function node(each: Node, scope: Scope, walk: Walk): Meaning {
  switch (each.type) {
    case 'Command':
      return command(each, scope, walk);
    case 'Pipeline':
      return pipeline(each, scope, walk);
    case 'AndOr':
      return andOr(each.commands, each.operators, scope, walk);
    case 'If':
      return branches(each, scope, walk);
    case 'Subshell':
      return shell(each.body.commands, subshell(scope), walk);
    case 'CompoundList':
      return list(each.commands, scope, walk);
    case 'BraceGroup':
      return list(each.body.commands, scope, walk);
    case 'Redirected':
      return node(each.command, { ...scope, seen: redirected(scope.seen, each.redirects).seen }, walk);
    case 'For':
    case 'ArithmeticFor':
    case 'Select':
      return loop(each.body.commands, scope, walk);
    case 'While':
      loop(each.clause.commands, scope, walk);
      return loop(each.body.commands, scope, walk);
    case 'Case':
      return each.items.map((item) => list(item.body.commands, scope, walk)).reduce(either, MASKED);
    case 'Function':
      scope.shell.functions.set(each.name.value, each.body);
      return MASKED;
    default:
      return OTHER;
  }
}

/** Only the last round gives the status; the status of earlier rounds is lost. */
function loop(commands: readonly Statement[], scope: Scope, walk: Walk): Meaning {
  return { ...list(commands, { ...scope, repeated: true }, walk), proves: new Set() };
}

/** `a && b || c`: each runs under a condition on the ones before it. */
function andOr(commands: readonly Node[], operators: readonly string[], scope: Scope, walk: Walk): Meaning {
  let sum: Meaning = MASKED;
  for (const [index, each] of commands.entries()) {
    const operator = operators[index - 1];
    if (operator === undefined) {
      sum = node(each, scope, walk);
      continue;
    }
    const says = operator === '&&' ? 'zero' : 'not-zero';
    scope.shell.last = sum;
    const meaning = node(each, { ...scope, when: { about: sum, says } }, walk);
    if (operator === '&&') sum = both(sum, meaning);
    else if (bails(each)) scope.shell.gates = both(scope.shell.gates, sum);
    else sum = either(sum, meaning);
  }
  return sum;
}

function branches(each: If, scope: Scope, walk: Walk): Meaning {
  const condition = list(each.clause.commands, scope, walk);
  const branch = (commands: readonly Statement[], says: 'zero' | 'not-zero') =>
    list(commands, { ...scope, when: { about: condition, says } }, walk);
  const then = branch(each.then.commands, 'zero');
  const others = each.elif.map((elif) => list(elif.then.commands, scope, walk)).reduce(either, MASKED);
  const otherwise = each.else === undefined ? MASKED : branch(each.else.commands, 'not-zero');
  // `if ! tests; then exit 1; fi` and the reverse pass the condition on.
  if (lastBails(each.then.commands)) scope.shell.gates = both(scope.shell.gates, inverse(condition));
  else if (lastBails(each.else?.commands ?? [])) scope.shell.gates = both(scope.shell.gates, condition);
  else return either(either(then, otherwise), { ...others, blames: condition.blames });
  return lastBails(each.then.commands) ? otherwise : then;
}

function pipeline(each: Pipeline, scope: Scope, walk: Walk): Meaning {
  const last = each.commands.length - 1;
  const meanings = each.commands.map((part, index) => {
    const filters = each.commands.slice(index + 1);
    const seen = filters.map(leaves).reduce(lessSeen, scope.seen);
    const { shown } = walk;
    const meaning = node(part, last === 0 ? scope : { ...subshell(scope), seen }, walk);
    // A command that reads from a pipe displays nothing of its own.
    if (index > 0) walk.shown = shown;
    return meaning;
  });
  scope.shell.pipe = meanings;
  const end = each.commands[last];
  // A printer of TAP passes on how the run before it ended.
  if (end?.type === 'Command' && wordsOf(end).some((word) => printsTap(nameOf(word))))
    return meanings.slice(0, -1).reduce(both, MASKED);
  const own = scope.shell.pipefail ? meanings.reduce(both, MASKED) : (meanings[last] ?? MASKED);
  const negated = each.prefixes.filter((prefix) => prefix.type === 'Negation').length % 2 === 1;
  return negated ? inverse(own) : own;
}

/** How much of its input a filter passes on. */
function leaves(each: Node): TestRunStep['seen'] {
  const [first, second] = each.type === 'Command' ? wordsOf(each) : [];
  const name = nameOf(first === 'npx' ? second : first);
  if (name === 'head') return 'start';
  return showsAll(name) ? 'all' : 'part';
}

function command(each: Command, scope: Scope, walk: Walk): Meaning {
  for (const assignment of each.prefix) {
    if (assignment.type !== 'Assignment' || assignment.value.type !== 'Word') continue;
    const held = substitution(assignment.value, scope, walk) ?? codeIn(assignment.value.value, scope);
    if (held === null) continue;
    scope.shell.codes.set(assignment.name, held);
    // `out=$(npm test)` has the status of the tests.
    if (each.name === undefined && codeIn(assignment.value.value, scope) === null) return held;
  }
  const words = wordsOf(each);
  const own = scope.shell.functions.get(words[0] ?? '');
  const { seen, files } = redirected(scope.seen, each.redirects);
  const inner = { ...scope, seen };
  const before = walk.steps.length;
  const meaning = own === undefined ? called(words, each.redirects, inner, walk) : callOf(own, inner, walk);
  const text = textOf(words, each.redirects);
  for (const file of files) {
    walk.files.set(file, walk.steps.slice(before));
    if (text !== null) walk.written.set(plainPath(file), text);
  }
  return meaning;
}

function called(words: readonly string[], redirects: readonly Redirection[], scope: Scope, walk: Walk): Meaning {
  if (words.length === 0) return MASKED;
  const fed = redirects.find((redirect) => redirect.type === 'HereDoc');
  if (fed?.type === 'HereDoc' && words.length === 1 && /^(?:ba|z|da|k)?sh$/.test(nameOf(words[0])))
    return readScript(fed.body?.text ?? '', scope, walk);
  return simpleCommand(words, scope, walk);
}

/** What `cat > file <<END`, `echo … > file` and `printf … > file` write. */
function textOf(words: readonly string[], redirects: readonly Redirection[]): string | null {
  const fed = redirects.find((redirect) => redirect.type === 'HereDoc');
  if (fed?.type === 'HereDoc') return fed.body?.text ?? '';
  return /^(?:echo|printf)$/.test(words[0] ?? '') ? words.slice(1).join(' ').replaceAll('\\n', '\n') : null;
}

/** A function defined in the command; the budget ends recursive ones. */
function callOf(body: Node, scope: Scope, walk: Walk): Meaning {
  return walk.budget-- <= 0 ? OTHER : node(body, scope, walk);
}

/** The status of `$(…)` in an assignment; null without one. */
function substitution(word: Word, scope: Scope, walk: Walk): Meaning | null {
  for (const part of word.parts ?? []) {
    const inner = part.type === 'DoubleQuoted' ? part.parts.find((child) => child.type === 'CommandExpansion') : part;
    if (inner?.type === 'CommandExpansion' && inner.script !== undefined)
      return shell(inner.script.commands, { ...subshell(scope), seen: lessSeen(scope.seen, 'part') }, walk);
  }
  return null;
}

/** `exit`, `exit $rc`, `exit 1`: the meaning of the shell's status; null for other commands. */
function exitOf(each: Node, scope: Scope): Meaning | null {
  if (each.type !== 'Command' || !/^(?:exit|return)$/.test(each.name?.value ?? '')) return null;
  const code = wordsOf(each)[1];
  return code === undefined ? scope.shell.last : (codeIn(code, scope) ?? (code === '0' ? MASKED : OTHER));
}

/** Whether this always ends the shell with a non-zero status. */
function bails(each: Node): boolean {
  if (each.type === 'BraceGroup' || each.type === 'Subshell') return lastBails(each.body.commands);
  if (each.type !== 'Command' || !/^(?:exit|return|false)$/.test(each.name?.value ?? '')) return false;
  return wordsOf(each)[1] !== '0';
}

function lastBails(commands: readonly Statement[]): boolean {
  const last = commands.at(-1)?.command;
  return last !== undefined && bails(last);
}

/** The words of a command without quotes; text that the shell would expand stays unexpanded. */
function wordsOf(command: Command): readonly string[] {
  if (command.name === undefined) return [];
  return [command.name.value, ...command.args.map((arg) => (arg.type === 'Word' ? arg.value : arg.text))];
}

/** How much of a command's output remains after its redirections, and the files that get the rest. */
function redirected(
  seen: TestRunStep['seen'],
  redirects: readonly Redirection[],
): { readonly seen: TestRunStep['seen']; readonly files: readonly string[] } {
  let [out, err] = ['shown', 'shown'];
  const files: string[] = [];
  for (const redirect of redirects) {
    if (redirect.type !== 'Redirect' || redirect.operator.startsWith('<')) continue;
    const target = redirect.target?.value ?? '';
    const from = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : 1;
    if (redirect.operator === '>&' && /^\d$|^-$/.test(target)) {
      if (from === 2) err = target === '1' ? out : target;
      else if (from === 1 && target === '2') out = err;
      continue;
    }
    if (redirect.operator.startsWith('&') || redirect.operator === '>&') [out, err] = [target, target];
    else if (from === 2) err = target;
    else out = target;
    if (target !== '/dev/null' && !target.startsWith('/dev/tty')) files.push(target);
  }
  const shown = [out, err].filter((end) => end === 'shown').length;
  return { seen: lessSeen(seen, shown === 2 ? 'all' : shown === 1 ? 'part' : 'nothing'), files };
}
