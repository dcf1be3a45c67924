import { ownValue } from '../../../contracts/index.ts';
import { isTestFile } from '../../project-checks/index.ts';
import { words } from '../../text/index.ts';
import { isReader, namesTests, printsTap } from './tools.ts';
import { nameOf } from './unwrap.ts';

/** What a simple command does, with regard to tests. */
export type Role =
  /** Runs tests. A null `framework` is identified from the output. */
  | { readonly kind: 'test'; readonly framework: string | null }
  /** A program or script of the project: only its output can show whether it runs tests. */
  | { readonly kind: 'maybe' }
  /** Runs no tests, even if the output looks like it. */
  | { readonly kind: 'none' };

const NO_TEST: Role = { kind: 'none' };
export const MAYBE: Role = { kind: 'maybe' };
export const SOME_TEST: Role = { kind: 'test', framework: null };

function testOf(framework: string): Role {
  return { kind: 'test', framework };
}

/** The same command under another program's name: `node node_modules/.bin/jest` is `jest`. */
interface Alias {
  readonly kind: 'alias';
  readonly words: readonly string[];
}

/** How a program's arguments show what it does; a string means "runs tests with this framework". */
type Rule = string | ((args: readonly string[]) => Role | Alias);

/** The first argument that is not an option. */
function first(args: readonly string[]): string {
  return args.find((arg) => !arg.startsWith('-')) ?? '';
}

/** Runs tests with one of these verbs, and perhaps with one of `maybe`; both are lists of words. */
function verbs(names: string, framework: string | null, maybe = ''): (args: readonly string[]) => Role {
  return (args) => {
    if (words(names).includes(first(args))) return { kind: 'test', framework };
    return words(maybe).includes(first(args)) ? MAYBE : NO_TEST;
  };
}

/** The first argument that is neither an option nor the value of one of these options. */
function operand(args: readonly string[], values: readonly string[]): string {
  return args.find((arg, index) => !arg.startsWith('-') && !values.includes(args[index - 1] ?? '')) ?? '';
}

/** A file of the project that an interpreter runs. */
function fileRole(file: string): Role {
  if (file === '') return NO_TEST;
  return isTestFile(file) ? SOME_TEST : MAYBE;
}

/** An interpreter: `-e` code and modules are not tests, a file may be one. */
function interpreter(code: RegExp, values: readonly string[] = []): Rule {
  return (args) => (args.some((arg) => code.test(arg)) ? NO_TEST : fileRole(operand(args, values)));
}

/** Python modules that run tests, with their framework if it is always the same. */
const MODULES: Readonly<Record<string, string | null>> = {
  pytest: 'pytest',
  'py.test': 'pytest',
  unittest: 'unittest',
  nose2: 'nose2',
  nose: 'unittest',
  behave: 'behave',
  robot: 'robot',
  'testtools.run': 'unittest',
  'twisted.trial': 'trial',
  ...{ ward: null, tox: null, nox: null, doctest: null, slipcover: null },
};

/** Modules of Python that run or show something else. */
const MODULES_WITHOUT = /^(?:json|http|pip|venv|build|zipfile|timeit|pdb|compileall|py_compile|twine|site|cProfile)\b/;

