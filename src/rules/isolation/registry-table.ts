import { words } from '../text/index.ts';

/** The hosts that an ecosystem's client contacts, and the project files that indicate the ecosystem. */
interface Ecosystem {
  readonly name: string;
  /** Names of files which show that it is used; `*` stands for any characters. */
  readonly files: readonly string[];
  /** Public hosts: index, downloads and redirect targets. */
  readonly hosts: readonly string[];
  /** The user's variables that name another registry; `*` as in files, upper and lower case alike. */
  readonly variables: readonly string[];
}

/**
 * No host here accepts data that others can read: not the APIs of code hosts (`api.github.com`), which accept issues,
 * gists and pushes. A host that only serves archives may be listed (`codeload.github.com`).
 */
export const ECOSYSTEMS: readonly Ecosystem[] = [
  // nodejs.org: headers for packages that are compiled during installation.
  ecosystem(
    'npm',
    'package.json package-lock.json npm-shrinkwrap.json .npmrc pnpm-workspace.yaml pnpm-lock.yaml ' +
      'bunfig.toml bun.lock',
    'registry.npmjs.org nodejs.org',
    'npm_config_registry npm_config_@*:registry COREPACK_NPM_REGISTRY BUN_CONFIG_REGISTRY',
  ),
  ecosystem(
    'yarn',
    'yarn.lock .yarnrc .yarnrc.yml',
    'registry.yarnpkg.com registry.npmjs.org repo.yarnpkg.com nodejs.org',
    'YARN_REGISTRY YARN_NPM_REGISTRY_SERVER',
  ),
  ecosystem(
    'deno',
    'deno.json deno.jsonc deno.lock',
    'jsr.io npm.jsr.io deno.land registry.npmjs.org',
    'JSR_URL NPM_CONFIG_REGISTRY',
  ),
  ecosystem(
    'pypi',
    'pyproject.toml requirements*.txt requirements*.in setup.py setup.cfg Pipfile Pipfile.lock uv.lock ' +
      'uv.toml poetry.lock pdm.lock pip.conf tox.ini',
    'pypi.org files.pythonhosted.org',
    'PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS UV_INDEX UV_INDEX_URL UV_DEFAULT_INDEX ' +
      'UV_EXTRA_INDEX_URL PDM_PYPI_URL PIPENV_PYPI_MIRROR',
  ),
  ecosystem(
    'conda',
    'environment.yml environment.yaml conda-lock.yml pixi.toml pixi.lock',
    'conda.anaconda.org repo.anaconda.com repo.prefix.dev',
    'CONDA_CHANNEL_ALIAS',
  ),
  ecosystem(
    'cargo',
    'Cargo.toml Cargo.lock .cargo/config.toml .cargo/config',
    'index.crates.io static.crates.io crates.io',
    'CARGO_REGISTRIES_*_INDEX',
  ),
  ecosystem(
    'rustup',
    'rust-toolchain rust-toolchain.toml',
    'static.rust-lang.org',
    'RUSTUP_DIST_SERVER RUSTUP_UPDATE_ROOT',
  ),
  ecosystem('go', 'go.mod go.sum go.work', 'proxy.golang.org sum.golang.org', 'GOPROXY GOSUMDB'),
  ecosystem(
    'rubygems',
    'Gemfile Gemfile.lock gems.rb gems.locked *.gemspec',
    'rubygems.org index.rubygems.org',
    'BUNDLE_MIRROR__* RUBYGEMS_HOST',
  ),
  // Packages are archives of their repositories. Composer asks `api.github.com` for most of them, which the user has to
  // allow; a mirror or an archive's own address (codeload) works without it.
  ecosystem('packagist', 'composer.json composer.lock', 'repo.packagist.org packagist.org codeload.github.com'),
  ecosystem(
    'maven',
    'pom.xml .mvn/settings.xml settings.xml .mvn/wrapper/maven-wrapper.properties build.sbt deps.edn ' +
      'project.clj build.sc',
    'repo.maven.apache.org repo1.maven.org repo.clojars.org',
    'MVNW_REPOURL',
  ),
  ecosystem(
    'gradle',
    'build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle/wrapper/gradle-wrapper.properties',
    'repo.maven.apache.org repo1.maven.org plugins.gradle.org plugins-artifacts.gradle.org ' +
      'services.gradle.org downloads.gradle.org',
  ),
  ecosystem(
    'nuget',
    '*.csproj *.fsproj *.vbproj *.sln nuget.config NuGet.config NuGet.Config Directory.Packages.props ' +
      'packages.config',
    'api.nuget.org www.nuget.org globalcdn.nuget.org',
  ),
  ecosystem(
    'hex',
    'mix.exs mix.lock rebar.config rebar.lock gleam.toml',
    'repo.hex.pm builds.hex.pm hex.pm',
    'HEX_MIRROR HEX_API_URL HEX_BUILDS_URL HEX_CDN',
  ),
  ecosystem('pub', 'pubspec.yaml pubspec.lock', 'pub.dev pub.dartlang.org', 'PUB_HOSTED_URL FLUTTER_STORAGE_BASE_URL'),
  ecosystem(
    'hackage',
    'stack.yaml cabal.project *.cabal package.yaml',
    'hackage.haskell.org casa.stackage.org www.stackage.org',
  ),
  ecosystem('cocoapods', 'Podfile Podfile.lock', 'cdn.cocoapods.org'),
  ecosystem('julia', 'Project.toml Manifest.toml', 'pkg.julialang.org', 'JULIA_PKG_SERVER'),
  ecosystem('cran', 'renv.lock DESCRIPTION', 'cloud.r-project.org cran.r-project.org'),
  ecosystem('cpan', 'cpanfile Makefile.PL dist.ini', 'www.cpan.org cpan.metacpan.org fastapi.metacpan.org'),
  ecosystem('luarocks', '*.rockspec', 'luarocks.org'),
  ecosystem('elm', 'elm.json', 'package.elm-lang.org'),
  ecosystem('opam', '*.opam dune-project', 'opam.ocaml.org'),
  ecosystem('conan', 'conanfile.py conanfile.txt', 'center2.conan.io'),
  ecosystem('terraform', '.terraform.lock.hcl *.tf', 'registry.terraform.io releases.hashicorp.com'),
];

/** Files, hosts and variables are each one string of words. */
function ecosystem(name: string, files: string, hosts: string, variables = ''): Ecosystem {
  return { name, files: words(files), hosts: words(hosts), variables: words(variables) };
}

/**
 * Where files name their own registries: the first group of every `address` match (or the whole match, without a
 * group), in the parts of a file between `begin` and `end` if these are given. Addresses that are only mentioned (home
 * pages, the place to publish to) do not count. Agents can write these files: every expression takes linear time.
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
