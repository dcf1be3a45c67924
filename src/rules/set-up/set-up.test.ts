import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SET_UP_FILES, setUpKey, setUpOf } from './set-up.ts';

const DEPENDS = '{\n  "dependencies": {\n    "left-pad": "^1.3.0"\n  }\n}\n';
const commandsOf = (files: Readonly<Record<string, string>>) =>
  setUpOf(files).map(({ folder, command }) => (folder === '' ? command : `${folder}: ${command}`));

describe('the install command', () => {
  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['npm', { 'package.json': DEPENDS, 'package-lock.json': '{}' }, ['npm ci --no-audit --no-fund --no-progress']],
    ['pnpm', { 'package.json': DEPENDS, 'pnpm-lock.yaml': '' }, ['pnpm install --frozen-lockfile']],
    ['bun, binary', { 'package.json': DEPENDS, 'bun.lockb': '\0' }, ['bun install --frozen-lockfile']],
    [
      'yarn of old',
      { 'package.json': DEPENDS, 'yarn.lock': '# yarn lockfile v1\n' },
      ['yarn install --frozen-lockfile --non-interactive --no-progress'],
    ],
    ['yarn', { 'package.json': DEPENDS, 'yarn.lock': '__metadata:\n  version: 8\n' }, ['yarn install --immutable']],
    [
      'the manager that the manifest names, of two lock files',
      { 'package.json': '{"packageManager":"npm@10.8.0"}', 'package-lock.json': '{}', 'yarn.lock': '' },
      ['npm ci --no-audit --no-fund --no-progress'],
    ],
    ['no lock file', { 'package.json': DEPENDS }, ['npm install --no-package-lock --no-audit --no-fund --no-progress']],
    ['nothing to install', { 'package.json': '{ "type": "module", "dependencies": {} }' }, []],
    [
      'members of a workspace, and a folder apart',
      {
        'package.json': '{"workspaces":["packages/*"]}',
        'package-lock.json': '{}',
        'packages/a/package.json': DEPENDS,
        'site/package.json': DEPENDS,
        'site/package-lock.json': '{}',
      },
      ['npm ci --no-audit --no-fund --no-progress', 'site: npm ci --no-audit --no-fund --no-progress'],
    ],
    ['uv', { 'pyproject.toml': '[project]\n', 'uv.lock': '' }, ['uv sync --frozen']],
    ['poetry', { 'pyproject.toml': '', 'poetry.lock': '' }, ['poetry install --no-interaction --no-ansi']],
    [
      'requirements, a package and its extras',
      {
        'requirements.txt': 'x\n',
        'requirements-dev.txt': 'y\n',
        'pyproject.toml':
          '[project]\nname = "a"\n[project.optional-dependencies]\ndocs = ["s"]\ntest = ["pytest"]\n[tool.x]\ndev = [1]\n',
      },
      [
        "python3 -m venv .venv && .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt -r requirements-dev.txt -e '.[test]'",
      ],
    ],
    ['settings of tools alone', { 'pyproject.toml': '[tool.ruff]\n' }, []],
    ['bundler', { Gemfile: '', 'Gemfile.lock': '' }, ['bundle install --quiet']],
    ['composer', { 'composer.json': '{}' }, ['composer install --no-interaction --no-progress --prefer-dist']],
    ['cargo', { 'Cargo.toml': '', 'Cargo.lock': '', 'crates/a/Cargo.toml': '' }, ['cargo fetch --quiet --locked']],
    ['go', { 'go.mod': 'module a\nrequire b v1\n', 'go.sum': '' }, ['go mod download']],
    ['go with its packages in the tree', { 'go.mod': 'require b v1\n', 'vendor/modules.txt': '' }, ['true']],
    [
      'mix',
      { 'mix.exs': '', 'mix.lock': '' },
      ['mix local.hex --force --if-missing && mix local.rebar --force --if-missing && mix deps.get --check-locked'],
    ],
    ['maven with its wrapper', { 'pom.xml': '', mvnw: '' }, ['sh ./mvnw -B -q dependency:go-offline']],
    ['gradle', { 'build.gradle.kts': '' }, ['gradle --no-daemon --quiet dependencies']],
    ['dotnet', { 'App.sln': '', 'src/App/App.csproj': '' }, ['dotnet restore']],
    ['nothing that is known', { 'README.md': '' }, []],
  ])('of %s', (_what, files, expected) => expect(commandsOf(files)).toEqual(expected));

  test('is that of at most eight folders', () => {
    const files = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`app-${at}/package.json`, DEPENDS]));
    expect(setUpOf(files)).toHaveLength(8);
  });
});

describe('what decides', () => {
  const files = { 'package.json': DEPENDS, 'package-lock.json': '{}', 'packages/a/package.json': '{}', '.npmrc': '' };
  const key = (ids: Readonly<Record<string, string>>, tree = files) =>
    setUpKey(setUpOf(tree), (path) => ids[path] ?? null);

  test.each(Object.keys(files))('%s does', (path) => expect(key({ [path]: '1' })).not.toBe(key({ [path]: '2' })));

  test('no other file does', () => {
    const more = { ...files, 'Cargo.lock': 'of nothing' };
    expect(key({ 'Cargo.lock': '1', 'src/index.js': '1' }, more)).toBe(key({}));
  });
});

test('no text of a file gets into a command, and nothing throws', () => {
  const name = fc.constantFrom(...SET_UP_FILES.map((file) => file.replaceAll('*', 'x')));
  const path = fc.tuple(fc.constantFrom('', 'a b/', "it's/$(id)/", '\n/'), name).map((parts) => parts.join(''));
  fc.assert(
    fc.property(
      fc.dictionary(
        path,
        fc.string({ minLength: 3 }).map((text) => `MARK${text}`),
      ),
      (files) => {
        for (const { command } of setUpOf(files)) expect(command).not.toMatch(/MARK|\$\(|it's|a b/);
      },
    ),
  );
});
