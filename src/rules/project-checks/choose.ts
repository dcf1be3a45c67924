import { fieldsOf } from '../../contracts/index.ts';
import { words } from '../text/index.ts';
import { type Check, firstText, has, jsonFields, type ProjectFiles, Rank, says, textOf } from './files.ts';
import { checksIn, nodeChecks, runsTests, type Scripts } from './node.ts';

/** Targets that stand for all of a project's checks: they override what its languages suggest. */
const EVERYTHING = /^(verify|check|ci|check[:-]all|checks|validate|qa)$/;

/**
 * The checks of a project as commands, cheapest first: a proposal from the files of one folder. Names that the project
 * itself uses for its checks override what its tools suggest; the same tests are not listed twice.
 */
export function projectChecks(files: ProjectFiles): readonly string[] {
  const node = nodeChecks(files);
  const runner = runnerChecks(files);
  if (runner !== null && (runner.everything || !runsTests(node))) return ordered(runner.checks);
  const languages = [...node, ...pythonChecks(files), ...languageChecks(files)];
  const linted = languages.some(({ rank }) => rank !== Rank.test);
  const hooks = has(files, '.pre-commit-config.yaml') && !linted;
  return ordered([...(hooks ? [{ rank: Rank.lint, command: 'pre-commit run --all-files' }] : []), ...languages]);
}

function runnerChecks(files: ProjectFiles): { readonly checks: readonly Check[]; readonly everything: boolean } | null {
  for (const runner of RUNNERS) {
    const checks = checksIn(targetsOf(runner, files), (target) => `${runner.program} ${target}`);
    if (!runsTests(checks)) continue;
    return { checks, everything: checks.some(({ command }) => EVERYTHING.test(command.split(' ')[1] ?? '')) };
  }
  return null;
}

function ordered(checks: readonly Check[]): readonly string[] {
  const sorted = [...checks].sort((a, b) => a.rank - b.rank);
  return [...new Set(sorted.map(({ command }) => command))];
}

/** A check that is also part of another one. */
export interface Contained {
  readonly check: string;
  readonly within: string;
}

/**
 * The checks that run twice for each tree, because another check includes them: `npm run lint` next to an `npm test`
 * that lints first. Determined from scripts of `package.json` and targets of make, just and task.
 * @param commands all for the folder that contains the files
 */
export function containedChecks(commands: readonly string[], files: ProjectFiles): readonly Contained[] {
  const all = commands.map((command) => ({ command, steps: new Set(stepsOf(command, files, [])) }));
  return all.flatMap(({ command: check, steps }, at) => {
    const within = all.find(
      (other, otherAt) =>
        otherAt !== at &&
        steps.size > 0 &&
        [...steps].every((step) => other.steps.has(step)) &&
        // Of two checks with the same steps, the second is redundant.
        (other.steps.size > steps.size || otherAt < at),
    );
    return within === undefined ? [] : [{ check, within: within.command }];
  });
}

/** The commands that a command finally runs. */
function stepsOf(command: string, files: ProjectFiles, outer: readonly string[]): readonly string[] {
  return command
    .split(/&&|;|\n/)
    .map((part) => part.trim().replace(/^[@-]+/, ''))
    .filter((part) => part !== '' && !outer.includes(part))
    .flatMap((part) => {
      const called = calledBy(part, files);
      if (called === null) return [part.replace(/^(?:npx|bunx|(?:pnpm|yarn) exec) (?:--no-install )?/, '')];
      return called.flatMap((text) => stepsOf(text, files, [...outer, part]));
    });
}

