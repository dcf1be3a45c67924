import type { Family, Folder } from './folder.ts';

const BUILDS = ['*.sln', '*.slnx', '*.csproj', '*.fsproj', '*.vbproj'];
const GRADLE_BUILDS = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];

/** Resolves every configuration of every project without compiling: a tree that does not compile is no failed set-up. */
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
    // Even without dependencies tests need the loader that it writes.
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
    // A lock file that names no source has nothing from outside.
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
      // Else no one can delete the folder without changing rights first.
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
    // What runs the tests is known only when they are run, so one is asked for that does not exist. A tree that does
    // not compile is no failed set-up (`-fn`), but a model that cannot be built is (`validate`).
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
    'gradlew',
    'gradle/wrapper/gradle-wrapper.properties',
    'gradle.lockfile',
    'gradle.properties',
  ],
  upward: ['.java-version', '.sdkmanrc', ...TOOLS],
  members: [
    ...['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts', 'gradle.lockfile'],
    ...['*.gradle', '*.gradle.kts', 'libs.versions.toml', 'verification-metadata.xml'],
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
  own: [...BUILDS],
  upward: [
    ...['global.json', 'nuget.config', 'NuGet.config', 'NuGet.Config'],
    ...['Directory.Build.props', 'Directory.Build.targets', 'Directory.Packages.props'],
  ],
  members: [
    '*.csproj',
    '*.fsproj',
    '*.vbproj',
    'packages.lock.json',
    'Directory.Build.props',
    'Directory.Packages.props',
  ],
  find(folder) {
    const solution = ['*.slnx', '*.sln'].find((name) => folder.has(name));
    const kinds = solution === undefined ? BUILDS.slice(2).filter((name) => folder.has(name)) : [solution];
    if (kinds.length === 0) return null;
    const locked = isLocked(folder);
    const restore = `dotnet restore "$one" --verbosity quiet${locked ? ' --locked-mode' : ''}`;
    return {
      tool: 'dotnet',
      locked,
      // Several beside each other: without a name `dotnet restore` refuses.
      command: `for one in ${kinds.map((kind) => `./${kind}`).join(' ')}; do ${restore} || exit 1; done`,
      env: { NUGET_PACKAGES: '{deps}/nuget', DOTNET_NOLOGO: '1', DOTNET_CLI_TELEMETRY_OPTOUT: '1' },
      setUpEnv: { NUGET_HTTP_CACHE_PATH: '{cache}/nuget' },
    };
  },
};

/** Only when every project has a lock file: the mode fails for one without. */
function isLocked(folder: Folder): boolean {
  const projects = folder.members('*.csproj', '*.fsproj', '*.vbproj');
  const locks = new Set(folder.members('packages.lock.json').map(folderOf));
  return projects.every((project) => locks.has(folderOf(project)));
}

function folderOf(path: string): string {
  return path.split('/').slice(0, -1).join('/');
}

export const LANGUAGES: readonly Family[] = [RUBY, PHP, RUST, GO, ELIXIR, MAVEN, GRADLE, DOTNET];
