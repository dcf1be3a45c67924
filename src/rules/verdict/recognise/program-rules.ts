import { isTestFile } from '../test-files.ts';
import { namesTests } from './tools.ts';
import { nameOf, ownValue } from './unwrap.ts';

/** What a simple command does, with regard to tests. */
export type Role =
  /** Runs tests. A null `framework` is identified from the output. */
  | { readonly kind: 'test'; readonly framework: string | null }
  /** A program or script of the project: only its output can show whether it runs tests. */
  | { readonly kind: 'maybe' }
  /** Runs no tests, even if the output looks like it. */
  | { readonly kind: 'none' };

export const NO_TEST: Role = { kind: 'none' };
export const MAYBE: Role = { kind: 'maybe' };
export const SOME_TEST: Role = { kind: 'test', framework: null };

export function testOf(framework: string): Role {
  return { kind: 'test', framework };
}

/** The same command under another program's name: `node node_modules/.bin/jest` is `jest`. */
interface Alias {
  readonly kind: 'alias';
  readonly words: readonly string[];
}

/** How a program's arguments show what it does; a string means "runs tests with this framework". */
export type Rule = string | ((args: readonly string[]) => Role | Alias);

/** The first argument that is not an option. */
export function first(args: readonly string[]): string {
  return args.find((arg) => !arg.startsWith('-')) ?? '';
}

/** A rule by the program's verb. */
export function verbs(table: Readonly<Record<string, Role>>, others: Role = NO_TEST): Rule {
  return (args) => ownValue(table, first(args)) ?? others;
}

/** An interpreter: `-e` code and modules are not tests, a file may be one. */
export function interpreter(code: RegExp, values: readonly string[] = []): Rule {
  return (args) => {
    if (args.some((arg) => code.test(arg))) return NO_TEST;
    const file = args.find((arg, index) => !arg.startsWith('-') && !values.includes(args[index - 1] ?? ''));
    if (file === undefined) return NO_TEST;
    return isTestFile(file) ? SOME_TEST : MAYBE;
  };
}

/** Python modules that run tests, and modules with other known purposes. */
const MODULES: Readonly<Record<string, Role>> = {
  pytest: testOf('pytest'),
  'py.test': testOf('pytest'),
  unittest: testOf('unittest'),
  nose2: testOf('nose2'),
  nose: testOf('unittest'),
  behave: testOf('behave'),
  robot: testOf('robot'),
  tox: SOME_TEST,
  nox: SOME_TEST,
  doctest: SOME_TEST,
  slipcover: SOME_TEST,
  coverage: SOME_TEST,
};

