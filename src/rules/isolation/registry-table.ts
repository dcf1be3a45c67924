/** What the client of an ecosystem talks to, and how files of a project tell of it. */
export interface Ecosystem {
  readonly name: string;
  /** Names of files that tell that it is used; `*` stands for any characters. */
  readonly files: readonly string[];
  /** Public hosts: index, downloads and what the client is redirected to. */
  readonly hosts: readonly string[];
  /** Variables of the person that name another registry; `*` as in files, small and capital letters alike. */
  readonly variables: readonly string[];
}

/**
 * No host here takes what an agent wants to say to others: not the APIs of code hosts (`api.github.com`), where one can
 * open issues, write gists and push. What hands out archives and takes nothing may be here (`codeload.github.com`).
 */
export const ECOSYSTEMS: readonly Ecosystem[] = [
  {
    name: 'npm',
    files: [
      'package.json',
      'package-lock.json',
      'npm-shrinkwrap.json',
      '.npmrc',
      'pnpm-workspace.yaml',
      'pnpm-lock.yaml',
      'bunfig.toml',
      'bun.lock',
    ],
    // nodejs.org: headers for packages that are compiled when installed.
    hosts: ['registry.npmjs.org', 'nodejs.org'],
    variables: ['npm_config_registry', 'npm_config_@*:registry', 'COREPACK_NPM_REGISTRY', 'BUN_CONFIG_REGISTRY'],
  },
  {
    name: 'yarn',
    files: ['yarn.lock', '.yarnrc', '.yarnrc.yml'],
    hosts: ['registry.yarnpkg.com', 'registry.npmjs.org', 'repo.yarnpkg.com', 'nodejs.org'],
    variables: ['YARN_REGISTRY', 'YARN_NPM_REGISTRY_SERVER'],
  },
  {
    name: 'deno',
    files: ['deno.json', 'deno.jsonc', 'deno.lock'],
    hosts: ['jsr.io', 'npm.jsr.io', 'deno.land', 'registry.npmjs.org'],
    variables: ['JSR_URL', 'NPM_CONFIG_REGISTRY'],
  },
  {
    name: 'pypi',
    files: [
      'pyproject.toml',
      'requirements*.txt',
      'requirements*.in',
      'setup.py',
      'setup.cfg',
      'Pipfile',
      'Pipfile.lock',
      'uv.lock',
      'uv.toml',
      'poetry.lock',
      'pdm.lock',
      'pip.conf',
      'tox.ini',
    ],
    hosts: ['pypi.org', 'files.pythonhosted.org'],
    variables: [
      'PIP_INDEX_URL',
      'PIP_EXTRA_INDEX_URL',
      'PIP_FIND_LINKS',
      'UV_INDEX',
      'UV_INDEX_URL',
      'UV_DEFAULT_INDEX',
      'UV_EXTRA_INDEX_URL',
      'PDM_PYPI_URL',
      'PIPENV_PYPI_MIRROR',
    ],
  },
  {
    name: 'conda',
    files: ['environment.yml', 'environment.yaml', 'conda-lock.yml', 'pixi.toml', 'pixi.lock'],
    hosts: ['conda.anaconda.org', 'repo.anaconda.com', 'repo.prefix.dev'],
    variables: ['CONDA_CHANNEL_ALIAS'],
  },
  {
    name: 'cargo',
    files: ['Cargo.toml', 'Cargo.lock', '.cargo/config.toml', '.cargo/config'],
    hosts: ['index.crates.io', 'static.crates.io', 'crates.io'],
    variables: ['CARGO_REGISTRIES_*_INDEX'],
  },
  {
    name: 'rustup',
    files: ['rust-toolchain', 'rust-toolchain.toml'],
    hosts: ['static.rust-lang.org'],
    variables: ['RUSTUP_DIST_SERVER', 'RUSTUP_UPDATE_ROOT'],
  },
  {
    name: 'go',
    files: ['go.mod', 'go.sum', 'go.work'],
    hosts: ['proxy.golang.org', 'sum.golang.org'],
    variables: ['GOPROXY', 'GOSUMDB'],
  },
  {
    name: 'rubygems',
    files: ['Gemfile', 'Gemfile.lock', 'gems.rb', 'gems.locked', '*.gemspec'],
    hosts: ['rubygems.org', 'index.rubygems.org'],
    variables: ['BUNDLE_MIRROR__*', 'RUBYGEMS_HOST'],
  },
  {
    name: 'packagist',
    files: ['composer.json', 'composer.lock'],
    // Packages are archives of their repositories. Composer asks `api.github.com` for most of them, which a person has to
    // allow; a mirror or an archive's own address (codeload) does without.
    hosts: ['repo.packagist.org', 'packagist.org', 'codeload.github.com'],
    variables: [],
  },
  {
    name: 'maven',
    files: [
      'pom.xml',
      '.mvn/settings.xml',
      'settings.xml',
      '.mvn/wrapper/maven-wrapper.properties',
      'build.sbt',
      'deps.edn',
      'project.clj',
      'build.sc',
    ],
    hosts: ['repo.maven.apache.org', 'repo1.maven.org', 'repo.clojars.org'],
    variables: ['MVNW_REPOURL'],
  },
  {
    name: 'gradle',
    files: [
      'build.gradle',
      'build.gradle.kts',
      'settings.gradle',
      'settings.gradle.kts',
      'gradle/wrapper/gradle-wrapper.properties',
    ],
    hosts: [
      'repo.maven.apache.org',
      'repo1.maven.org',
      'plugins.gradle.org',
      'plugins-artifacts.gradle.org',
      'services.gradle.org',
      'downloads.gradle.org',
    ],
    variables: [],
  },
  {
    name: 'nuget',
    files: [
      '*.csproj',
      '*.fsproj',
      '*.vbproj',
      '*.sln',
      'nuget.config',
      'NuGet.config',
      'NuGet.Config',
      'Directory.Packages.props',
      'packages.config',
    ],
    hosts: ['api.nuget.org', 'www.nuget.org', 'globalcdn.nuget.org'],
    variables: [],
  },
  {
    name: 'hex',
    files: ['mix.exs', 'mix.lock', 'rebar.config', 'rebar.lock', 'gleam.toml'],
    hosts: ['repo.hex.pm', 'builds.hex.pm', 'hex.pm'],
    variables: ['HEX_MIRROR', 'HEX_API_URL', 'HEX_BUILDS_URL', 'HEX_CDN'],
  },
  {
    name: 'pub',
    files: ['pubspec.yaml', 'pubspec.lock'],
    hosts: ['pub.dev', 'pub.dartlang.org'],
    variables: ['PUB_HOSTED_URL', 'FLUTTER_STORAGE_BASE_URL'],
  },
  {
    name: 'hackage',
    files: ['stack.yaml', 'cabal.project', '*.cabal', 'package.yaml'],
    hosts: ['hackage.haskell.org', 'casa.stackage.org', 'www.stackage.org'],
    variables: [],
  },
  { name: 'cocoapods', files: ['Podfile', 'Podfile.lock'], hosts: ['cdn.cocoapods.org'], variables: [] },
  {
    name: 'julia',
    files: ['Project.toml', 'Manifest.toml'],
    hosts: ['pkg.julialang.org'],
    variables: ['JULIA_PKG_SERVER'],
  },
  {
    name: 'cran',
    files: ['renv.lock', 'DESCRIPTION'],
    hosts: ['cloud.r-project.org', 'cran.r-project.org'],
    variables: [],
  },
  {
    name: 'cpan',
    files: ['cpanfile', 'Makefile.PL', 'dist.ini'],
    hosts: ['www.cpan.org', 'cpan.metacpan.org', 'fastapi.metacpan.org'],
    variables: [],
  },
  { name: 'luarocks', files: ['*.rockspec'], hosts: ['luarocks.org'], variables: [] },
  { name: 'elm', files: ['elm.json'], hosts: ['package.elm-lang.org'], variables: [] },
  { name: 'opam', files: ['*.opam', 'dune-project'], hosts: ['opam.ocaml.org'], variables: [] },
  { name: 'conan', files: ['conanfile.py', 'conanfile.txt'], hosts: ['center2.conan.io'], variables: [] },
  {
    name: 'terraform',
    files: ['.terraform.lock.hcl', '*.tf'],
    hosts: ['registry.terraform.io', 'releases.hashicorp.com'],
    variables: [],
  },
];

