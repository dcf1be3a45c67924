import { describe, expect, test } from 'vitest';
import { containedChecks, projectChecks } from './choose.ts';

function checksOf(files: Readonly<Record<string, string>>): readonly string[] {
  return projectChecks({ names: new Set(Object.keys(files)), text: (name) => files[name] ?? null });
}

const scripts = (all: Readonly<Record<string, string>>, more: object = {}) => JSON.stringify({ scripts: all, ...more });
const JS = scripts({ test: 'vitest run', lint: 'biome check', typecheck: 'tsc --noEmit', build: 'tsc' });

test.each<[string, Record<string, string>, readonly string[]]>([
  ['nothing known', { 'README.md': '' }, []],
  ['npm', { 'package.json': JS }, ['npm run typecheck', 'npm run lint', 'npm test']],
  ['pnpm', { 'package.json': JS, 'pnpm-lock.yaml': '' }, ['pnpm run typecheck', 'pnpm run lint', 'pnpm test']],
  ['yarn', { 'package.json': scripts({ test: 'jest' }), 'yarn.lock': '' }, ['yarn test']],
  ['bun', { 'package.json': scripts({ test: 'x' }), 'bun.lockb': '' }, ['bun run test']],
  ['a named manager', { 'package.json': scripts({ test: 'x' }, { packageManager: 'pnpm@9.1.0' }) }, ['pnpm test']],
  [
    'one script for everything',
    { 'package.json': scripts({ check: 'npm run lint && npm test', lint: 'x', test: 'y' }) },
    ['npm run check'],
  ],
  [
    'a check that leaves the tests out',
    { 'package.json': scripts({ check: 'svelte-check', lint: 'eslint .', test: 'vitest run' }) },
    ['npm run lint', 'npm run check', 'npm test'],
  ],
  ['a script that releases', { 'package.json': scripts({ ci: 'npm test && npm publish', test: 'x' }) }, ['npm test']],
  [
    'a manager that is no text',
    { 'package.json': scripts({ test: 'x' }, { packageManager: { toString: '' } }) },
    ['npm test'],
  ],
  [
    'a task that is no text',
    { 'deno.json': JSON.stringify({ tasks: { test: { command: { toString: '' } }, lint: 'deno lint' } }) },
    ['deno task lint', 'deno task test'],
  ],
  ["npm's placeholder", { 'package.json': scripts({ test: 'echo "Error: no test specified" && exit 1' }) }, []],
  ['a watcher', { 'package.json': scripts({ test: 'jest --watch' }) }, []],
  [
    'a watcher beside tests that end',
    { 'package.json': scripts({ test: 'jest --watchAll', 'test:ci': 'jest --ci' }) },
    ['npm run test:ci'],
  ],
  ['a watcher that is told to end', { 'package.json': scripts({ test: 'vitest' }) }, ['npm test -- --run']],
  ['the same under pnpm', { 'package.json': scripts({ test: 'vitest' }), 'pnpm-lock.yaml': '' }, ['pnpm test --run']],
  ['ng test', { 'package.json': scripts({ test: 'ng test' }) }, ['npm test -- --watch=false']],
  [
    'formatting',
    { 'package.json': scripts({ 'format:check': 'prettier -c .', test: 'x' }) },
    ['npm run format:check', 'npm test'],
  ],
  ['a test program without a script', { 'package.json': '{"devDependencies":{"vitest":"3"}}' }, ['npx vitest run']],
  [
    'turbo',
    {
      'package.json': '{}',
      'turbo.json': '{ // tasks\n"tasks":{"build":{},"lint":{},"test":{},}}',
      'pnpm-lock.yaml': '',
    },
    ['pnpm exec turbo run lint test'],
  ],
  ['nx', { 'package.json': '{}', 'nx.json': '{}' }, ['npx nx run-many -t lint test']],
  ['workspaces', { 'package.json': '{"workspaces":["packages/*"]}' }, ['npm test --workspaces --if-present']],
  ['pnpm workspaces', { 'package.json': '{}', 'pnpm-workspace.yaml': '' }, ['pnpm -r test']],
  ['a broken package.json', { 'package.json': '{"scripts":' }, []],
  [
    'a package.json with a byte order mark',
    { 'package.json': `\uFEFF${JS}` },
    ['npm run typecheck', 'npm run lint', 'npm test'],
  ],
  ['a script that changes files', { 'package.json': scripts({ test: 'x', lint: 'eslint . --fix' }) }, ['npm test']],
  [
    'one that judges beside it',
    { 'package.json': scripts({ test: 'x', lint: 'eslint . --fix', 'lint:ci': 'eslint .' }) },
    ['npm run lint:ci', 'npm test'],
  ],
  [
    'a check that calls one that changes files',
    { 'package.json': scripts({ check: 'npm run fmt && npm test', fmt: 'prettier -w .', test: 'x' }) },
    ['npm test'],
  ],
  [
    'scripts that do nothing',
    { 'package.json': scripts({ test: 'true', lint: 'exit 0', typecheck: 'echo ok || :' }) },
    [],
  ],
  [
    'workspaces and other scripts at the root',
    { 'package.json': scripts({ dev: 'vite', lint: 'eslint .' }, { workspaces: ['packages/*'] }) },
    ['npm run lint', 'npm test --workspaces --if-present'],
  ],
  [
    'workspaces of a later yarn',
    { 'package.json': '{"workspaces":["packages/*"]}', 'yarn.lock': '', '.yarnrc.yml': '' },
    ['yarn workspaces foreach -A run test'],
  ],
  ["bun's own tests", { 'package.json': '{}', 'bun.lock': '', 'src/a.test.ts': '' }, ['bun test']],
  ['bats', { 'test/a.bats': '' }, ['bats test']],
  ['meson', { 'meson.build': "project('x', 'c')" }, ['{ test -d build || meson setup build; } && meson test -C build']],
  [
    'ruff and mypy as dependencies',
    { 'pyproject.toml': '[dependency-groups]\ndev = ["pytest", "ruff>=0.5", "mypy"]\n', 'uv.lock': '' },
    ['uv run ruff check .', 'uv run mypy .', 'uv run pytest'],
  ],
  ['make', { Makefile: 'CC := gcc\n.PHONY: test\ntest: build\n\t./t\n' }, ['make test']],
  ['make check', { Makefile: 'check: lint test\nlint:\n\tl\ntest:\n\tt\n', 'go.mod': '' }, ['make check']],
  [
    'make for one thing, npm for it, too',
    { Makefile: 'test:\n\tnpm test\n', 'package.json': JS },
    ['npm run typecheck', 'npm run lint', 'npm test'],
  ],
  ['a target that only talks', { Makefile: 'test:\n\t@echo no tests && exit 1\n' }, []],
  ['a make variable', { Makefile: 'test := yes\n' }, []],
  [
    'just',
    { justfile: 'lint:\n  x\n\ntest *args:\n  cargo test {{args}}\n', 'Cargo.toml': '' },
    ['just lint', 'just test'],
  ],
  [
    'task',
    { 'Taskfile.yml': "version: '3'\ntasks:\n  ci:\n    cmds: [go test]\n  test:\n    cmds: [x]\n" },
    ['task ci'],
  ],
  ['cargo', { 'Cargo.toml': '[package]\n' }, ['cargo test']],
  [
    'a cargo workspace',
    { 'Cargo.toml': '[workspace]\n[workspace.lints.clippy]\n', 'rustfmt.toml': '' },
    ['cargo fmt --check', 'cargo clippy --all-targets -- -D warnings', 'cargo test --workspace'],
  ],
  ['go', { 'go.mod': 'module x' }, ['go vet ./...', 'go test ./...']],
  ['golangci-lint', { 'go.mod': '', '.golangci.yml': '' }, ['golangci-lint run', 'go test ./...']],
  ['a go workspace', { 'go.work': '' }, ["go list -m -f '{{.Dir}}/...' | xargs go test"]],
  ['pytest', { 'pyproject.toml': '[tool.pytest.ini_options]\n' }, ['pytest']],
  [
    'mypy with files of its own',
    { 'pyproject.toml': '[tool.mypy]\nstrict = true\nfiles = ["src"]\n[[tool.mypy.overrides]]\nmodule = "x"\n' },
    ['mypy'],
  ],
  [
    'mypy without, where another tool has files',
    { 'mypy.ini': '[mypy]\nstrict = True\n[mypy-x]\nfiles = no\n' },
    ['mypy .'],
  ],
  [
    'uv, ruff and mypy',
    { 'pyproject.toml': '[tool.ruff]\n[tool.mypy]\n[dependency-groups]\ndev = ["pytest"]\n', 'uv.lock': '' },
    ['uv run ruff check .', 'uv run mypy .', 'uv run pytest'],
  ],
  [
    'poetry',
    { 'pyproject.toml': '[tool.poetry]\n[tool.poetry.dev-dependencies]\npytest = "*"\n' },
    ['poetry run pytest'],
  ],
  ['pipenv', { Pipfile: '[dev-packages]\npytest = "*"\n' }, ['pipenv run pytest']],
  ['tox', { 'tox.ini': '[tox]\nenvlist = py3\n', 'setup.py': '' }, ['tox']],
  ['nox', { 'noxfile.py': '' }, ['nox']],
  ['pytest rather than tox', { 'tox.ini': '[tox]\n', 'pytest.ini': '' }, ['pytest']],
  ['django', { 'manage.py': '', 'requirements.txt': 'django' }, ['python manage.py test']],
  ['unittest', { 'setup.py': '', tests: '' }, ['python -m unittest']],
  [
    'composer scripts',
    { 'composer.json': scripts({ test: 'phpunit', lint: 'pint --test' }) },
    ['composer run lint', 'composer test'],
  ],
  [
    'phpunit and phpstan',
    { 'composer.json': '{}', 'phpunit.xml.dist': '', 'phpstan.neon': '' },
    ['vendor/bin/phpstan analyse', 'vendor/bin/phpunit'],
  ],
  ['maven', { 'pom.xml': '' }, ['mvn -B test']],
  ['the maven wrapper', { 'pom.xml': '', mvnw: '' }, ['./mvnw -B test']],
  ['gradle', { 'build.gradle': '' }, ['gradle check']],
  ['the gradle wrapper', { 'settings.gradle.kts': '', gradlew: '' }, ['./gradlew check']],
  ['dotnet', { 'App.sln': '' }, ['dotnet test']],
  ['mix', { 'mix.exs': '', '.formatter.exs': '' }, ['mix format --check-formatted', 'mix test']],
  ['rebar', { 'rebar.config': '' }, ['rebar3 eunit']],
  ['rspec', { Gemfile: '', '.rspec': '', '.rubocop.yml': '' }, ['bundle exec rubocop', 'bundle exec rspec']],
  ['rails', { Gemfile: '', 'bin/rails': '' }, ['bin/rails test']],
  ['rake', { Rakefile: 'Rake::TestTask.new' }, ['rake test']],
  ['swift', { 'Package.swift': '' }, ['swift test']],
  ['deno', { 'deno.json': '{}' }, ['deno lint', 'deno test']],
  ['deno tasks', { 'deno.jsonc': '{"tasks":{"test":"deno test -A"}}' }, ['deno task test']],
  [
    'cmake',
    { 'CMakeLists.txt': 'enable_testing()' },
    ['cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure'],
  ],
  ['cmake without tests', { 'CMakeLists.txt': 'project(x)' }, []],
  ['pre-commit', { '.pre-commit-config.yaml': '', 'Cargo.toml': '' }, ['pre-commit run --all-files', 'cargo test']],
  [
    'two languages',
    { 'package.json': scripts({ test: 'x' }), 'go.mod': '' },
    ['go vet ./...', 'npm test', 'go test ./...'],
  ],
])('checks of a project with %s', (_title, files, checks) => {
  expect(checksOf(files)).toEqual(checks);
});

