import { type Check, fieldsOf, has, jsonFields, type ProjectFiles, Rank, says, textOf } from './files.ts';
import { checksIn, runsTests, type Scripts } from './node.ts';

interface Tool {
  readonly is: (files: ProjectFiles) => boolean;
  readonly checks: (files: ProjectFiles) => readonly Check[];
}

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
  {
    is: file('Cargo.toml'),
    checks: (files) => [
      ...when(has(files, 'rustfmt.toml', '.rustfmt.toml'), format('cargo fmt --check')),
      ...when(
        has(files, 'clippy.toml', '.clippy.toml') || says(files, /^\[(workspace\.)?lints\.clippy\]/m, 'Cargo.toml'),
        lint('cargo clippy --all-targets -- -D warnings'),
      ),
      test(says(files, /^\[workspace\]/m, 'Cargo.toml') ? 'cargo test --workspace' : 'cargo test'),
    ],
  },
  {
    is: file('go.mod'),
    checks: (files) => [
      lint(
        has(files, '.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json')
          ? 'golangci-lint run'
          : 'go vet ./...',
      ),
      test('go test ./...'),
    ],
  },
  {
    // A Go workspace has no module itself, so ./... would find nothing.
    is: (files) => has(files, 'go.work') && !has(files, 'go.mod'),
    checks: () => [test("go list -m -f '{{.Dir}}/...' | xargs go test")],
  },
  { is: file('composer.json'), checks: phpChecks },
  { is: file('pom.xml'), checks: (files) => [test(has(files, 'mvnw') ? './mvnw -B test' : 'mvn -B test')] },
  {
    is: file('build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'),
    checks: (files) => [test(has(files, 'gradlew') ? './gradlew check' : 'gradle check')],
  },
  { is: file('*.sln', '*.slnx', '*.csproj', '*.fsproj', '*.vbproj'), checks: () => [test('dotnet test')] },
  {
    is: file('mix.exs'),
    checks: (files) => [
      ...when(has(files, '.formatter.exs'), format('mix format --check-formatted')),
      ...when(has(files, '.credo.exs'), lint('mix credo')),
      test('mix test'),
    ],
  },
  { is: file('rebar.config'), checks: () => [test('rebar3 eunit')] },
  { is: file('Gemfile', 'Rakefile', '*.gemspec'), checks: rubyChecks },
  { is: file('Package.swift'), checks: () => [test('swift test')] },
  { is: file('deno.json', 'deno.jsonc'), checks: denoChecks },
  { is: file('build.zig'), checks: () => [test('zig build test')] },
  { is: file('build.sbt'), checks: () => [test('sbt test')] },
  { is: file('project.clj'), checks: () => [test('lein test')] },
  { is: (files) => says(files, /:test\b/, 'deps.edn'), checks: () => [test('clojure -M:test')] },
  { is: file('stack.yaml'), checks: () => [test('stack test')] },
  {
    is: (files) => has(files, '*.cabal', 'cabal.project') && !has(files, 'stack.yaml'),
    checks: () => [test('cabal test')],
  },
  { is: file('pubspec.yaml'), checks: dartChecks },
  { is: file('dune-project'), checks: () => [test('dune test')] },
  { is: file('shard.yml'), checks: () => [test('crystal spec')] },
  { is: file('test/runtests.jl'), checks: () => [test("julia --project -e 'using Pkg; Pkg.test()'")] },
  { is: file('MODULE.bazel', 'WORKSPACE', 'WORKSPACE.bazel'), checks: () => [test('bazel test //...')] },
  {
    is: (files) => says(files, /\b(enable_testing|add_test|include\s*\(\s*CTest)\b/i, 'CMakeLists.txt'),
    checks: () => [test('cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure')],
  },
  {
    // Most projects have their tests in a folder with its own meson.build; without tests, this builds the project.
    is: file('meson.build'),
    checks: () => [test('{ test -d build || meson setup build; } && meson test -C build')],
  },
  {
    is: (files) => has(files, 'Makefile.PL', 'Build.PL', 'cpanfile') && has(files, 't'),
    checks: () => [test('prove -lr t')],
  },
  { is: file('.busted'), checks: () => [test('busted')] },
  { is: file('*.bats'), checks: (files) => [test(`bats ${folderOf(files, '.bats')}`)] },
];

