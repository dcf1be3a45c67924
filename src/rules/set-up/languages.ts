import { words } from '../text/index.ts';
import { type Family, type Folder, type Found, joined } from './folder.ts';

const BUILDS = ['*.sln', '*.slnx', '*.csproj', '*.fsproj', '*.vbproj'];
const GRADLE_BUILDS = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];

/** Resolves every configuration of every project without compiling: failing to compile is not a failed set-up. */
const GRADLE_SCRIPT = [
  'allprojects { p -> p.tasks.register("everyDependency") { doLast {',
  '(p.buildscript.configurations + p.configurations).findAll { it.canBeResolved }.each {',
  'it.incoming.artifactView { lenient(true) }.files.files } } } }',
].join(' ');

const TOOLS = ['.tool-versions', 'mise.toml', '.mise.toml'];

const RUBY: Family = {
  own: ['Gemfile', 'Gemfile.lock', 'gems.rb', 'gems.locked', '*.gemspec', '.bundle/config'],
  upward: ['.ruby-version', ...TOOLS],
  members: [],
  find(folder) {
    if (!folder.has('Gemfile', 'gems.rb')) return null;
    const locked = folder.has('Gemfile.lock', 'gems.locked');
    return {
      tool: 'bundler',
      locked,
      command: 'bundle install --quiet',
      env: { BUNDLE_PATH: '{deps}/bundle', ...(locked ? { BUNDLE_FROZEN: 'true' } : {}) },
      setUpEnv: { BUNDLE_GLOBAL_GEM_CACHE: 'true', BUNDLE_USER_CACHE: '{cache}/bundle' },
    };
  },
};

const PHP: Family = {
  own: ['composer.json', 'composer.lock', 'vendor/composer/installed.json'],
  upward: ['.php-version', ...TOOLS],
  members: [],
  find(folder) {
    // Even without dependencies, tests need the loader that Composer writes.
    if (!folder.has('composer.json') || folder.has('vendor/composer/installed.json')) return null;
    return {
      tool: 'composer',
      locked: folder.has('composer.lock'),
      command: 'composer install --no-interaction --prefer-dist --no-progress',
      env: { COMPOSER_ALLOW_SUPERUSER: '1' },
      setUpEnv: { COMPOSER_CACHE_DIR: '{cache}/composer', COMPOSER_NO_AUDIT: '1' },
    };
  },
};

const RUST: Family = {
  own: ['Cargo.lock', 'Cargo.toml'],
  upward: ['rust-toolchain', 'rust-toolchain.toml', '.cargo/config.toml', '.cargo/config', ...TOOLS],
  members: ['Cargo.toml'],
  find(folder) {
    if (!folder.has('Cargo.toml')) return null;
    const locked = folder.has('Cargo.lock');
    // A lock file that names no source has no external packages.
    if (locked && !/^source = /m.test(folder.text('Cargo.lock'))) return null;
    return {
      tool: 'cargo',
      locked,
      command: `cargo fetch --quiet${locked ? ' --locked' : ''}`,
      env: { CARGO_HOME: '{deps}/cargo' },
    };
  },
};

const GO: Family = {
  own: ['go.mod', 'go.sum', 'go.work', 'go.work.sum', 'vendor/modules.txt'],
  upward: ['go.work', 'go.work.sum', ...TOOLS],
  members: [],
  find(folder) {
    if (!folder.has('go.mod', 'go.work') || folder.has('vendor/modules.txt')) return null;
    const needs = /^[ \t]*(?:require|tool)\b/m.test(folder.text('go.mod'));
    if (!needs && !folder.has('go.sum', 'go.work')) return null;
    return {
      tool: 'go',
      locked: folder.has('go.sum'),
      command: 'go mod download',
      // Otherwise the folder cannot be deleted without changing permissions first.
      env: { GOMODCACHE: '{deps}/go/mod', GOCACHE: '{deps}/go/build', GOFLAGS: '-modcacherw' },
      extra: folder.has('go.work') ? folder.members('go.mod', 'go.sum') : [],
    };
  },
};

const ELIXIR: Family = {
  own: ['mix.exs', 'mix.lock'],
  upward: TOOLS,
  members: ['mix.exs'],
  find(folder) {
    if (!folder.has('mix.exs')) return null;
    const locked = folder.has('mix.lock');
    const tools = 'mix local.hex --force --if-missing && mix local.rebar --force --if-missing';
    return {
      tool: 'mix',
      locked,
      command: `${tools} && mix deps.get${locked ? ' --check-locked' : ''}`,
      env: { MIX_HOME: '{deps}/mix', HEX_HOME: '{deps}/hex' },
    };
  },
};

