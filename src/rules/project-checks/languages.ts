import { words } from '../text/index.ts';
import { type Check, fieldsOf, has, jsonFields, type ProjectFiles, Rank, says, textOf } from './files.ts';
import { checksIn, runsTests, type Scripts } from './node.ts';

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

export function languageChecks(files: ProjectFiles): readonly Check[] {
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

/** Whether there is a dependency of that name in any group: `"ruff>=0.5"`, `ruff = "*"`, or on its own line. */
function wants(files: ProjectFiles, name: string): boolean {
  return says(files, new RegExp(`(?:^|["'])${name}(?![\\w.-])`, 'm'), ...WISHES);
}

/** Checks of a Python project. tox and nox try several Pythons: only if nothing shows how to test with one. */
export function pythonChecks(files: ProjectFiles): readonly Check[] {
  const prefix = PREFIXES.find(([, is]) => is(files))?.[0] ?? '';
  const tools = PYTHON_TOOLS.filter(
    ([, name, own, section]) => has(files, ...words(own)) || says(files, section, ...SETTINGS) || wants(files, name),
  ).map(([check]) => check);
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