/**
 * Where files name registries of their own: every first group of `address` (every match, where it has none), in the
 * parts of a file between `begin` and `end` where these are given. Addresses that are only mentioned (home pages, the
 * place to publish to) are none. Agents can write these files: every expression takes linear time.
 */
export interface OwnRegistries {
  readonly files: readonly string[];
  readonly begin?: RegExp;
  readonly end?: RegExp;
  readonly address: RegExp;
}

const GRADLE = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];
const TOML_SECTION = /^\[/gm;
const NEXT_KEY = /^\S/gm;
const ANY_URL = /https?:[^\s"'<>]+/g;

export const OWN_REGISTRIES: readonly OwnRegistries[] = [
  { files: ['.npmrc'], address: /^[ \t]*(?:@[^\s:=]+:)?registry[ \t]*=[ \t]*["']?(https?:[^\s"']+)/gm },
  { files: ['pnpm-workspace.yaml'], address: /^registry:[ \t]*["']?(https?:[^\s"']+)/gm },
  { files: ['pnpm-workspace.yaml'], begin: /^registries:/gm, end: NEXT_KEY, address: ANY_URL },
  { files: ['.yarnrc.yml'], address: /^[ \t]*npmRegistryServer:[ \t]*["']?(https?:[^\s"']+)/gm },
  { files: ['.yarnrc'], address: /^"?(?:@[^\s:]+:)?registry"?[ \t]+"?(https?:[^\s"]+)/gm },
  { files: ['package-lock.json', 'npm-shrinkwrap.json'], address: /"resolved": ?"(https?:[^"]+)"/g },
  { files: ['yarn.lock'], address: /^ {2}resolved "(https?:[^"]+)"/gm },
  { files: ['bunfig.toml'], begin: /^\[install(?:\.scopes)?\]/gm, end: TOML_SECTION, address: ANY_URL },
  {
    files: ['pyproject.toml', 'uv.toml', 'Pipfile', 'poetry.lock'],
    begin: /^\[\[?(?:tool\.\w+\.|package\.)?(?:index|source)\]/gm,
    end: TOML_SECTION,
    address: /^[ \t]*url[ \t]*=[ \t]*["'](https?:[^"'\n]+)/gm,
  },
  {
    files: ['pyproject.toml', 'uv.toml'],
    address: /^[ \t]*(?:default-|extra-)?index(?:-url)?[ \t]*=[ \t]*(?:\[\s*)?["'](https?:[^"'\n]+)/gm,
  },
  {
    files: ['requirements*.txt', 'requirements*.in', 'tox.ini'],
    address: /(?<![\w-])(?:-i|-f|--(?:extra-)?index-url|--find-links)[ \t=]+(https?:\S+)/g,
  },
  { files: ['pip.conf'], address: /^[ \t]*(?:(?:extra-)?index-url|find-links)[ \t]*=[ \t]*(https?:\S+)/gm },
  { files: ['uv.lock'], address: /source = \{ registry = "(https?:[^"\n]+)"/g },
  {
    files: ['environment.yml', 'environment.yaml'],
    begin: /^channels:/gm,
    end: /^[^\s-]/gm,
    address: ANY_URL,
  },
  {
    files: ['.cargo/config.toml', '.cargo/config'],
    address: /^[ \t]*(?:index|registry)[ \t]*=[ \t]*"(?:sparse\+|registry\+)?(https?:[^"\n]+)"/gm,
  },
  { files: ['Cargo.lock'], address: /^source = "(?:sparse|registry)\+(https?:[^"\n]+)"/gm },
  { files: ['Gemfile', 'gems.rb'], address: /^[ \t]*source[ \t(]*["'](https?:[^"'\n]+)/gm },
  { files: ['Gemfile.lock', 'gems.locked'], begin: /^GEM$/gm, end: NEXT_KEY, address: /^ {2}remote: (https?:\S+)/gm },
  {
    files: ['composer.json'],
    begin: /"repositories"/g,
    end: /"(?:require(?:-dev)?|autoload(?:-dev)?|config|scripts|extra|support)"/g,
    address: /"url"\s*:\s*"(https?:[^"\n]+)"/g,
  },
  {
    files: ['pom.xml', '.mvn/settings.xml', 'settings.xml'],
    begin: /<(?:pluginRepository|repository|mirror)>/g,
    end: /<\/(?:pluginRepository|repository|mirror)>/g,
    address: /<url>\s*(https?:[^<\s]+)/g,
  },
  { files: GRADLE, begin: /\bmaven\s?[({]/g, end: /[)}]/g, address: ANY_URL },
  {
    files: ['gradle/wrapper/gradle-wrapper.properties', '.mvn/wrapper/maven-wrapper.properties'],
    address: /^(?:distribution|wrapper)Url=(https?\\?:\S+)/gm,
  },
  {
    files: ['nuget.config', 'NuGet.config', 'NuGet.Config'],
    begin: /<packageSources>/g,
    end: /<\/packageSources>/g,
    address: /value="(https?:[^"\n]+)"/g,
  },
  { files: ['pubspec.yaml'], begin: /\bhosted:/g, end: /^ {0,2}\S/gm, address: ANY_URL },
  { files: ['Package.swift'], begin: /\.package\(/g, end: /\)/g, address: /\burl:\s?"(https?:[^"\n]+)"/g },
  { files: ['build.sbt'], begin: /\bresolvers\b/g, end: /\n/g, address: ANY_URL },
];

/** Hosts of Android's libraries: only for builds that name them. */
export const GOOGLE_MAVEN = {
  files: GRADLE,
  call: /\bgoogle\s?(?:\(\s?\)|\{)/,
  hosts: ['dl.google.com', 'maven.google.com'],
} as const;
