import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testAgents } from '../../../test/support/agent-task.ts';
import { droppedNames, passedEnvironment } from './environment.ts';
import { ORDINARY, PROXIES } from './ordinary-variables.ts';

const named = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'x']));
const allowedEnvironment = (env: Readonly<Record<string, string>>, pass: readonly string[]) =>
  passedEnvironment(env, { env: { pass }, agents: testAgents({}) }, []);
const passing = (names: readonly string[], patterns: readonly string[] = []) =>
  Object.keys(allowedEnvironment(named(...names), patterns));

describe('without being asked for', () => {
  it.each([
    ['the person and the place', ['PATH', 'HOME', 'USER', 'SHELL', 'TMPDIR', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME']],
    ['language and terminal', ['LANG', 'LC_ALL', 'LC_TIME', 'TZ', 'TERM', 'NO_COLOR', 'CI']],
    ['the way to the network', ['HTTPS_PROXY', 'https_proxy', 'no_proxy', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS']],
    ['toolchains', ['NVM_DIR', 'PYENV_ROOT', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'GOPATH', 'CARGO_HOME', 'JAVA_HOME']],
    ['a shell of nix', ['NIX_CC', 'NIX_PROFILES', 'IN_NIX_SHELL']],
    ['who commits', ['GIT_AUTHOR_NAME', 'GIT_COMMITTER_EMAIL']],
  ])('%s: passes', (_what, names) => {
    expect(passing(names)).toEqual(names);
  });

  it.each([
    [
      'credentials',
      ['GITHUB_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE', 'OPENAI_API_KEY', 'DATABASE_URL', 'PGPASSWORD'],
    ],
    ['sockets and displays', ['SSH_AUTH_SOCK', 'GPG_AGENT_INFO', 'DBUS_SESSION_BUS_ADDRESS', 'DISPLAY', 'DOCKER_HOST']],
    [
      'what loads code into every program',
      ['NODE_OPTIONS', 'LD_PRELOAD', 'BASH_ENV', 'ENV', 'PYTHONSTARTUP', 'PERL5OPT', 'RUBYOPT'],
    ],
    [
      'the same for one toolchain',
      ['MAVEN_OPTS', 'JAVA_TOOL_OPTIONS', 'GOFLAGS', 'RUSTC_WRAPPER', 'DOTNET_STARTUP_HOOKS'],
    ],
    [
      "git's other variables",
      ['GIT_SSH_COMMAND', 'GIT_ASKPASS', 'GIT_CONFIG_COUNT', 'GIT_AUTHOR_DATE', 'GIT_EXEC_PATH'],
    ],
    ['functions that a shell exports', ['BASH_FUNC_which%%']],
    ['anything unknown', ['COMPANY_THING', 'path', 'MY_PATH']],
  ])('%s: not', (_what, names) => {
    expect(passing(names)).toEqual([]);
  });

  it('no secret slips through a wildcard, however it is spelt', () => {
    const secrets = [
      ...['MISE_GITHUB_TOKEN', 'HOMEBREW_GITHUB_API_TOKEN', 'XDG_ACTIVATION_TOKEN', 'COREPACK_NPM_TOKEN'],
      ...['COREPACK_NPM_PASSWORD', 'CONDA_API_KEY', 'GEM_HOST_API_KEY', 'MISE_SOPS_AGE_KEY', 'ASDF_AUTH'],
      ...['MISE_CLIENT_SECRET', 'mise_token', 'NVM_AUTH_HEADER', 'FNM_CREDENTIALS', 'RUSTUP_APIKEY2', 'NIX_CONFIG'],
    ];
    expect(passing(secrets)).toEqual([]);
  });

  it('an address with a password in it passes only where nothing works without', () => {
    const address = 'https://ada:secret@mirror.example/simple';
    const env = { PIP_INDEX_URL: address, GOPROXY: 'https://mirror.example,direct', HTTPS_PROXY: address };
    expect(allowedEnvironment(env, [])).toEqual({ GOPROXY: env.GOPROXY, HTTPS_PROXY: address });
    expect(allowedEnvironment(env, ['PIP_INDEX_URL'])).toEqual(env);
  });

  it('every entry of the table lets something pass', () => {
    const names = [...ORDINARY, ...PROXIES].map((pattern) => pattern.replace(/\*$/, 'HOME'));
    expect(passing(names)).toEqual([...new Set(names)]);
  });
});

describe('by name', () => {
  it('passes what is named, exactly or by its beginning, secret or not', () => {
    const names = ['ACME_TOKEN', 'ACME_URL', 'ACMETOKEN', 'NODE_OPTIONS', 'NODE_OPTIONS_2'];
    expect(passing(names, ['ACME_*', 'NODE_OPTIONS'])).toEqual(['ACME_TOKEN', 'ACME_URL', 'NODE_OPTIONS']);
  });

  it('passes everything by a mere asterisk', () => {
    expect(passing(['ANYTHING', 'MISE_TOKEN'], ['*'])).toEqual(['ANYTHING', 'MISE_TOKEN']);
  });

  it("never passes the loop's own variables, nor those that point git at another repository", () => {
    expect(
      passing(['RALPH_CONTROL_TOKEN', 'RALPH_RUN_ID', 'GIT_DIR', 'GIT_INDEX_FILE'], ['*', 'RALPH_RUN_ID']),
    ).toEqual([]);
  });

  it('takes no other character for more than itself', () => {
    expect(passing(['AxB', 'A.B', '__proto__'], ['A.B'])).toEqual(['A.B']);
  });
});

describe('for a run', () => {
  const config = {
    env: { pass: ['ACME_*'] },
    agents: testAgents({ claude: { env: { OWN_KEY: 'y', ACME_TOKEN: 'y' } } }),
  };
  const env = {
    ...named('PATH', 'ACME_TOKEN', 'CODER_KEY', 'OTHER_KEY', 'PWD', '_', 'RALPH_TIMEOUT'),
    GONE: undefined,
  };

  it('passes the ordinary ones, those of its agents, and those of the configuration', () => {
    expect(passedEnvironment(env, config, [{ name: 'coder', environment: ['CODER_*'] }])).toEqual(
      named('PATH', 'ACME_TOKEN', 'CODER_KEY'),
    );
    expect(passedEnvironment(env, config, [])).toEqual(named('PATH', 'ACME_TOKEN'));
  });

  it('gives an agent the variables of its settings, and them to no other process', () => {
    const { ACME_TOKEN, OWN_KEY } = passedEnvironment(env, config, [{ name: 'claude', environment: [] }]);
    expect([ACME_TOKEN, OWN_KEY]).toEqual(['y', 'y']);
    expect(passedEnvironment(env, config, [{ name: 'codex', environment: [] }])).not.toHaveProperty('OWN_KEY');
  });

  it('names what was left out and could be missed', () => {
    expect(droppedNames(env, config, [])).toEqual(['CODER_KEY', 'OTHER_KEY']);
  });
});

it('values are never changed and nothing is invented', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), fc.array(fc.string()), (env, patterns) => {
      for (const [name, value] of Object.entries(allowedEnvironment(env, patterns))) expect(value).toBe(env[name]);
    }),
  );
});
