import { ownValue } from '../../../contracts/index.ts';
import { words } from '../../text/index.ts';
import { MAYBE, type Role, roleOfProgram, SOME_TEST } from './programs.ts';
import {
  codeIn,
  type Echo,
  folderFrom,
  MASKED,
  type Meaning,
  OTHER,
  ofRun,
  type Scope,
  subshell,
  tells,
  type Walk,
} from './scope.ts';
import { isHarmless, namesTests, printsOtherOutput } from './tools.ts';
import { carried, nameOf, type Unwrapped, unwrap } from './unwrap.ts';

const DEEPEST = 12;

/** The meaning of one simple command's status; records the runs in it. */
export function simpleCommand(words: readonly string[], scope: Scope, walk: Walk, depth = 0): Meaning {
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
    return named(script, words, scope, walk);
  }
  const targets = makeTargets(words);
  if (targets !== null) return make(targets, words, scope, walk);
  const own = words.slice(0, 4).find((word) => walk.written.has(plainPath(word)));
  if (own !== undefined) return ownScript(walk.written.get(plainPath(own)) ?? '', words, scope, walk);
  const inner = unwrap(words);
  if (inner !== null) return unwrapped(inner, scope, walk, depth);
  return carriedRun(words, scope, walk, depth) ?? noted(roleOfProgram(words), words, scope, walk);
}