export function python(args: readonly string[]): Role {
  const at = args.findIndex(
    (arg, index) => arg === '-m' || arg === '-c' || (!arg.startsWith('-') && !/^-[WX]$/.test(args[index - 1] ?? '')),
  );
  const flag = args[at] ?? '';
  if (flag === '-c') return /\b(?:pytest|unittest)\.main\(/.test(args[at + 1] ?? '') ? SOME_TEST : NO_TEST;
  if (flag === '-m') {
    const name = args[at + 1] ?? '';
    if (name === 'coverage') return args[at + 2] === 'run' ? python(args.slice(at + 3)) : NO_TEST;
    return ownValue(MODULES, name) ?? (namesTests(name) ? SOME_TEST : NO_TEST);
  }
  if (nameOf(flag) === 'manage.py') return args[at + 1] === 'test' ? testOf('django') : NO_TEST;
  if (/^setup\.py$/.test(nameOf(flag))) return args[at + 1] === 'test' ? SOME_TEST : NO_TEST;
  if (flag === '') return NO_TEST;
  return isTestFile(flag) ? SOME_TEST : MAYBE;
}

export function node(args: readonly string[]): Role | Alias {
  if (args.includes('--test')) return testOf('node:test');
  if (args.some((arg) => arg === '--check' || arg === '-c')) return NO_TEST;
  if (args.some((arg) => /^(?:-e|-p|-pe|--eval|--print)$/.test(arg))) return NO_TEST;
  const at = args.findIndex(
    (arg, index) => !arg.startsWith('-') && !/^(?:-r|--require|--import|--loader)$/.test(args[index - 1] ?? ''),
  );
  const file = args[at] ?? '';
  if (file === '') return NO_TEST;
  // `node node_modules/.bin/jest`, `node node_modules/vitest/vitest.mjs run`
  const runner = /node_modules\/(?:\.bin\/)?(@playwright|[\w-]+)/.exec(file)?.[1];
  if (runner !== undefined) return { kind: 'alias', words: [runner.replace('@', ''), ...args.slice(at + 1)] };
  return isTestFile(file) ? SOME_TEST : MAYBE;
}

export function shell(args: readonly string[]): Role {
  if (args.includes('-n')) return NO_TEST;
  const file = first(args);
  if (file === '') return NO_TEST;
  return isTestFile(file) ? SOME_TEST : MAYBE;
}

/** Targets and goals of build tools: every named one counts. */
export function targets(tests: RegExp, framework: string | null): Rule {
  return (args) => {
    if (args.some((arg) => /^-D?(?:skipTests|maven\.test\.skip)(?:=true)?$/.test(arg))) return NO_TEST;
    return args.some((arg) => tests.test(arg)) ? { kind: 'test', framework } : NO_TEST;
  };
}

const GIT_WITH_HOOKS: ReadonlySet<string> = new Set(['commit', 'push', 'merge', 'rebase', 'am', 'cherry-pick', 'pull']);

export function git(args: readonly string[]): Role {
  const verb = args.find(
    (arg, index) => !arg.startsWith('-') && !/^(?:-C|-c|--git-dir|--work-tree)$/.test(args[index - 1] ?? ''),
  );
  // Only hooks of the project can print more than git itself does.
  return GIT_WITH_HOOKS.has(verb ?? '') && !args.includes('--no-verify') ? MAYBE : NO_TEST;
}

export function deno(args: readonly string[]): Role {
  const verb = first(args);
  if (verb === 'test') return testOf('deno');
  if (verb === 'task') return namesTests(first(args.slice(args.indexOf('task') + 1))) ? SOME_TEST : MAYBE;
  return verb === 'run' ? MAYBE : NO_TEST;
}

export function java(args: readonly string[]): Role {
  const text = args.join(' ');
  if (/junit-platform-console|org\.junit\.|ConsoleLauncher|JUnitCore/.test(text)) return testOf('junit');
  if (/org\.testng\.TestNG/.test(text)) return testOf('testng');
  return args.some((arg) => isTestFile(`${arg}.java`)) ? SOME_TEST : MAYBE;
}

const RUBY = ['-I', '-r'];

/** `ruby -Itest test/a_test.rb`; code that loads test files also runs them. */
export function ruby(args: readonly string[]): Role {
  const code = args[args.indexOf('-e') + 1] ?? '';
  if (args.includes('-e'))
    return /\b(?:require|require_relative|load)\b/.test(code) && TESTS_IN_CODE.test(code) ? SOME_TEST : NO_TEST;
  if (args.some((arg) => /^-\w*c$/.test(arg))) return NO_TEST;
  const file = args.find((arg, index) => !arg.startsWith('-') && !RUBY.includes(args[index - 1] ?? ''));
  return file === undefined ? NO_TEST : isTestFile(file) ? SOME_TEST : MAYBE;
}

const TESTS_IN_CODE = /(?:_test|_spec|test_\w*|\btests?|\bspecs?)\b/;

const PHP_RUNNER = /^(artisan|phpunit|pest|paratest|codecept)(?:\.phar|\.php)?$/;

export function php(args: readonly string[]): Role | Alias {
  if (args.includes('-r') || args.includes('-l')) return NO_TEST;
  const file = first(args);
  const runner = PHP_RUNNER.exec(nameOf(file))?.[1];
  if (runner !== undefined) return { kind: 'alias', words: [runner, ...args.slice(args.indexOf(file) + 1)] };
  if (file === '') return NO_TEST;
  return isTestFile(file) ? SOME_TEST : MAYBE;
}