export function languageChecks(files: ProjectFiles): readonly Check[] {
  return TOOLS.filter(({ is }) => is(files)).flatMap(({ checks }) => checks(files));
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
const PREFIXES: readonly { readonly is: (files: ProjectFiles) => boolean; readonly prefix: string }[] = [
  { is: (files) => has(files, 'uv.lock'), prefix: 'uv run ' },
  { is: (files) => has(files, 'poetry.lock') || says(files, /^\[tool\.poetry\b/m, PROJECT), prefix: 'poetry run ' },
  { is: (files) => has(files, 'pdm.lock'), prefix: 'pdm run ' },
  { is: (files) => has(files, 'pixi.lock', 'pixi.toml'), prefix: 'pixi run ' },
  { is: (files) => has(files, 'Pipfile'), prefix: 'pipenv run ' },
  { is: (files) => says(files, /^\[tool\.hatch\.envs\b/m, PROJECT), prefix: 'hatch run ' },
];

/** Tools that check without running the code. */
const PYTHON_TOOLS: readonly {
  readonly rank: Check['rank'];
  readonly run: string;
  readonly is: (files: ProjectFiles) => boolean;
}[] = [
  {
    rank: Rank.lint,
    run: 'ruff check .',
    is: (files) =>
      has(files, 'ruff.toml', '.ruff.toml') || says(files, /^\[tool\.ruff\b/m, PROJECT) || wants(files, 'ruff'),
  },
  {
    rank: Rank.lint,
    run: 'flake8',
    is: (files) =>
      has(files, '.flake8') || says(files, /^\[flake8\]/m, 'setup.cfg', 'tox.ini') || wants(files, 'flake8'),
  },
  {
    rank: Rank.types,
    run: 'mypy .',
    is: (files) =>
      has(files, 'mypy.ini', '.mypy.ini') ||
      says(files, /^\[(tool\.)?mypy\b/m, PROJECT, 'setup.cfg', 'tox.ini') ||
      wants(files, 'mypy'),
  },
  {
    rank: Rank.types,
    run: 'pyright',
    is: (files) =>
      has(files, 'pyrightconfig.json') || says(files, /^\[tool\.pyright\b/m, PROJECT) || wants(files, 'pyright'),
  },
];

/** Whether there is a dependency of that name in any group: `"ruff>=0.5"`, `ruff = "*"`, or on its own line. */
function wants(files: ProjectFiles, name: string): boolean {
  return says(files, new RegExp(`(?:^|["'])${name}(?![\\w.-])`, 'm'), ...WISHES);
}

/** Checks of a Python project. tox and nox try several Pythons: only if nothing shows how to test with one. */
export function pythonChecks(files: ProjectFiles): readonly Check[] {
  const prefix = PREFIXES.find(({ is }) => is(files))?.prefix ?? '';
  const tools = PYTHON_TOOLS.filter(({ is }) => is(files)).map(({ rank, run }) => ({ rank, command: prefix + run }));
  const test = testCommand(files, prefix);
  return test === null ? tools : [...tools, { rank: Rank.test, command: test }];
}

function testCommand(files: ProjectFiles, prefix: string): string | null {
  if (has(files, 'manage.py') && !usesPytest(files)) return `${prefix}python manage.py test`;
  if (usesPytest(files)) return `${prefix}pytest`;
  if (has(files, 'noxfile.py')) return `${prefix}nox`;
  if (says(files, /^\[tox\b/m, 'tox.ini', 'setup.cfg') || says(files, /^\[tool\.tox\b/m, PROJECT))
    return `${prefix}tox`;
  const isPython = has(files, PROJECT, 'setup.py', 'setup.cfg', 'requirements.txt');
  return isPython && has(files, 'tests', 'test') ? `${prefix}python -m unittest` : null;
}

function usesPytest(files: ProjectFiles): boolean {
  return (
    has(files, 'pytest.ini', '.pytest.ini', 'conftest.py') ||
    says(files, /\bpytest\b/, ...WISHES) ||
    says(files, /^\[(tool:)?pytest\]/m, 'setup.cfg', 'tox.ini')
  );
}
