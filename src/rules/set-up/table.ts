import type { SetUpStep } from './set-up.ts';

/** The files of one folder of a project that tell of its set-up. */
export interface Here {
  readonly has: (name: string) => boolean;
  /** Empty where there is none. */
  readonly text: (name: string) => string;
  readonly names: readonly string[];
}

type Install = Pick<SetUpStep, 'tool' | 'command'> & Partial<Pick<SetUpStep, 'env' | 'setUpEnv' | 'path'>>;

/** Tools that read the same files. */
interface Ecosystem {
  /** Names of the files that it is found by; `*` stands for any characters. They decide, too. */
  readonly finds: readonly string[];
  /** Files that change what is installed. */
  readonly decides: readonly string[];
  /** A folder with one of these is set up by itself, also below another that is. */
  readonly locks: readonly string[];
  /** Null where there is nothing to install. */
  readonly install: (here: Here) => Install | null;
}

const TOOL_VERSIONS = ['.tool-versions', 'mise.toml', '.mise.toml'];

/** Where several lock files are, `packageManager` of package.json decides, else this order. */
const NODE_LOCKS = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
] as const;

const NPM_CACHE = { npm_config_cache: '{cache}/npm' };

/** By manager. What is installed is copied out of shared stores: a check could change them through a link. */
const NODE: Readonly<Record<string, (here: Here) => Install>> = {
  npm: () => ({
    tool: 'npm',
    command: 'npm ci --no-audit --no-fund --no-progress',
    setUpEnv: NPM_CACHE,
  }),
  pnpm: () => ({
    tool: 'pnpm',
    command: 'pnpm install --frozen-lockfile',
    setUpEnv: { npm_config_store_dir: '{cache}/pnpm', npm_config_package_import_method: 'clone-or-copy' },
  }),
  bun: () => ({
    tool: 'bun',
    command: 'bun install --frozen-lockfile',
    setUpEnv: { BUN_INSTALL_CACHE_DIR: '{cache}/bun', BUN_INSTALL_BACKEND: 'copyfile' },
  }),
  yarn: (here) => {
    const isClassic =
      !here.has('.yarnrc.yml') &&
      !/^__metadata:/m.test(here.text('yarn.lock')) &&
      !/"yarn@[2-9]/.test(here.text(MANIFEST));
    return isClassic
      ? {
          tool: 'yarn',
          command: 'yarn install --frozen-lockfile --non-interactive --no-progress',
          setUpEnv: { YARN_CACHE_FOLDER: '{cache}/yarn' },
        }
      : // Its packages may be used where the cache has them: in the project, as it is for those who commit them.
        { tool: 'yarn', command: 'yarn install --immutable', env: { YARN_ENABLE_GLOBAL_CACHE: 'false' } };
  },
};

const MANIFEST = 'package.json';

