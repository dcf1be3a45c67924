import { describe, expect, it } from 'vitest';
import { REGISTRY_FILES, registryHosts } from './registries.ts';
import { ECOSYSTEMS } from './registry-table.ts';

const knownHosts = (files: Record<string, string>) => registryHosts(files, {}).known.map(({ host }) => host);

describe('public registries', () => {
  it.each([
    ['package.json', ['registry.npmjs.org', 'nodejs.org']],
    ['yarn.lock', ['registry.yarnpkg.com', 'registry.npmjs.org', 'repo.yarnpkg.com', 'nodejs.org']],
    ['requirements-dev.txt', ['pypi.org', 'files.pythonhosted.org']],
    ['pyproject.toml', ['pypi.org', 'files.pythonhosted.org']],
    ['Cargo.toml', ['index.crates.io', 'static.crates.io', 'crates.io']],
    ['go.mod', ['proxy.golang.org', 'sum.golang.org']],
    ['Gemfile', ['rubygems.org', 'index.rubygems.org']],
    ['demo.gemspec', ['rubygems.org', 'index.rubygems.org']],
    ['composer.json', ['repo.packagist.org', 'packagist.org', 'codeload.github.com']],
    ['src/App/App.csproj', ['api.nuget.org', 'www.nuget.org', 'globalcdn.nuget.org']],
    ['mix.exs', ['repo.hex.pm', 'builds.hex.pm', 'hex.pm']],
    ['pubspec.yaml', ['pub.dev', 'pub.dartlang.org']],
  ])('%s opens what its client talks to', (file, hosts) => {
    expect(knownHosts({ [file]: '' })).toEqual(hosts);
  });

  it.each(ECOSYSTEMS)('of $name are no code host, which takes what an agent sends it', ({ hosts }) => {
    const takes = /(^|\.)(github|gitlab|bitbucket|codeberg|sr)\.(com|org|ht)$|(^|\.)githubusercontent\.com$/;
    expect(hosts.filter((host) => takes.test(host) && host !== 'codeload.github.com')).toEqual([]);
  });

  it('of workspaces count like those of the root', () => {
    expect(knownHosts({ 'packages/app/package.json': '{}', 'crates/core/Cargo.toml': '' })).toEqual([
      'registry.npmjs.org',
      'nodejs.org',
      'index.crates.io',
      'static.crates.io',
      'crates.io',
    ]);
  });

  it('of Android are opened only where a build asks for them', () => {
    expect(knownHosts({ 'build.gradle': 'repositories { mavenCentral() }' })).not.toContain('dl.google.com');
    expect(knownHosts({ 'build.gradle.kts': 'repositories { google() }' })).toContain('dl.google.com');
  });

  it('are none in a project without files of an ecosystem', () => {
    expect(registryHosts({ 'README.md': 'package.json', 'my-package.json': '{}' }, {})).toEqual({
      known: [],
      own: [],
      local: [],
    });
  });
});