/** The texts of the scripts and targets that a command names; null when it names none. */
function calledBy(command: string, files: ProjectFiles): readonly string[] | null {
  const scripts = fieldsOf(jsonFields(files, 'package.json')['scripts']);
  const textOf = (name: string) => {
    const texts = [`pre${name}`, name, `post${name}`].map((one) => scripts[one]);
    return typeof scripts[name] === 'string' ? texts.filter((text) => typeof text === 'string') : null;
  };
  const [, script, args = ''] = /^(?:npm|pnpm|yarn|bun)(?: run)? ([\w:.-]+)(?: (?:-- )?(.+))?$/.exec(command) ?? [];
  if (script !== undefined) return textOf(script)?.map((text) => `${text} ${args}`.trim()) ?? null;
  const [, several] = /^(?:npm-run-all|run-s|run-p)((?: [\w:.-]+)+)$/.exec(command) ?? [];
  if (several !== undefined)
    return allOf(
      several
        .trim()
        .split(' ')
        .filter((word) => !word.startsWith('-'))
        .map(textOf),
    );
  for (const runner of RUNNERS) {
    const [, names] = new RegExp(`^${runner.program}((?: [\\w:.-]+)+)$`).exec(command) ?? [];
    if (names === undefined) continue;
    const targets = targetsOf(runner, files);
    const bodyOf = (name: string) => targets.get(name)?.split('\n').flatMap(asCommands) ?? null;
    // A target's first line names the targets it needs.
    const asCommands = (line: string): readonly string[] => {
      const words = line.split(/\s+/);
      return words.every((word) => targets.has(word)) ? words.map((word) => `${runner.program} ${word}`) : [line];
    };
    return allOf(names.trim().split(' ').map(bodyOf));
  }
  return null;
}

/** Null if any of them is unknown. */
function allOf(texts: readonly (readonly string[] | null)[]): readonly string[] | null {
  const known = texts.flatMap((some) => some ?? []);
  return texts.includes(null) ? null : known;
}

/** A program that runs targets out of a file, in a project of any language. */
interface Runner {
  readonly program: string;
  readonly files: readonly string[];
  readonly targets: (text: string) => Scripts;
}