function installNode(here: Here): Install | null {
  if (!here.has(MANIFEST)) return null;
  const locked = NODE_LOCKS.filter(([lock]) => here.has(lock)).map(([, manager]) => manager);
  const [, named] = /"packageManager"\s*:\s*"(npm|pnpm|yarn|bun)@/.exec(here.text(MANIFEST)) ?? [];
  const manager = locked.find((one) => one === named) ?? locked[0];
  if (manager !== undefined) return NODE[manager]?.(here) ?? null;
  // Without a lock file: what the manifest asks for, as it is today.
  if (!/"(?:dependencies|devDependencies|workspaces)"\s*:\s*[{[]\s*["{[]/.test(here.text(MANIFEST))) return null;
  if (named === 'pnpm' || named === 'bun' || named === 'yarn') return { tool: named, command: `${named} install` };
  return {
    tool: 'npm',
    command: 'npm install --no-package-lock --no-audit --no-fund --no-progress',
    setUpEnv: NPM_CACHE,
  };
}

const PYPROJECT = 'pyproject.toml';
/** Files of requirements that are installed together, where they are there. */
const REQUIREMENTS = [
  'requirements.txt',
  'requirements-dev.txt',
  'requirements_dev.txt',
  'dev-requirements.txt',
  'requirements-test.txt',
  'requirements-tests.txt',
  'test-requirements.txt',
];
/** Extras with the tools of developers, by their usual names. */
const EXTRAS = ['dev', 'test', 'tests', 'testing'];
const VENV = ['.venv/bin'];

function installPython(here: Here): Install | null {
  if (here.has('uv.lock'))
    return {
      tool: 'uv',
      command: 'uv sync --frozen',
      env: { UV_PYTHON_INSTALL_DIR: '{deps}/python' },
      setUpEnv: { UV_CACHE_DIR: '{cache}/uv', UV_LINK_MODE: 'copy' },
      path: VENV,
    };
  if (here.has('poetry.lock'))
    return {
      tool: 'poetry',
      command: 'poetry install --no-interaction --no-ansi',
      env: { POETRY_VIRTUALENVS_IN_PROJECT: 'true' },
      setUpEnv: { POETRY_CACHE_DIR: '{cache}/poetry' },
      path: VENV,
    };
  const asked = REQUIREMENTS.filter(here.has).map((name) => `-r ${name}`);
  const project = here.text(PYPROJECT);
  const isPackage = here.has('setup.py') || /^\[project\]/m.test(project);
  const extras = EXTRAS.filter((name) => new RegExp(`^${name}\\s*=\\s*\\[`, 'm').test(extrasIn(project)));
  const own = isPackage ? [extras.length === 0 ? '-e .' : `-e '.[${extras.join(',')}]'`] : [];
  const all = [...asked, ...own];
  if (all.length === 0) return null;
  return {
    tool: 'pip',
    command: `python3 -m venv .venv && .venv/bin/python -m pip install --quiet --disable-pip-version-check ${all.join(' ')}`,
    setUpEnv: { PIP_CACHE_DIR: '{cache}/pip' },
    path: VENV,
  };
}

function extrasIn(project: string): string {
  return (
    /^\[project\.optional-dependencies\]\s*$([\s\S]*?)(?=^\[(?!\[)[\w.-]+\]\s*$|$(?![\s\S]))/m.exec(project)?.[1] ?? ''
  );
}

const MAVEN = 'dependency:go-offline';

/** What installs the dependencies of a project. Source: the documentation of each tool. */
export const ECOSYSTEMS: readonly Ecosystem[] = [
  {
    finds: [MANIFEST, ...NODE_LOCKS.map(([lock]) => lock)],
    decides: [
      ...['.npmrc', '.yarnrc', '.yarnrc.yml', 'pnpm-workspace.yaml', '.pnpmfile.cjs', 'bunfig.toml'],
      // Scripts of packages read them when they are installed.
      ...['.nvmrc', '.node-version', ...TOOL_VERSIONS, 'patches/*.patch', 'prisma/schema.prisma'],
    ],
    locks: NODE_LOCKS.map(([lock]) => lock),
    install: installNode,
  },
  {
    finds: [PYPROJECT, 'setup.py', 'uv.lock', 'poetry.lock', ...REQUIREMENTS],
    decides: [
      'setup.cfg',
      'requirements*.txt',
      'constraints*.txt',
      'uv.toml',
      'poetry.toml',
      '.python-version',
      ...TOOL_VERSIONS,
    ],
    locks: ['uv.lock', 'poetry.lock', 'requirements.txt'],
    install: installPython,
  },
  {
    finds: ['Gemfile', 'Gemfile.lock'],
    decides: ['*.gemspec', '.ruby-version', '.bundle/config', ...TOOL_VERSIONS],
    locks: ['Gemfile.lock'],
    install: (here) =>
      here.has('Gemfile')
        ? {
            tool: 'bundler',
            command: 'bundle install --quiet',
            env: { BUNDLE_PATH: '{deps}/bundle', ...(here.has('Gemfile.lock') ? { BUNDLE_FROZEN: 'true' } : {}) },
          }
        : null,
  },
  {
    finds: ['composer.json', 'composer.lock'],
    decides: ['auth.json'],
    locks: ['composer.lock'],
    install: (here) =>
      here.has('composer.json')
        ? {
            tool: 'composer',
            command: 'composer install --no-interaction --no-progress --prefer-dist',
            setUpEnv: { COMPOSER_CACHE_DIR: '{cache}/composer' },
          }
        : null,
  },
  {
    finds: ['Cargo.toml', 'Cargo.lock'],
    decides: ['.cargo/config.toml', '.cargo/config', 'rust-toolchain', 'rust-toolchain.toml', ...TOOL_VERSIONS],
    locks: ['Cargo.lock'],
    install: (here) =>
      here.has('Cargo.toml')
        ? {
            tool: 'cargo',
            command: `cargo fetch --quiet${here.has('Cargo.lock') ? ' --locked' : ''}`,
            env: { CARGO_HOME: '{deps}/cargo' },
          }
        : null,
  },
  {
    finds: ['go.mod', 'go.work', 'vendor/modules.txt'],
    decides: ['go.sum', 'go.work.sum', ...TOOL_VERSIONS],
    locks: ['go.mod'],
    install: (here) =>
      here.has('go.mod')
        ? {
            tool: 'go',
            command:
              /^require\b/m.test(here.text('go.mod')) && !here.has('vendor/modules.txt') ? 'go mod download' : 'true',
            env: { GOMODCACHE: '{deps}/go/mod', GOCACHE: '{deps}/go/build', GOFLAGS: '-modcacherw' },
          }
        : null,
  },
  {
    finds: ['mix.exs', 'mix.lock'],
    decides: TOOL_VERSIONS,
    locks: ['mix.lock'],
    install: (here) =>
      here.has('mix.exs')
        ? {
            tool: 'mix',
            command: `mix local.hex --force --if-missing && mix local.rebar --force --if-missing && mix deps.get${here.has('mix.lock') ? ' --check-locked' : ''}`,
            env: { MIX_HOME: '{deps}/mix', HEX_HOME: '{deps}/hex' },
          }
        : null,
  },
  {
    finds: ['pom.xml', 'mvnw'],
    decides: ['.mvn/maven.config', '.mvn/extensions.xml', '.mvn/wrapper/maven-wrapper.properties', ...TOOL_VERSIONS],
    locks: [],
    install: (here) =>
      here.has('pom.xml')
        ? {
            tool: 'maven',
            command: `${here.has('mvnw') ? 'sh ./mvnw' : 'mvn'} -B -q ${MAVEN}`,
            env: { MAVEN_OPTS: '-Dmaven.repo.local={deps}/maven', MAVEN_USER_HOME: '{deps}/maven-home' },
          }
        : null,
  },
  {
    finds: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts', 'gradlew'],
    decides: [
      ...[
        'gradle.properties',
        'gradle.lockfile',
        'gradle/libs.versions.toml',
        'gradle/wrapper/gradle-wrapper.properties',
      ],
      ...TOOL_VERSIONS,
    ],
    locks: [],
    install: (here) =>
      here.names.some((name) => /^(build|settings)\.gradle/.test(name))
        ? {
            tool: 'gradle',
            command: `${here.has('gradlew') ? 'sh ./gradlew' : 'gradle'} --no-daemon --quiet dependencies`,
            env: { GRADLE_USER_HOME: '{deps}/gradle' },
          }
        : null,
  },
  {
    finds: ['*.sln', '*.slnx', '*.csproj', '*.fsproj', 'packages.lock.json'],
    decides: ['Directory.Build.props', 'Directory.Packages.props', 'global.json', 'NuGet.config', 'nuget.config'],
    locks: [],
    install: (here) =>
      here.names.some((name) => /\.(slnx?|csproj|fsproj)$/.test(name))
        ? {
            tool: 'dotnet',
            command: `dotnet restore${here.has('packages.lock.json') ? ' --locked-mode' : ''}`,
            env: { NUGET_PACKAGES: '{deps}/nuget', DOTNET_CLI_HOME: '{deps}/dotnet', DOTNET_NOLOGO: '1' },
          }
        : null,
  },
];