describe('registries of their own', () => {
  it.each([
    [
      '.npmrc',
      'registry=https://npm.corp.example/api\n@corp:registry = "https://scope.corp.example/"\n//npm.corp.example/:_authToken=x',
    ],
    [
      '.yarnrc.yml',
      'npmRegistryServer: "https://npm.corp.example"\nnpmScopes:\n  corp:\n    npmRegistryServer: https://scope.corp.example/npm',
    ],
    [
      'pnpm-workspace.yaml',
      'registry: https://npm.corp.example/\nregistries:\n  "@corp": https://scope.corp.example/\npackages:\n  - a # https://no.example/',
    ],
    [
      'bunfig.toml',
      '[install]\nregistry = "https://npm.corp.example/"\n[install.scopes]\ncorp = { url = "https://scope.corp.example/" }\n[test]\nx = "https://no.example"',
    ],
    [
      'package-lock.json',
      '{"a":{"resolved": "https://npm.corp.example/a.tgz"},"b":{"resolved":"https://scope.corp.example/b.tgz"},"funding":"https://no.example"}',
    ],
    [
      'yarn.lock',
      'a@1:\n  resolved "https://npm.corp.example/a.tgz#1"\nb@1:\n  resolved "https://scope.corp.example/b.tgz#2"',
    ],
    [
      'requirements.txt',
      '-i https://npm.corp.example/simple\n--extra-index-url=https://scope.corp.example/simple\nx @ git+https://no.example/x',
    ],
    [
      'pip.conf',
      '[global]\nindex-url = https://npm.corp.example/simple\nextra-index-url = https://scope.corp.example/simple',
    ],
    [
      'pyproject.toml',
      '[project.urls]\nhome = "https://no.example"\n[[tool.uv.index]]\nname = "a"\nurl = "https://npm.corp.example/simple"\n\n[[tool.poetry.source]]\nurl = "https://scope.corp.example/simple"\n[x]\nurl = "https://no.example"',
    ],
    [
      'Pipfile',
      '[[source]]\nurl = "https://npm.corp.example/simple"\n[[source]]\nurl = "https://scope.corp.example/simple"\n[packages]\na = {file = "https://no.example"}',
    ],
    [
      'uv.lock',
      'source = { registry = "https://npm.corp.example/simple" }\nsource = { registry = "https://scope.corp.example/simple" }\nsource = { git = "https://no.example" }',
    ],
    [
      '.cargo/config.toml',
      '[registries.a]\nindex = "sparse+https://npm.corp.example/index/"\n[source.b]\nregistry = "https://scope.corp.example/git"',
    ],
    [
      'Cargo.lock',
      'source = "sparse+https://npm.corp.example/"\nsource = "registry+https://scope.corp.example/i"\nsource = "git+https://no.example/x"',
    ],
    [
      'Gemfile',
      'source "https://npm.corp.example"\nsource("https://scope.corp.example") do\nend\ngem "a", git: "https://no.example"',
    ],
    [
      'Gemfile.lock',
      'GIT\n  remote: https://no.example\nGEM\n  remote: https://npm.corp.example/\n  remote: https://scope.corp.example/\n  specs:\n',
    ],
    [
      'composer.json',
      '{"homepage":"https://no.example","repositories":[{"type":"composer","url":"https://npm.corp.example"},{"type":"vcs","url":"https://scope.corp.example/x"}],"require":{}}',
    ],
    [
      'pom.xml',
      '<project><url>https://no.example</url><repositories><repository><url>https://npm.corp.example/m2</url></repository></repositories><pluginRepository>\n<url> https://scope.corp.example/m2 </url></pluginRepository></project>',
    ],
    [
      'build.gradle',
      'maven { url "https://npm.corp.example/m2" }\nmaven {\n  url = uri("https://scope.corp.example/m2")\n}\npom { url = "https://no.example" }',
    ],
    ['settings.gradle.kts', 'maven("https://npm.corp.example/m2")\nmaven { setUrl("https://scope.corp.example") }'],
    [
      'nuget.config',
      '<packageSources><add key="a" value="https://npm.corp.example/v3/index.json" /><add key="b" value="https://scope.corp.example/v3" /></packageSources><x value="https://no.example"/>',
    ],
    [
      'pubspec.yaml',
      'homepage: https://no.example\ndependencies:\n  a:\n    hosted: https://npm.corp.example\n  b:\n    hosted:\n      name: b\n      url: https://scope.corp.example\n',
    ],
    [
      'Package.swift',
      '.package(url: "https://npm.corp.example/a", from: "1"), .package(name: "b", url: "https://scope.corp.example/b", from: "1")',
    ],
    [
      'build.sbt',
      'homepage := Some(url("https://no.example"))\nresolvers += "a" at "https://npm.corp.example/a"\nresolvers ++= Seq("b" at "https://scope.corp.example/b")\n',
    ],
  ])('are found in %s, and mere links are not', (file, text) => {
    for (const path of [file, `packages/app/${file}`]) {
      expect(registryHosts({ [path]: text }, {}).own).toEqual([
        { host: 'npm.corp.example', from: path },
        { host: 'scope.corp.example', from: path },
      ]);
    }
  });

  it("are found in the person's variables", () => {
    const env = {
      npm_config_registry: 'https://npm.corp.example/',
      NPM_CONFIG_REGISTRY: 'https://upper.corp.example:8443/',
      GOPROXY: 'https://go.corp.example,https://proxy.golang.org|direct',
      PIP_EXTRA_INDEX_URL: 'https://una:secret@a.corp.example/simple https://b.corp.example/simple',
      CARGO_REGISTRIES_CORP_INDEX: 'sparse+https://cargo.corp.example/',
      HOMEPAGE: 'https://no.example',
    };
    const { known, own } = registryHosts({}, env);
    expect(known).toEqual([{ host: 'proxy.golang.org', ecosystem: 'go' }]);
    expect(own.map(({ host }) => host)).toEqual([
      'npm.corp.example',
      'upper.corp.example:8443',
      'go.corp.example',
      'a.corp.example',
      'b.corp.example',
      'cargo.corp.example',
    ]);
  });

  it('on this machine are told apart: a file must not open a port', () => {
    const files = { '.npmrc': 'registry=http://localhost:4873/' };
    expect(registryHosts(files, {})).toMatchObject({ own: [], local: [{ port: 4873, from: '.npmrc' }] });
  });

  it('that are public registries are no own ones', () => {
    const files = {
      '.npmrc': 'registry=https://registry.yarnpkg.com/',
      'package-lock.json': '"resolved": "https://registry.npmjs.org/a"',
    };
    const { known, own } = registryHosts(files, {});
    expect(own).toEqual([]);
    expect(known).toContainEqual({ host: 'registry.yarnpkg.com', ecosystem: 'yarn' });
  });
});

it('reads hostile files in linear time', () => {
  const size = 400_000;
  const crumbs = [
    '\n',
    ' ',
    '\t',
    '"',
    '<mirror>',
    '<url>',
    '"repositories"',
    'maven{',
    'hosted:',
    '.package(',
    'resolvers ',
    '[[source]]\n',
    'index = ',
    '"url" :',
    'registry',
    'url',
    '-i ',
    'google ',
  ];
  for (const crumb of crumbs) {
    const text = crumb.repeat(size / crumb.length);
    registryHosts(Object.fromEntries(REGISTRY_FILES.map((name) => [name.replaceAll('*', 'x'), text])), {});
  }
});