function noted(role: Role, words: readonly string[], scope: Scope, walk: Walk, isNamed = false): Meaning {
  if (role.kind === 'none') {
    const name = nameOf(words[0]);
    if (isHarmless(name)) return MASKED;
    const own = words.flatMap((word) => walk.files.get(word) ?? []);
    for (const step of own) if (step.seen === 'nothing') step.seen = 'part';
    // The displayed text may be an older run's, unless the command itself has just written it.
    if (own.length === 0 && scope.seen !== 'nothing' && printsOtherOutput(name))
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

export function plainPath(path: string): string {
  return path.replace(/^\.\//, '');
}

/** A file that the command itself has written: a shell reads it as commands; of other languages the texts in it count. */
function ownScript(text: string, words: readonly string[], scope: Scope, walk: Walk): Meaning {
  const role = roleOfProgram(words);
  if (role.kind === 'none' || role.kind === 'test') return noted(role, words, scope, walk);
  const shell = /^(?:ba|z|da|k)?sh$/.test(nameOf(words[0])) || /^(?:#!.*sh\b|(?!#!))/.test(text);
  if (shell && !/^(?:python|node|ruby|perl|php|deno|bun|tsx)/.test(nameOf(words[0]))) return walk.read(text, scope);
  const called = [...text.matchAll(/(["'`])(.{1,200}?)\1/g)].some(
    ([, , each = '']) => roleOfProgram(each.split(' ')).kind === 'test',
  );
  return noted(called ? SOME_TEST : role, words, scope, walk);
}

function unwrapped(inner: Unwrapped, scope: Scope, walk: Walk, depth: number): Meaning {
  if (inner.kind === 'script') return walk.read(inner.script, scope);
  if (inner.repeats !== undefined) {
    const { repeats, ...once } = inner;
    const meaning = unwrapped(once, { ...scope, repeated: true }, walk, depth);
    return repeats === 'masked' ? MASKED : meaning;
  }
  const [first = ''] = inner.words;
  if (inner.task && namesTests(first) && roleOfProgram(inner.words.slice(0, 1)).kind !== 'test')
    return noted(SOME_TEST, inner.words, scope, walk);
  return simpleCommand(inner.words, scope, walk, depth + 1);
}

/** A container's command: starts at the first word from which it reads as a test run. */
function carriedRun(words: readonly string[], scope: Scope, walk: Walk, depth: number): Meaning | null {
  for (const inner of carried(words)) {
    if (inner.kind === 'words' && !startsRun(inner.words)) continue;
    const before = walk.steps.length;
    const meaning = unwrapped(inner, scope, walk, depth + 1);
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

/** A script of `package.json`: its text when known, else its name. */
function named(script: Named, words: readonly string[], scope: Scope, walk: Walk): Meaning {
  if (script.extra.some((arg) => /^--(?:help|version|listTests|list|collect-only|dry-run|init)$/.test(arg)))
    return OTHER;
  const folder = script.folder === null ? null : folderFrom(scope.shell.folder, script.folder);
  const text = (name: string) => (folder === null ? null : (walk.scripts?.packageScript(folder, name) ?? null));
  const own = text(script.name);
  if (own === null) return noted(isTestName(script) ? SOME_TEST : MAYBE, words, scope, walk, true);
  const around = [text(`pre${script.name}`), [own, ...script.extra].join(' '), text(`post${script.name}`)];
  const before = walk.steps.length;
  const meaning = walk.read(around.filter((each) => each !== null).join(' && '), subshell(scope, { folder }));
  // `"test": "node scripts/all.js"` is a test run by its name, with any program.
  if (isTestName(script)) for (const step of walk.steps.slice(before)) step.certainty = 'test';
  return meaning;
}

function make(targets: readonly Named[], words: readonly string[], scope: Scope, walk: Walk): Meaning {
  const before = walk.steps.length;
  for (const target of targets) {
    const folder = target.folder === null ? null : folderFrom(scope.shell.folder, target.folder);
    const recipe = folder === null ? null : (walk.scripts?.makeTarget(folder, target.name) ?? null);
    // Recipes contain more than shell syntax: where one cannot be read, its output must decide.
    if (recipe !== null) walk.read(recipe.replace(/^\s*[@+]+/gm, ''), subshell(scope, { folder, errexit: true }));
  }
  const found = walk.steps.slice(before).filter(({ certainty }) => certainty === 'test');
  walk.steps.length = before;
  const framework = found.length === 1 ? (found[0]?.framework ?? null) : null;
  const isTest = found.length > 0 || targets.some(isTestName);
  return noted(isTest ? { kind: 'test', framework } : MAYBE, words, scope, walk, true);
}

/** Builtins that change the meaning of later commands. */
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

const CODE = /\$\?|\$\{\?\}|\$\{?PIPESTATUS(?:\[\d\])?\}?|\$\{?[A-Za-z_]\w*\}?/g;

/**
 * What `echo "exit: $?"` will print, as a pattern that reads the code back; or, in `a && echo yes || echo no`, the line
 * that shows which branch ran. Null when the line would show nothing about a test run.
 */
function echoOf(words: readonly string[], scope: Scope): Echo | null {
  const text = printed(words);
  let about: Meaning | null = null;
  let pattern = '';
  let from = 0;
  for (const match of text.matchAll(CODE)) {
    const [whole] = match;
    const meaning = codeIn(whole, scope);
    const isCode = about === null && meaning !== null && tells(meaning);
    pattern += `${literal(text.slice(from, match.index))}${isCode ? '(\\d{1,3})' : '.*'}`;
    if (isCode) about = meaning;
    from = match.index + whole.length;
  }
  pattern += literal(text.slice(from));
  if (text.length > 200) return null;
  const line = new RegExp(`^\\s*${pattern}\\s*$`);
  if (about !== null) return { line, says: 'code', about };
  const { when } = scope;
  return when !== null && tells(when.about) && from === 0 && text.trim().length > 1 ? { line, ...when } : null;
}

function printed(words: readonly string[]): string {
  const [name, ...args] = words;
  if (name === 'echo') return args.filter((arg, index) => !(index === 0 && /^-[neE]+$/.test(arg))).join(' ');
  const [format = '', ...values] = args;
  let next = 0;
  return format.replace(/\\n/g, '').replace(/%[sd]/g, () => values[next++] ?? '');
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** A name that a project gives to commands: a script of `package.json`, a target of make. */
interface Named {
  readonly from: 'package' | 'make';
  readonly name: string;
  /** Relative to the folder it is called in; null when unknown (a workspace). */
  readonly folder: string | null;
  /** Arguments added to the script: `npm test -- --ci`. */
  readonly extra: readonly string[];
}

interface Manager {
  /** Verbs that run a script with the same name. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Verbs whose next word is the script. */
  readonly run: readonly string[];
  /** The manager's own verbs: every other word is a script. Absent where scripts need `run`. */
  readonly own?: ReadonlySet<string>;
  readonly values: readonly string[];
  readonly folder: readonly string[];
  /** Options for several packages: the script's package is then unknown. */
  readonly many: RegExp;
}

const OWN = words(
  'install i add remove rm uninstall un update up upgrade outdated audit ci link unlink publish pack init create dlx exec x why list ls ll info view config cache login logout whoami prune dedupe fund pkg query rebuild root bin store env import setup doctor help version set plugin patch node npm constraints explain search stage tag team token owner ping',
);

const MANAGERS: Readonly<Record<string, Manager>> = {
  npm: {
    scripts: {
      ...Object.fromEntries(words('test t tst it cit install-test').map((verb) => [verb, 'test'])),
      ...{ start: 'start', stop: 'stop', restart: 'restart' },
    },
    run: words('run run-script rum urn'),
    values: words('--prefix -w --workspace --loglevel'),
    folder: ['--prefix'],
    many: /^(?:-ws?$|--workspaces?\b)/,
  },
  pnpm: {
    scripts: { test: 'test', t: 'test', tst: 'test', start: 'start' },
    run: words('run run-script'),
    own: new Set(OWN),
    values: words('-C --dir --filter -F --workspace-concurrency'),
    folder: words('-C --dir'),
    many: /^(?:-r$|--recursive$|--filter\b|-F$)/,
  },
  yarn: {
    scripts: { test: 'test', start: 'start' },
    run: ['run'],
    own: new Set([...OWN, 'workspaces', 'workspace']),
    values: ['--cwd'],
    folder: ['--cwd'],
    many: /^workspaces?$/,
  },
  bun: {
    scripts: {},
    run: ['run'],
    own: new Set([...OWN, 'test', 'build', 'pm', 'repl']),
    values: words('--cwd --filter -F'),
    folder: ['--cwd'],
    many: /^(?:--filter\b|-F$)/,
  },
};

/** The script of `package.json` that this calls; null without one. A word of `yarn X` may also be a program. */
function packageScript(words: readonly string[]): (Named & { readonly orProgram: boolean }) | null {
  const manager = ownValue(MANAGERS, nameOf(words[0]));
  if (manager === undefined) return null;
  const many = words.some((word) => manager.many.test(word));
  const plain = afterWorkspace(plainWords(words.slice(1), manager.values));
  const [verb = '', next = ''] = plain;
  const folder = many ? null : (optionOf(words, manager.folder) ?? '.');
  const found = (name: string, orProgram = false) => ({
    from: 'package' as const,
    name,
    folder,
    extra: extraOf(words, name),
    orProgram,
  });
  if (manager.run.includes(verb)) return next === '' ? null : found(next);
  const own = ownValue(manager.scripts, verb);
  if (own !== undefined) return found(own);
  return manager.own && verb !== '' && !manager.own.has(verb) && !verb.startsWith('.') ? found(verb, true) : null;
}

/** The words after `yarn workspace NAME` or `yarn workspaces foreach`. */
function afterWorkspace(words: readonly string[]): readonly string[] {
  if (words[0] === 'workspace') return words.slice(2);
  if (words[0] === 'workspaces') return words.slice(words[1] === 'foreach' ? 2 : 1);
  return words;
}

/** The targets of a make call; null when this is not make, or when it only prints. */
function makeTargets(words: readonly string[]): readonly Named[] | null {
  if (!/^(?:g|b|n|mingw32-)?make$|^ninja$/.test(nameOf(words[0]))) return null;
  if (words.some((word) => /^(?:-n|--dry-run|--just-print|--recon|-p|-q|--version|--help|-v|-h)$/.test(word)))
    return null;
  const folder = optionOf(words, ['-C', '--directory']) ?? '.';
  const names = plainWords(words.slice(1), ['-C', '--directory', '-f', '--file', '-j', '-l', '-o', '-W', '-I']).filter(
    (word) => !word.includes('=') && !/^\d+$/.test(word),
  );
  return names.map((name) => ({ from: 'make', name, folder, extra: [] }));
}

/** Whether a name that cannot be resolved runs tests. */
function isTestName({ from, name }: Named): boolean {
  return from === 'make' ? namesTests(name) : namesTests(name) && !/^checks?$/.test(name);
}

function plainWords(words: readonly string[], values: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  return own.filter((word, index) => !word.startsWith('-') && !values.includes(own[index - 1] ?? ''));
}

function optionOf(words: readonly string[], names: readonly string[]): string | undefined {
  for (const [index, word] of words.entries()) {
    if (names.includes(word)) return words[index + 1];
    const name = names.find((each) => word.startsWith(`${each}=`));
    if (name !== undefined) return word.slice(name.length + 1);
  }
  return undefined;
}

function extraOf(words: readonly string[], name: string): readonly string[] {
  const end = words.indexOf('--');
  return end >= 0 ? words.slice(end + 1) : words.slice(words.lastIndexOf(name) + 1);
}