const MAVEN: Family = {
  own: ['pom.xml', 'mvnw', '.mvn/*', '.mvn/wrapper/*'],
  upward: ['.java-version', '.sdkmanrc', ...TOOLS],
  members: ['pom.xml'],
  find(folder) {
    if (!folder.has('pom.xml')) return null;
    const maven = folder.has('mvnw') ? 'sh ./mvnw' : 'mvn';
    // Maven determines the test runner only when tests run, so a nonexistent test is requested. A tree that does not
    // compile is not a failed set-up (`-fn`), but a model that cannot be built is (`validate`).
    const none = '-Dtest=NoTestOfThisName -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false';
    return {
      tool: 'maven',
      locked: false,
      command: `${maven} -B -q validate && ${maven} -B -q -fn ${none} test`,
      env: { MAVEN_OPTS: '-Dmaven.repo.local={deps}/maven', MAVEN_USER_HOME: '{deps}/maven-home' },
    };
  },
};

const GRADLE: Family = {
  own: [
    ...GRADLE_BUILDS,
    ...words('gradlew gradle/wrapper/gradle-wrapper.properties gradle.lockfile gradle.properties'),
  ],
  upward: ['.java-version', '.sdkmanrc', ...TOOLS],
  members: [
    ...GRADLE_BUILDS,
    ...words('gradle.lockfile *.gradle *.gradle.kts libs.versions.toml verification-metadata.xml'),
  ],
  find(folder) {
    if (!folder.has(...GRADLE_BUILDS)) return null;
    const gradle = folder.has('gradlew') ? 'sh ./gradlew' : 'gradle';
    const script = '"$GRADLE_USER_HOME/every-dependency.gradle"';
    const off = '-Dorg.gradle.configuration-cache=false -Dorg.gradle.unsafe.configuration-cache=false';
    return {
      tool: 'gradle',
      locked: false,
      command: [
        'mkdir -p "$GRADLE_USER_HOME"',
        `printf '%s\\n' '${GRADLE_SCRIPT}' > ${script}`,
        `${gradle} --no-daemon -q ${off} -I ${script} everyDependency`,
      ].join(' && '),
      env: { GRADLE_USER_HOME: '{deps}/gradle' },
    };
  },
};

const DOTNET: Family = {
  own: BUILDS,
  upward: words(
    'global.json nuget.config NuGet.config NuGet.Config Directory.Build.props Directory.Build.targets Directory.Packages.props',
  ),
  members: words('*.csproj *.fsproj *.vbproj packages.lock.json Directory.Build.props Directory.Packages.props'),
  find(folder) {
    const solution = ['*.slnx', '*.sln'].find((name) => folder.has(name));
    const kinds = solution === undefined ? BUILDS.slice(2).filter((name) => folder.has(name)) : [solution];
    if (kinds.length === 0) return null;
    const locked = isLocked(folder);
    const restore = `dotnet restore "$one" --verbosity quiet${locked ? ' --locked-mode' : ''}`;
    return {
      tool: 'dotnet',
      locked,
      // Several in one folder: without a name `dotnet restore` refuses.
      command: `for one in ${kinds.map((kind) => `./${kind}`).join(' ')}; do ${restore} || exit 1; done`,
      env: { NUGET_PACKAGES: '{deps}/nuget', DOTNET_NOLOGO: '1', DOTNET_CLI_TELEMETRY_OPTOUT: '1' },
      setUpEnv: { NUGET_HTTP_CACHE_PATH: '{cache}/nuget' },
    };
  },
};

/** Only when every project has a lock file: the mode fails for a project without one. */
function isLocked(folder: Folder): boolean {
  const projects = folder.members('*.csproj', '*.fsproj', '*.vbproj');
  const locks = new Set(folder.members('packages.lock.json').map(folderOf));
  return projects.every((project) => locks.has(folderOf(project)));
}

function folderOf(path: string): string {
  return path.split('/').slice(0, -1).join('/');
}

export const LANGUAGES: readonly Family[] = [RUBY, PHP, RUST, GO, ELIXIR, MAVEN, GRADLE, DOTNET];

const PROJECT = 'pyproject.toml';

/** Requirement lists for checks, if the project has them. They name a lock of versions (`constraints.txt`). */
const LISTS: readonly string[] = [
  'requirements.txt',
  ...['dev', 'test', 'tests', 'testing', 'ci', 'lint'].flatMap((use) => [
    `requirements-${use}.txt`,
    `requirements_${use}.txt`,
    `${use}-requirements.txt`,
    `${use}_requirements.txt`,
    `requirements/${use}.txt`,
  ]),
];
/** Used when none of {@link LISTS} exists. */
const OTHER_LISTS: readonly string[] = ['requirements/requirements.txt', 'requirements/base.txt'];

/** Extras and groups that checks may need. */
const FOR_CHECKS = ['dev', 'develop', 'development', 'test', 'tests', 'testing', 'lint', 'typing'];

const OTHER_TOOLS = ['pdm.lock', 'Pipfile', 'Pipfile.lock', 'pixi.lock'];

const VENV = { path: ['.venv/bin'] } as const;