function python(args: readonly string[]): Role {
  const at = args.findIndex(
    (arg, index) => arg === '-m' || arg === '-c' || (!arg.startsWith('-') && !/^-[WX]$/.test(args[index - 1] ?? '')),
  );
  const flag = args[at] ?? '';
  if (flag === '-c') return /\b(?:pytest|unittest)\.main\(/.test(args[at + 1] ?? '') ? SOME_TEST : NO_TEST;
  if (flag === '-m') {
    const name = args[at + 1] ?? '';
    if (name === 'coverage') return args[at + 2] === 'run' ? python(args.slice(at + 3)) : NO_TEST;
    const framework = ownValue(MODULES, name);
    if (framework !== undefined) return { kind: 'test', framework };
    if (namesTests(name)) return SOME_TEST;
    return isReader(name) || MODULES_WITHOUT.test(name) ? NO_TEST : MAYBE;
  }
  if (nameOf(flag) === 'manage.py') return args[at + 1] === 'test' ? testOf('django') : NO_TEST;
  if (/^setup\.py$/.test(nameOf(flag))) return args[at + 1] === 'test' ? SOME_TEST : NO_TEST;
  return fileRole(flag);
}

function node(args: readonly string[]): Role | Alias {
  if (args.includes('--test')) return testOf('node:test');
  if (args.some((arg) => arg === '--check' || arg === '-c')) return NO_TEST;
  if (args.some((arg) => /^(?:-e|-p|-pe|--eval|--print)$/.test(arg))) return NO_TEST;
  const file = operand(args, ['-r', '--require', '--import', '--loader']);
  // `node node_modules/.bin/jest`, `node node_modules/vitest/vitest.mjs run`
  const runner = /node_modules\/(?:\.bin\/)?(@playwright|[\w-]+)/.exec(file)?.[1];
  if (runner !== undefined)
    return { kind: 'alias', words: [runner.replace('@', ''), ...args.slice(args.indexOf(file) + 1)] };
  return fileRole(file);
}

/** Targets and goals of build tools: every named one counts. */
function targets(tests: RegExp, framework: string | null, others: Role = NO_TEST): Rule {
  return (args) => {
    if (args.some((arg) => /^-D?(?:skipTests|maven\.test\.skip)(?:=true)?$/.test(arg))) return NO_TEST;
    return args.some((arg) => tests.test(arg)) ? { kind: 'test', framework } : others;
  };
}

const GIT_WITH_HOOKS: ReadonlySet<string> = new Set(['commit', 'push', 'merge', 'rebase', 'am', 'cherry-pick', 'pull']);

function git(args: readonly string[]): Role {
  // Only hooks of the project can print more than git itself does.
  return GIT_WITH_HOOKS.has(operand(args, ['-C', '-c', '--git-dir', '--work-tree'])) && !args.includes('--no-verify')
    ? MAYBE
    : NO_TEST;
}

function deno(args: readonly string[]): Role {
  const verb = first(args);
  if (verb === 'test') return testOf('deno');
  if (verb === 'task') return namesTests(first(args.slice(args.indexOf('task') + 1))) ? SOME_TEST : MAYBE;
  return verb === 'run' ? MAYBE : NO_TEST;
}

function java(args: readonly string[]): Role {
  const text = args.join(' ');
  if (/junit-platform-console|org\.junit\.|ConsoleLauncher|JUnitCore/.test(text)) return testOf('junit');
  if (/org\.testng\.TestNG/.test(text)) return testOf('testng');
  return args.some((arg) => isTestFile(`${arg}.java`)) ? SOME_TEST : MAYBE;
}

/** `ruby -Itest test/a_test.rb`; code that loads test files also runs them. */
function ruby(args: readonly string[]): Role {
  const code = args[args.indexOf('-e') + 1] ?? '';
  if (args.includes('-e'))
    return /\b(?:require|require_relative|load)\b/.test(code) && TESTS_IN_CODE.test(code) ? SOME_TEST : NO_TEST;
  if (args.some((arg) => /^-\w*c$/.test(arg))) return NO_TEST;
  return fileRole(operand(args, ['-I', '-r']));
}

const TESTS_IN_CODE = /(?:_test|_spec|test_\w*|\btests?|\bspecs?)\b/;

const PHP_RUNNER = /^(artisan|phpunit|pest|paratest|codecept)(?:\.phar|\.php)?$/;

function php(args: readonly string[]): Role | Alias {
  if (args.includes('-r') || args.includes('-l')) return NO_TEST;
  const file = first(args);
  const runner = PHP_RUNNER.exec(nameOf(file))?.[1];
  if (runner !== undefined) return { kind: 'alias', words: [runner, ...args.slice(args.indexOf(file) + 1)] };
  return fileRole(file);
}

/** Options with which a runner prints help or lists its tests instead of running them. */
const NO_RUN = new RegExp(
  `^(?:${[
    '-{1,2}help|-h|--version',
    '-{1,2}list(?:=.*)?|--list-?[tT]ests?|--list-(?:suites|groups|tests-json.*)|--gtest_list_tests',
    '--collect-?only|--co|--count|--fixtures-per-test|--trace-config|--fixtures|--markers|--show-only(?:=.*)?|--no-run|--dry-?[rR]un(?:=.*)?|--dry(?:=.*)?',
    '--cache-show(?:=.*)?|--setup-plan|--graph(?:=.*)?|--listenvs(?:-all)?|--print-labels',
    '--show-?[cC]onfig|--print-config|--init|--clear-?[cC]ache',
  ].join('|')})$`,
);

/** Subcommands that build or run something may run tests; those that only look do not. */
const containers: Rule = (args) =>
  args.some((arg) => /^(?:build|run|exec|up|bake|start)$/.test(arg)) ? MAYBE : NO_TEST;

/** Task runners: the task names decide. */
const tasks: Rule = (args) => {
  const names = args.filter((arg) => !arg.startsWith('-') && !arg.includes('='));
  return names.some(namesTests) ? SOME_TEST : MAYBE;
};

const rake: Rule = (args) =>
  args.length === 0 || args.some((arg) => namesTests(arg) || arg === 'default') ? SOME_TEST : MAYBE;

/** tox and nox: with `-l` they only list what they would run. */
const environments: Rule = (args) =>
  args.includes('-l') || /^(?:l|list|config|c|devenv|d|quickstart)$/.test(first(args)) ? NO_TEST : SOME_TEST;

/** `-c` counts the tests. */
const bats: Rule = (args) => (args.some((arg) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(arg)) ? NO_TEST : testOf('bats'));

function all(names: string, rule: Rule): Readonly<Record<string, Rule>> {
  return Object.fromEntries(words(names).map((name) => [name, rule]));
}

/** Every program that is known to run tests, and how to recognise when it does. A string names a framework. */
const PROGRAMS: Readonly<Record<string, Rule>> = {
  // Runners whose framework has the same name, then those with another.
  ...Object.fromEntries(
    words('jest ava uvu testcafe behave robot prove pest busted lab poku trial vows').map((name) => [name, name]),
  ),
  ...all('mocha _mocha electron-mocha mocha-headless-chrome', 'mocha'),
  ...all('tap tape node-tap qunit pta', 'tap'),
  borp: 'node:test',
  'jasmine-ts': 'jasmine',
  wdio: 'webdriverio',
  ...all('cucumber-js cucumber', 'cucumber'),
  ...all('pytest py.test', 'pytest'),
  ...all('nose2 nose2-3', 'nose2'),
  ...all('nosetests unit2', 'unittest'),
  ...all('gotestsum gotest ginkgo', 'go'),
  ...all('rspec spec', 'rspec'),
  m: 'minitest',
  emacs: (args) => (args.some((arg) => arg.startsWith('ert-run-tests-batch')) ? testOf('ert') : NO_TEST),
  ...all('phpunit simple-phpunit paratest', 'phpunit'),
  vstest: 'dotnet',
  'elm-test': 'elm',
  ...all('turbo lerna lage wireit rush moon just task mage invoke inv mise earthly', tasks),
  ...all('web-test-runner wtr nightwatch tsd stestr shellspec shunit2 phpspec', () => SOME_TEST),
  ...all('ssh pre-commit husky lint-staged act', () => MAYBE),
  ...all('python python2 python3 pypy pypy3 py', python),
  ...all('node nodejs tsx ts-node', node),
  ...all('sh bash zsh dash ksh fish', interpreter(/^-n$/)),
  ...all('docker podman docker-compose', containers),
  ...all('tox nox', environments),
  'wp-scripts': verbs('test-unit-js test-e2e', 'jest'),
  'vue-cli-service': verbs('test:unit test:e2e', null),
  vitest: (args) => (['list', 'init'].includes(first(args)) ? NO_TEST : testOf('vitest')),
  jasmine: (args) => (['init', 'examples'].includes(first(args)) ? NO_TEST : testOf('jasmine')),
  karma: verbs('start run', 'karma'),
  ...all('react-scripts craco', verbs('test', 'jest')),
  ...all('manage.py django-admin', verbs('test', 'django')),
  ...all('hardhat truffle', verbs('test', 'mocha')),
  ...all('hatch buck2 nimble forge', verbs('test', null)),
  ...all('elixir lua luajit', interpreter(/^-e$/)),
  ...all('ruby jruby', ruby),
  ...all('bats bats-core', bats),
  newman: verbs('run', null),
  playwright: verbs('test', 'playwright'),
  cypress: verbs('run', 'cypress'),
  bun: (args) => {
    const verb = operand(args, ['--filter', '-F', '--cwd', '--config', '-c', '--preload', '-r']);
    return verb === 'test' ? testOf('bun') : /\.[cm]?[jt]sx?$/.test(verb) ? node(args) : NO_TEST;
  },
  deno,
  coverage: (args) => (first(args) === 'run' ? python(args.slice(args.indexOf('run') + 1)) : NO_TEST),
  go: (args) => (first(args) !== 'test' ? MAYBE : args.some((arg) => /^-(?:c|n)$/.test(arg)) ? NO_TEST : testOf('go')),
  richgo: verbs('test', 'go'),
  cargo: verbs('test t nextest llvm-cov tarpaulin miri', 'cargo', 'run make xtask'),
  cross: verbs('test', 'cargo'),
  rails: (args) => (/^(?:test|spec)(?::|$)/.test(first(args)) ? testOf('rails') : NO_TEST),
  rake,
  perl: interpreter(/^-(?:\w*e|c)/, ['-I', '-M']),
  codecept: verbs('run', 'phpunit'),
  artisan: verbs('test', 'phpunit'),
  php,
  composer: (args) =>
    namesTests(first(args.filter((arg) => arg !== 'run' && arg !== 'run-script'))) ? testOf('phpunit') : NO_TEST,
  ctest: (args) => (args.includes('-N') ? NO_TEST : testOf('ctest')),
  cmake: (args) =>
    args.includes('--build') && args.some((arg) => /^(?:test|check|RUN_TESTS)$/.test(arg)) ? testOf('ctest') : NO_TEST,
  meson: verbs('test', 'meson'),
  bazel: verbs('test coverage', 'bazel', 'run'),
  bazelisk: verbs('test', 'bazel'),
  pants: targets(/^test$/, null),
  ...all(
    'mvn mvnw',
    targets(/^(?:test|verify|install|package|deploy|integration-test|surefire:test|failsafe:\S+)$/, 'maven'),
  ),
  ...all('gradle gradlew', targets(/(?:^|:)(?:\w*[tT]est\w*|check|build|connectedAndroidTest)$/, 'gradle')),
  sbt: targets(/\b(?:test|testOnly|testQuick|it:test)\b/, 'sbt'),
  mill: targets(/\btest\b/, null),
  ant: targets(/test/i, null),
  java,
  dotnet: verbs('test vstest', 'dotnet', 'run'),
  mix: (args) => (/^(?:test|coveralls)/.test(first(args)) ? testOf('exunit') : NO_TEST),
  rebar3: (args) => (first(args) === 'eunit' ? testOf('eunit') : verbs('ct proper', null)(args)),
  swift: verbs('test', 'swift', 'run'),
  xcodebuild: targets(/^test/, 'swift'),
  lein: verbs('test', 'clojure', 'run'),
  ...all('clojure clj', targets(/test|kaocha/, null, MAYBE)),
  stack: verbs('test', 'stack'),
  cabal: verbs('test v2-test', 'cabal', 'run'),
  dart: verbs('test', 'dart', 'run'),
  flutter: verbs('test', 'flutter'),
  julia: targets(/Pkg\.test|runtests/, null, MAYBE),
  Rscript: targets(/\btest(?:_dir|_file|_local|_package|that)?\b/, null, MAYBE),
  zig: (args) =>
    first(args) === 'test' || (first(args) === 'build' && args.includes('test')) ? testOf('zig') : NO_TEST,
  crystal: verbs('spec', 'crystal'),
  gleam: verbs('test', 'gleam'),
  dune: (args) => (/^(?:runtest|test)$/.test(first(args)) ? SOME_TEST : MAYBE),
  ng: verbs('test e2e', null),
  nx: (args) =>
    args.some((arg) => namesTests(arg.replace(/^.*:/, '')) || /^(?:--target|-t)=?test/.test(arg)) ? SOME_TEST : MAYBE,
  tclsh: interpreter(/^-$/),
  octave: interpreter(/^--eval$/),
  git,
};

/** The role of a command without its wrappers. Package managers and make are judged elsewhere. */
export function roleOfProgram(words: readonly string[]): Role {
  const [word = '', ...args] = words;
  const name = nameOf(word);
  const rule = ownValue(PROGRAMS, name);
  if (rule === undefined) {
    if (isReader(name) || printsTap(name) || word === '') return NO_TEST;
    // A path is a program of the project; a bare name may be any program.
    return word.includes('/') && isTestFile(word) ? SOME_TEST : MAYBE;
  }
  if (args.some((arg) => NO_RUN.test(arg))) return NO_TEST;
  if (typeof rule === 'string') return testOf(rule);
  const role = rule(args);
  return role.kind === 'alias' ? roleOfProgram(role.words) : role;
}
