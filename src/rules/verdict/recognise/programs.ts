import { isTestFile } from '../test-files.ts';
import {
  deno,
  first,
  git,
  interpreter,
  java,
  MAYBE,
  NO_TEST,
  node,
  php,
  python,
  type Role,
  type Rule,
  ruby,
  SOME_TEST,
  shell,
  targets,
  testOf,
  verbs,
} from './program-rules.ts';
import { isReader, namesTests, wordsIn } from './tools.ts';
import { nameOf, ownValue } from './unwrap.ts';

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

/** The same rule for several programs. */
function all(names: string, rule: Rule): Readonly<Record<string, Rule>> {
  return Object.fromEntries(wordsIn(names).map((name) => [name, rule]));
}

/** Every program that is known to run tests, and how to recognise when it does. A string names a framework. */
const PROGRAMS: Readonly<Record<string, Rule>> = {
  // Runners whose framework has the same name, then those with another.
  ...Object.fromEntries(wordsIn('jest ava uvu testcafe behave robot prove pest busted').map((name) => [name, name])),
  ...all('mocha _mocha electron-mocha mocha-headless-chrome', 'mocha'),
  ...all('tap tape node-tap qunit', 'tap'),
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
  ...all('phpunit simple-phpunit paratest', 'phpunit'),
  vstest: 'dotnet',
  'elm-test': 'elm',
  ...all('turbo lerna lage wireit rush moon just task mage invoke inv mise earthly', tasks),
  ...all('web-test-runner wtr nightwatch lab tsd stestr trial shellspec shunit2 phpspec', () => SOME_TEST),
  ...all('ssh pre-commit husky lint-staged act', () => MAYBE),
  ...all('python python2 python3 pypy pypy3 py', python),
  ...all('node nodejs tsx ts-node', node),
  ...all('sh bash zsh dash ksh fish', shell),
  ...all('docker podman docker-compose', containers),
  ...all('tox nox', environments),
  'react-scripts': verbs({ test: testOf('jest') }),
  craco: verbs({ test: testOf('jest') }),
  'wp-scripts': verbs({ 'test-unit-js': testOf('jest'), 'test-e2e': testOf('jest') }),
  'vue-cli-service': verbs({ 'test:unit': SOME_TEST, 'test:e2e': SOME_TEST }),
  vitest: (args) => (['list', 'init'].includes(first(args)) ? NO_TEST : testOf('vitest')),
  jasmine: (args) => (['init', 'examples'].includes(first(args)) ? NO_TEST : testOf('jasmine')),
  karma: verbs({ start: testOf('karma'), run: testOf('karma') }),
  playwright: verbs({ test: testOf('playwright') }),
  cypress: verbs({ run: testOf('cypress') }),
  newman: verbs({ run: SOME_TEST }),
  bun: (args) => (first(args) === 'test' ? testOf('bun') : /\.[cm]?[jt]sx?$/.test(first(args)) ? node(args) : NO_TEST),
  deno,
  coverage: (args) => (first(args) === 'run' ? python(args.slice(args.indexOf('run') + 1)) : NO_TEST),
  hatch: verbs({ test: SOME_TEST }),
  'manage.py': verbs({ test: testOf('django') }),
  'django-admin': verbs({ test: testOf('django') }),
  go: (args) => (first(args) !== 'test' ? MAYBE : args.some((arg) => /^-(?:c|n)$/.test(arg)) ? NO_TEST : testOf('go')),
  richgo: verbs({ test: testOf('go') }),
  cargo: verbs({
    test: testOf('cargo'),
    t: testOf('cargo'),
    nextest: testOf('cargo'),
    run: MAYBE,
    make: MAYBE,
    xtask: MAYBE,
    llvm: NO_TEST,
    'llvm-cov': testOf('cargo'),
    tarpaulin: testOf('cargo'),
    miri: testOf('cargo'),
  }),
  cross: verbs({ test: testOf('cargo') }),
  rails: (args) => (/^(?:test|spec)(?::|$)/.test(first(args)) ? testOf('rails') : NO_TEST),
  rake,
  ruby,
  jruby: ruby,
  bats,
  'bats-core': bats,
  perl: interpreter(/^-(?:\w*e|c)/, ['-I', '-M']),
  codecept: verbs({ run: testOf('phpunit') }),
  artisan: verbs({ test: testOf('phpunit') }),
  php,
  composer: (args) =>
    namesTests(first(args.filter((arg) => arg !== 'run' && arg !== 'run-script'))) ? testOf('phpunit') : NO_TEST,
  ctest: (args) => (args.includes('-N') ? NO_TEST : testOf('ctest')),
  cmake: (args) =>
    args.includes('--build')
      ? args.some((arg) => /^(?:test|check|RUN_TESTS)$/.test(arg))
        ? testOf('ctest')
        : NO_TEST
      : NO_TEST,
  meson: verbs({ test: testOf('meson') }),
  bazel: verbs({ test: testOf('bazel'), coverage: testOf('bazel'), run: MAYBE }),
  bazelisk: verbs({ test: testOf('bazel') }),
  buck2: verbs({ test: SOME_TEST }),
  pants: (args) => (args.includes('test') ? SOME_TEST : NO_TEST),
  mvn: targets(/^(?:test|verify|install|package|deploy|integration-test|surefire:test|failsafe:\S+)$/, 'maven'),
  mvnw: targets(/^(?:test|verify|install|package|deploy|integration-test|surefire:test|failsafe:\S+)$/, 'maven'),
  gradle: targets(/(?:^|:)(?:\w*[tT]est\w*|check|build|connectedAndroidTest)$/, 'gradle'),
  gradlew: targets(/(?:^|:)(?:\w*[tT]est\w*|check|build|connectedAndroidTest)$/, 'gradle'),
  sbt: targets(/\b(?:test|testOnly|testQuick|it:test)\b/, 'sbt'),
  mill: targets(/\btest\b/, null),
  ant: targets(/test/i, null),
  java,
  dotnet: verbs({ test: testOf('dotnet'), vstest: testOf('dotnet'), run: MAYBE }),
  mix: (args) => (/^(?:test|coveralls)/.test(first(args)) ? testOf('exunit') : NO_TEST),
  elixir: interpreter(/^-e$/),
  rebar3: verbs({ eunit: testOf('eunit'), ct: SOME_TEST, proper: SOME_TEST }),
  lua: interpreter(/^-e$/),
  luajit: interpreter(/^-e$/),
  swift: verbs({ test: testOf('swift'), run: MAYBE }),
  xcodebuild: (args) => (args.some((arg) => /^test/.test(arg)) ? testOf('swift') : NO_TEST),
  lein: verbs({ test: testOf('clojure'), run: MAYBE }),
  clojure: (args) => (args.some((arg) => /test|kaocha/.test(arg)) ? SOME_TEST : MAYBE),
  clj: (args) => (args.some((arg) => /test|kaocha/.test(arg)) ? SOME_TEST : MAYBE),
  stack: verbs({ test: testOf('stack') }),
  cabal: verbs({ test: testOf('cabal'), 'v2-test': testOf('cabal'), run: MAYBE }),
  dart: verbs({ test: testOf('dart'), run: MAYBE }),
  flutter: verbs({ test: testOf('flutter') }),
  julia: (args) => (args.some((arg) => /Pkg\.test|runtests/.test(arg)) ? SOME_TEST : MAYBE),
  Rscript: (args) => (args.some((arg) => /\btest(?:_dir|_file|_local|_package|that)?\b/.test(arg)) ? SOME_TEST : MAYBE),
  zig: (args) =>
    first(args) === 'test' || (first(args) === 'build' && args.includes('test')) ? testOf('zig') : NO_TEST,
  crystal: verbs({ spec: testOf('crystal') }),
  gleam: verbs({ test: testOf('gleam') }),
  nimble: verbs({ test: SOME_TEST }),
  dune: verbs({ runtest: SOME_TEST, test: SOME_TEST }, MAYBE),
  forge: verbs({ test: SOME_TEST }),
  hardhat: verbs({ test: testOf('mocha') }),
  truffle: verbs({ test: testOf('mocha') }),
  ng: verbs({ test: SOME_TEST, e2e: SOME_TEST }),
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
    if (isReader(name) || word === '') return NO_TEST;
    // A path is a program of the project; a bare name may be any program.
    return word.includes('/') && isTestFile(word) ? SOME_TEST : MAYBE;
  }
  if (args.some((arg) => NO_RUN.test(arg))) return NO_TEST;
  if (typeof rule === 'string') return testOf(rule);
  const role = rule(args);
  return role.kind === 'alias' ? roleOfProgram(role.words) : role;
}