export const PYTHON: Family = {
  own: [
    PROJECT,
    ...words('setup.py setup.cfg uv.lock uv.toml poetry.lock poetry.toml pip.conf'),
    ...words('requirements*.txt *requirements.txt requirements/*.txt constraints*.txt'),
    ...OTHER_TOOLS,
  ],
  upward: ['.python-version', '.tool-versions', 'mise.toml', '.mise.toml'],
  members: [PROJECT],
  find(folder) {
    if (folder.has('uv.lock') && folder.has(PROJECT)) return UV;
    if (folder.has('poetry.lock') && folder.has(PROJECT)) return poetry(true);
    // Locks of other tools (pdm, pipenv) are left to those tools: the user configures the set-up.
    if (folder.has(...OTHER_TOOLS)) return null;
    const sections = sectionsOf(folder);
    if (sections.has('tool.poetry')) return poetry(false);
    return pip(folder, sections);
  },
};

const UV: Found = {
  ...VENV,
  tool: 'uv',
  locked: true,
  command: 'uv sync --frozen --no-progress',
  env: { UV_NO_SYNC: '1', UV_PYTHON_INSTALL_DIR: '{deps}/uv/python' },
  // A copy: through a link, a check could write into the cache.
  setUpEnv: { UV_CACHE_DIR: '{cache}/uv', UV_LINK_MODE: 'copy' },
};

function poetry(locked: boolean): Found {
  return {
    ...VENV,
    tool: 'poetry',
    locked,
    command: 'poetry install --no-interaction --no-ansi',
    env: { POETRY_VIRTUALENVS_CREATE: 'true', POETRY_VIRTUALENVS_IN_PROJECT: 'true' },
    setUpEnv: { POETRY_CACHE_DIR: '{cache}/poetry' },
  };
}

function pip(folder: Folder, sections: ReadonlyMap<string, string>): Found | null {
  const first = LISTS.filter((name) => folder.has(name));
  const lists = first.length > 0 ? first : OTHER_LISTS.filter((name) => folder.has(name)).slice(0, 1);
  const groups = FOR_CHECKS.filter((name) => keysOf(sections.get('dependency-groups')).has(name));
  // Next to a requirements list, `[project]` alone is often only a name: many such folders cannot be built.
  const built = sections.has('project') && (sections.has('build-system') || lists.length === 0);
  const isPackage = built || folder.has('setup.py');
  const wanted = [
    ...(isPackage ? [`-e '.${extrasOf(folder, sections)}'`] : []),
    ...lists.map((name) => `-r ${name}`),
    ...groups.map((name) => `--group ${name}`),
  ];
  if (wanted.length === 0) return null;
  const install = '.venv/bin/python -m pip install -q';
  return {
    ...VENV,
    tool: 'pip',
    locked: false,
    // The pip of older Python versions does not know groups.
    command: `python3 -m venv .venv${groups.length > 0 ? ` && ${install} -U pip` : ''} && ${install} ${wanted.join(' ')}`,
    setUpEnv: { PIP_CACHE_DIR: '{cache}/pip', PIP_NO_INPUT: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1' },
    extra: referenced(folder, lists),
  };
}

/** `[dev,test]`, limited to the extras that the project has. */
function extrasOf(folder: Folder, sections: ReadonlyMap<string, string>): string {
  const cfg = /^\[options\.extras_require\]([\s\S]*?)(?=^\[|$(?![\s\S]))/m.exec(folder.text('setup.cfg'))?.[1];
  const has = new Set([...keysOf(sections.get('project.optional-dependencies')), ...keysOf(cfg)]);
  const extras = FOR_CHECKS.filter((name) => has.has(name));
  return extras.length === 0 ? '' : `[${extras.join(',')}]`;
}

function sectionsOf(folder: Folder): ReadonlyMap<string, string> {
  const sections = new Map<string, string>();
  let at = '';
  for (const line of folder.text(PROJECT).split(/\r?\n/)) {
    const name = /^\[([\w.-]+)\][ \t]*(?:#.*)?$/.exec(line)?.[1];
    at = name ?? at;
    sections.set(at, name === undefined ? `${sections.get(at) ?? ''}${line}\n` : '');
  }
  return sections;
}

function keysOf(section = ''): ReadonlySet<string> {
  return new Set([...section.matchAll(/^["']?([\w-]+)["']?[ \t]*=/gm)].map(([, key = '']) => key));
}

/** Files that the lists name (`-r base.txt`, `-c ../constraints.txt`), directly or through each other. */
function referenced(folder: Folder, lists: readonly string[]): readonly string[] {
  const found = new Set(lists);
  for (const name of found) {
    const base = name.split('/').slice(0, -1).join('/');
    for (const [, file = ''] of folder
      .text(name)
      .matchAll(/^(?:-[rc]|--(?:requirement|constraint))[ \t=]*([^\s#]+)/gm)) {
      const path = joined(base, file);
      // Above the folder, so relative to it.
      found.add(path ?? [base, file].filter(Boolean).join('/'));
    }
  }
  return [...found];
}