const manifest = (scripts: Readonly<Record<string, string>>) => ({ 'package.json': JSON.stringify({ scripts }) });

const CASES: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[], readonly string[]])[] = [
  [
    'a test script that lints first',
    manifest({ lint: 'eslint .', test: 'npm run lint && vitest run' }),
    ['npm run lint', 'npm test'],
    ['npm run lint < npm test'],
  ],
  [
    'a script before the tests',
    manifest({ lint: 'eslint .', pretest: 'pnpm lint', test: 'vitest run' }),
    ['pnpm lint', 'pnpm test'],
    ['pnpm lint < pnpm test'],
  ],
  ['the program itself', manifest({ test: 'tsc && jest' }), ['npx tsc', 'npm test'], ['npx tsc < npm test']],
  [
    'several in one call',
    manifest({ a: 'x', b: 'y', check: 'run-s a b' }),
    ['npm run a', 'npm run check'],
    ['npm run a < npm run check'],
  ],
  [
    'targets that need each other',
    { Makefile: 'lint:\n\truff check\ntest: lint\n\t@pytest\n' },
    ['make lint', 'make test'],
    ['make lint < make test'],
  ],
  ['the same twice', manifest({ test: 'jest' }), ['npm test', 'npm run test'], ['npm run test < npm test']],
  ['other arguments are another command', manifest({ test: 'jest' }), ['npm test', 'npm test -- --ci'], []],
  ['nothing in common', manifest({ lint: 'eslint .', test: 'jest' }), ['npm run lint', 'npm test'], []],
  ['a script that calls itself', manifest({ test: 'npm test && jest' }), ['npm test', 'npm run lint'], []],
  ['files that say nothing', {}, ['npm test', 'cargo test'], []],
];

describe('checks that run as part of another', () => {
  test.each(CASES)('%s', (_, texts, commands, expected) => {
    const files = { names: new Set(Object.keys(texts)), text: (name: string) => texts[name] ?? null };
    expect(containedChecks(commands, files).map(({ check, within }) => `${check} < ${within}`)).toEqual(expected);
  });
});
