import { echoOf } from './echo.ts';
import { MASKED, type Meaning, OTHER, ofRun } from './meaning.ts';
import { namesTests } from './names.ts';
import { isTestName, makeTargets, type Named, packageScript } from './packages.ts';
import { roleOfProgram } from './programs.ts';
import { isHarmless, showsOthersText } from './readers.ts';
import { MAYBE, type Role, SOME_TEST } from './roles.ts';
import { folderFrom, type Scope, subshell, type Walk } from './scope.ts';
import { carried, nameOf, type Unwrapped, unwrap } from './unwrap.ts';

/** Reads a text as a shell would: given by the caller, as scripts hold commands and commands hold scripts. */
export type ReadScript = (text: string, scope: Scope) => Meaning;

/** Wrappers within wrappers. */
const DEEPEST = 12;

/** What the status of one simple command means; notes the runs in it. */
export function simpleCommand(
  words: readonly string[],
  scope: Scope,
  walk: Walk,
  read: ReadScript,
  depth = 0,
): Meaning {
  if (walk.budget-- <= 0 || depth > DEEPEST) return OTHER;
  const name = nameOf(words[0]);
  if (name === 'echo' || name === 'printf') {
    const echo = echoOf(words, scope);
    if (echo !== null) walk.echoes.push(echo);
    return MASKED;
  }
  if (changesShell(name, words, scope)) return MASKED;
  const script = packageScript(words);
  if (script !== null) {
    const program = script.orProgram ? roleOfProgram([script.name, ...script.extra]) : MAYBE;
    if (program.kind !== 'maybe' && !(program.kind === 'none' && namesTests(script.name)))
      return noted(program, words, scope, walk);
    return named(script, words, scope, walk, read);
  }
  const targets = makeTargets(words);
  if (targets !== null) return make(targets, words, scope, walk, read);
  const inner = unwrap(words);
  if (inner !== null) return unwrapped(inner, scope, walk, read, depth);
  return carriedRun(words, scope, walk, read, depth) ?? noted(roleOfProgram(words), words, scope, walk);
}

/** Notes a run, if it is one. */
function noted(role: Role, words: readonly string[], scope: Scope, walk: Walk, isNamed = false): Meaning {
  if (role.kind === 'none') {
    const name = nameOf(words[0]);
    if (isHarmless(name)) return MASKED;
    const own = words.flatMap((word) => walk.files.get(word) ?? []);
    for (const step of own) if (step.seen === 'nothing') step.seen = 'part';
    // What is shown may be an older run's, unless the command itself has just written it.
    if (own.length === 0 && showsOthersText(name))
      walk.shown = new Set([...walk.shown, walk.steps.length > 0 ? 'after' : 'before']);
    return OTHER;
  }
  walk.steps.push({
    source: words.join(' '),
    certainty: role.kind,
    framework: role.kind === 'test' ? role.framework : null,
    seen: scope.seen,
    named: isNamed,
    repeated: scope.repeated,
  });
  return ofRun(walk.steps.length - 1);
}

function unwrapped(inner: Unwrapped, scope: Scope, walk: Walk, read: ReadScript, depth: number): Meaning {
  if (inner.kind === 'script') return read(inner.script, scope);
  if (inner.repeats !== undefined) {
    const { repeats, ...once } = inner;
    const meaning = unwrapped(once, { ...scope, repeated: true }, walk, read, depth);
    return repeats === 'masked' ? MASKED : meaning;
  }
  const [first = ''] = inner.words;
  if (inner.task && namesTests(first) && roleOfProgram(inner.words.slice(0, 1)).kind !== 'test')
    return noted(SOME_TEST, inner.words, scope, walk);
  return simpleCommand(inner.words, scope, walk, read, depth + 1);
}

/** A container's command: the first of its words from which it reads as a test run. */
function carriedRun(
  words: readonly string[],
  scope: Scope,
  walk: Walk,
  read: ReadScript,
  depth: number,
): Meaning | null {
  for (const inner of carried(words)) {
    if (inner.kind === 'words' && !startsRun(inner.words)) continue;
    const before = walk.steps.length;
    const meaning = unwrapped(inner, scope, walk, read, depth + 1);
    if (walk.steps.slice(before).some(({ certainty }) => certainty === 'test')) return meaning;
    walk.steps.length = before;
  }
  return null;
}

function startsRun(words: readonly string[]): boolean {
  const script = packageScript(words);
  if (script !== null) return isTestName(script);
  const targets = makeTargets(words);
  if (targets !== null) return targets.some(isTestName);
  return (
    unwrap(words) !== null ||
    (words.length > 0 && roleOfProgram(words).kind === 'test' && !/^(?:test|spec)$/.test(words[0] ?? ''))
  );
}

/** A script of `package.json`: its text when it is known, else its name. */
function named(script: Named, words: readonly string[], scope: Scope, walk: Walk, read: ReadScript): Meaning {
  if (script.extra.some((arg) => /^--(?:help|version|listTests|list|collect-only|dry-run|init)$/.test(arg)))
    return OTHER;
  const folder = script.folder === null ? null : folderFrom(scope.shell.folder, script.folder);
  const text = (name: string) => (folder === null ? null : (walk.scripts?.packageScript(folder, name) ?? null));
  const own = text(script.name);
  if (own === null) return noted(isTestName(script) ? SOME_TEST : MAYBE, words, scope, walk, true);
  const around = [text(`pre${script.name}`), [own, ...script.extra].join(' '), text(`post${script.name}`)];
  const before = walk.steps.length;
  const meaning = read(around.filter((each) => each !== null).join(' && '), subshell(scope, { folder }));
  // `"test": "node scripts/all.js"` is a test run by its name, whatever its program is called.
  if (isTestName(script)) for (const step of walk.steps.slice(before)) step.certainty = 'test';
  return meaning;
}

function make(
  targets: readonly Named[],
  words: readonly string[],
  scope: Scope,
  walk: Walk,
  read: ReadScript,
): Meaning {
  const before = walk.steps.length;
  for (const target of targets) {
    const folder = target.folder === null ? null : folderFrom(scope.shell.folder, target.folder);
    const recipe = folder === null ? null : (walk.scripts?.makeTarget(folder, target.name) ?? null);
    // Recipes are not make's language alone: what it cannot be read for, its output must tell.
    if (recipe !== null) read(recipe.replace(/^\s*[@+]+/gm, ''), subshell(scope, { folder, errexit: true }));
  }
  const found = walk.steps.slice(before).filter(({ certainty }) => certainty === 'test');
  walk.steps.length = before;
  const framework = found.length === 1 ? (found[0]?.framework ?? null) : null;
  const isTest = found.length > 0 || targets.some(isTestName);
  return noted(isTest ? { kind: 'test', framework } : MAYBE, words, scope, walk, true);
}

/** Builtins that change what later commands mean. */
function changesShell(name: string, words: readonly string[], scope: Scope): boolean {
  if (name === 'cd' || name === 'pushd') {
    const to = words.slice(1).find((word) => !word.startsWith('-'));
    scope.shell.folder = folderFrom(scope.shell.folder, to ?? '');
    return true;
  }
  if (name !== 'set') return false;
  const text = words.slice(1).join(' ');
  if (/(?:^|\s)-\w*e/.test(text) || text.includes('-o errexit')) scope.shell.errexit = true;
  if (/(?:^|\s)\+\w*e/.test(text)) scope.shell.errexit = false;
  if (/-\w*o pipefail/.test(text)) scope.shell.pipefail = true;
  if (text.includes('+o pipefail')) scope.shell.pipefail = false;
  return true;
}