/** `name: needs` and, indented below, its recipe; several names may share one. Not `name := value`. */
const MAKE_TARGET = /^([\w.%/-]+(?:[ \t]+[\w.%/-]+)*)[ \t]*::?(?!=)(.*)$/;
/** `@name param='x': needs`; not `name := value` and not `alias`. */
const JUST_RECIPE = /^@?([\w-]+)(?:[ \t][^:=]*(?:(?:='[^']*'|="[^"]*")[^:=]*|=\S+(?:\s[^:=]*)?)?)?:(?!=)(.*)$/;
const TASK_NAME = /^ {2}['"]?([\w:.-]+)['"]?:(.*)$/;

const RUNNERS: readonly Runner[] = [
  { program: 'make', files: ['GNUmakefile', 'makefile', 'Makefile'], targets: (text) => blocks(text, MAKE_TARGET) },
  { program: 'just', files: ['justfile', 'Justfile', '.justfile'], targets: (text) => blocks(text, JUST_RECIPE) },
  {
    program: 'task',
    files: ['Taskfile.yml', 'Taskfile.yaml', 'Taskfile.dist.yml'],
    targets: (text) => blocks(/^tasks:[ \t]*\n([\s\S]*?)(?=^\S|(?![\s\S]))/m.exec(text)?.[1] ?? '', TASK_NAME),
  },
];

function targetsOf({ files, targets }: Runner, project: ProjectFiles): Scripts {
  return targets(firstText(project, files));
}

/** Each head with the lines indented below it and the text after its colon, as one script. */
function blocks(text: string, head: RegExp): Scripts {
  const found = new Map<string, string>();
  let names: readonly string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const match = head.exec(line);
    if (match !== null) {
      names = (match[1] ?? '').split(/[ \t]+/);
      for (const name of names) found.set(name, `${found.get(name) ?? ''}${(match[2] ?? '').trim()}\n`);
    } else if (/^\s/.test(line)) {
      for (const name of names) found.set(name, `${found.get(name) ?? ''}${line.trim()}\n`);
    } else if (line !== '') names = [];
  }
  return new Map([...found].map(([name, body]) => [name, body.trim()]));
}

type Tool = readonly [
  is: (files: ProjectFiles) => boolean,
  checks: readonly Check[] | ((files: ProjectFiles) => readonly Check[]),
];

const format = (command: string): Check => ({ rank: Rank.format, command });
const lint = (command: string): Check => ({ rank: Rank.lint, command });
const types = (command: string): Check => ({ rank: Rank.types, command });
const test = (command: string): Check => ({ rank: Rank.test, command });
const when = (yes: boolean, check: Check): readonly Check[] => (yes ? [check] : []);
const file =
  (...names: readonly string[]) =>
  (files: ProjectFiles) =>
    has(files, ...names);

/** One row for each language or build tool except Node and Python, which have several. */
const TOOLS: readonly Tool[] = [
  [
    file('Cargo.toml'),
    (files) => [
      ...when(has(files, 'rustfmt.toml', '.rustfmt.toml'), format('cargo fmt --check')),
      ...when(
        has(files, 'clippy.toml', '.clippy.toml') || says(files, /^\[(workspace\.)?lints\.clippy\]/m, 'Cargo.toml'),
        lint('cargo clippy --all-targets -- -D warnings'),
      ),
      test(says(files, /^\[workspace\]/m, 'Cargo.toml') ? 'cargo test --workspace' : 'cargo test'),
    ],
  ],
  [
    file('go.mod'),
    (files) => {
      const ci = has(files, '.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json');
      return [lint(ci ? 'golangci-lint run' : 'go vet ./...'), test('go test ./...')];
    },
  ],
  // A Go workspace has no module itself, so ./... would find nothing.
  [(files) => has(files, 'go.work') && !has(files, 'go.mod'), [test("go list -m -f '{{.Dir}}/...' | xargs go test")]],
  [file('composer.json'), phpChecks],
  [file('pom.xml'), (files) => [test(has(files, 'mvnw') ? './mvnw -B test' : 'mvn -B test')]],
  [
    file('build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'),
    (files) => [test(has(files, 'gradlew') ? './gradlew check' : 'gradle check')],
  ],
  [file('*.sln', '*.slnx', '*.csproj', '*.fsproj', '*.vbproj'), [test('dotnet test')]],
  [
    file('mix.exs'),
    (files) => [
      ...when(has(files, '.formatter.exs'), format('mix format --check-formatted')),
      ...when(has(files, '.credo.exs'), lint('mix credo')),
      test('mix test'),
    ],
  ],
  [file('rebar.config'), [test('rebar3 eunit')]],
  [file('Gemfile', 'Rakefile', '*.gemspec'), rubyChecks],
  [file('Package.swift'), [test('swift test')]],
  [file('deno.json', 'deno.jsonc'), denoChecks],
  [file('build.zig'), [test('zig build test')]],
  [file('build.sbt'), [test('sbt test')]],
  [file('project.clj'), [test('lein test')]],
  [(files) => says(files, /:test\b/, 'deps.edn'), [test('clojure -M:test')]],
  [file('stack.yaml'), [test('stack test')]],
  [(files) => has(files, '*.cabal', 'cabal.project') && !has(files, 'stack.yaml'), [test('cabal test')]],
  [file('pubspec.yaml'), dartChecks],
  [file('dune-project'), [test('dune test')]],
  [file('shard.yml'), [test('crystal spec')]],
  [file('test/runtests.jl'), [test("julia --project -e 'using Pkg; Pkg.test()'")]],
  [file('MODULE.bazel', 'WORKSPACE', 'WORKSPACE.bazel'), [test('bazel test //...')]],
  [
    (files) => says(files, /\b(enable_testing|add_test|include\s*\(\s*CTest)\b/i, 'CMakeLists.txt'),
    [test('cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure')],
  ],
  // Most projects have their tests in a folder with its own meson.build; without tests, this builds the project.
  [file('meson.build'), [test('{ test -d build || meson setup build; } && meson test -C build')]],
  [(files) => has(files, 'Makefile.PL', 'Build.PL', 'cpanfile') && has(files, 't'), [test('prove -lr t')]],
  [file('.busted'), [test('busted')]],
  [file('*.bats'), (files) => [test(`bats ${folderOf(files, '.bats')}`)]],
];

function languageChecks(files: ProjectFiles): readonly Check[] {
  return TOOLS.filter(([is]) => is(files)).flatMap(([, checks]) =>
    typeof checks === 'function' ? checks(files) : checks,
  );
}

/** The first folder that contains files with that extension. */
function folderOf({ names }: ProjectFiles, end: string): string {
  const found = [...names].filter((name) => name.endsWith(end)).sort();
  return found.find((name) => name.includes('/'))?.split('/')[0] ?? '.';
}

function phpChecks(files: ProjectFiles): readonly Check[] {
  const manifest = jsonFields(files, 'composer.json');
  const scripts: Scripts = new Map(
    Object.entries(fieldsOf(manifest['scripts'])).map(([name, text]) => [name, [text].flat().join(' && ')]),
  );
  const named = checksIn(scripts, (script) => `composer ${script === 'test' ? '' : 'run '}${script}`);
  if (runsTests(named)) return named;
  const pest = 'pestphp/pest' in fieldsOf(manifest['require-dev']);
  const run = pest ? 'vendor/bin/pest' : has(files, 'artisan') ? 'php artisan test' : 'vendor/bin/phpunit';
  const tests = pest || has(files, 'artisan', 'phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml');
  const stan = has(files, 'phpstan.neon', 'phpstan.neon.dist', 'phpstan.dist.neon');
  const linted = named.some(({ rank }) => rank === Rank.lint);
  return [...named, ...when(stan && !linted, types('vendor/bin/phpstan analyse')), ...when(tests, test(run))];
}

function rubyChecks(files: ProjectFiles): readonly Check[] {
  const prefix = has(files, 'Gemfile') ? 'bundle exec ' : '';
  const run = has(files, '.rspec', 'spec')
    ? `${prefix}rspec`
    : has(files, 'bin/rails')
      ? 'bin/rails test'
      : says(files, /TestTask|task\s*\(?:test\b|task\s+(test:|["']test)/, 'Rakefile')
        ? `${prefix}rake test`
        : null;
  return [...when(has(files, '.rubocop.yml'), lint(`${prefix}rubocop`)), ...(run === null ? [] : [test(run)])];
}

function denoChecks(files: ProjectFiles): readonly Check[] {
  const config = { ...jsonFields(files, 'deno.json'), ...jsonFields(files, 'deno.jsonc') };
  const tasks: Scripts = new Map(
    Object.entries(fieldsOf(config['tasks'])).map(([name, task]) => [
      name,
      textOf(typeof task === 'string' ? task : fieldsOf(task)['command']),
    ]),
  );
  const named = checksIn(tasks, (name) => `deno task ${name}`);
  return runsTests(named) ? named : [lint('deno lint'), test('deno test')];
}

function dartChecks(files: ProjectFiles): readonly Check[] {
  const program = says(files, /^\s+sdk:\s*flutter\b/m, 'pubspec.yaml') ? 'flutter' : 'dart';
  return [lint(`${program} analyze`), test(`${program} test`)];
}

const PROJECT = 'pyproject.toml';
const WISHES = [PROJECT, 'requirements.txt', 'requirements-dev.txt', 'dev-requirements.txt', 'Pipfile'];

/** How to start programs of the project's environment, by its manager. */
const PREFIXES: readonly (readonly [prefix: string, is: (files: ProjectFiles) => boolean])[] = [
  ['uv run ', file('uv.lock')],
  ['poetry run ', (files) => has(files, 'poetry.lock') || says(files, /^\[tool\.poetry\b/m, PROJECT)],
  ['pdm run ', file('pdm.lock')],
  ['pixi run ', file('pixi.lock', 'pixi.toml')],
  ['pipenv run ', file('Pipfile')],
  ['hatch run ', (files) => says(files, /^\[tool\.hatch\.envs\b/m, PROJECT)],
];

const SETTINGS = [PROJECT, 'setup.cfg', 'tox.ini'];

/** Tools that check without running the code, with their own files or sections of {@link SETTINGS}. */
const PYTHON_TOOLS: readonly (readonly [Check, name: string, own: string, section: RegExp])[] = [
  [lint('ruff check .'), 'ruff', 'ruff.toml .ruff.toml', /^\[tool\.ruff\b/m],
  [lint('flake8'), 'flake8', '.flake8', /^\[flake8\]/m],
  [types('mypy .'), 'mypy', 'mypy.ini .mypy.ini', /^\[(tool\.)?mypy\b/m],
  [types('pyright'), 'pyright', 'pyrightconfig.json', /^\[tool\.pyright\b/m],
];

/** Settings that say what mypy looks at: a folder on its command line would override them. */
const MYPY_NAMES = /^\[(?:tool\.)?mypy\][^\S\n]*\n(?:(?!\[).*\n)*?(?:files|packages|modules)\s*=/m;
const MYPY_FILES = ['mypy.ini', '.mypy.ini', ...SETTINGS];

/** Whether there is a dependency of that name in any group: `"ruff>=0.5"`, `ruff = "*"`, or on its own line. */
function wants(files: ProjectFiles, name: string): boolean {
  return says(files, new RegExp(`(?:^|["'])${name}(?![\\w.-])`, 'm'), ...WISHES);
}

/** Checks of a Python project. tox and nox try several Pythons: only if nothing shows how to test with one. */
function pythonChecks(files: ProjectFiles): readonly Check[] {
  const prefix = PREFIXES.find(([, is]) => is(files))?.[0] ?? '';
  const tools = PYTHON_TOOLS.filter(
    ([, name, own, section]) => has(files, ...words(own)) || says(files, section, ...SETTINGS) || wants(files, name),
  ).map(([check, name]) => (name === 'mypy' && says(files, MYPY_NAMES, ...MYPY_FILES) ? types('mypy') : check));
  const run = testProgram(files);
  const checks = run === null ? tools : [...tools, test(run)];
  return checks.map(({ rank, command }) => ({ rank, command: prefix + command }));
}

function testProgram(files: ProjectFiles): string | null {
  const usesPytest =
    has(files, 'pytest.ini', '.pytest.ini', 'conftest.py') ||
    says(files, /\bpytest\b/, ...WISHES) ||
    says(files, /^\[(tool:)?pytest\]/m, 'setup.cfg', 'tox.ini');
  if (usesPytest) return 'pytest';
  if (has(files, 'manage.py')) return 'python manage.py test';
  if (has(files, 'noxfile.py')) return 'nox';
  if (says(files, /^\[tox\b/m, 'tox.ini', 'setup.cfg') || says(files, /^\[tool\.tox\b/m, PROJECT)) return 'tox';
  const isPython = has(files, PROJECT, 'setup.py', 'setup.cfg', 'requirements.txt');
  return isPython && has(files, 'tests', 'test') ? 'python -m unittest' : null;
}

export function isTestFile(path: string): boolean {
  const folders = path.replace(/^\.\//, '').split('/').slice(0, -1);
  return isTestName(path) || folders.some((folder) => TEST_FOLDERS.some((pattern) => pattern.test(folder)));
}

/** Whether the file's name says that it is a test. Test folders also hold helpers and data. */
export function isTestName(path: string): boolean {
  const file = path.slice(path.lastIndexOf('/') + 1);
  return (
    /(?:^|[._-])(?:test|tests|spec|specs|e2e)(?:[._-]|$)/i.test(file) ||
    /^(?:run_?)?tests?(?:suite|runner|all)?\.\w+$/i.test(file) ||
    /(?:Test|Tests|TestCase|Spec|IT)\.\w+$/.test(file) ||
    /^Test[A-Z]\w*\.\w+$/.test(file) ||
    /\.(?:t|bats|cy\.[jt]sx?)$/.test(file)
  );
}

/** `tests`, `__tests__`; Gradle's `androidTest`, .NET's `Cart.Tests`, Swift's `CartTests`. */
const TEST_FOLDERS: readonly RegExp[] = [/^(?:__tests__|(?:unit)?tests?|specs?|t|e2e|cypress)$/i, /[a-z.]Tests?$/];
