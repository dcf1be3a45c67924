import type { Config } from '../../contracts/index.ts';
import type { AgentAdapter } from './port.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The variables that agents and checks get by default: who and where the user is, how text is displayed, how to reach
 * the network, and where tools are installed. A trailing `*` stands for any ending.
 *
 * None of them gives access to anything (an ssh or gpg agent, a display, a session bus, a container engine, a cloud
 * account, a database), and none loads code or options into every program that starts (`NODE_OPTIONS`, `LD_PRELOAD`,
 * `BASH_ENV`, `PYTHONSTARTUP`, `MAVEN_OPTS`, `GOFLAGS`, `PYTHONPATH` …): the user has to name those.
 */
export const ORDINARY: Readonly<Record<string, readonly string[]>> = {
  person: ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'HOSTNAME', 'TMPDIR', 'TMP', 'TEMP', 'XDG_*'],
  // No dates: an outer git hook sets them, and every commit would get the same one.
  identity: ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'],
  text: ['LANG', 'LANGUAGE', 'LC_*', 'TZ', 'TZDIR', 'PYTHONUTF8', 'PYTHONIOENCODING'],
  terminal: ['TERM', 'COLORTERM', 'NO_COLOR', 'FORCE_COLOR', 'CLICOLOR', 'CLICOLOR_FORCE', 'CI'],
  certificates: [
    ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'REQUESTS_CA_BUNDLE'],
    ...['CURL_CA_BUNDLE', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH', 'AWS_CA_BUNDLE', 'CARGO_HTTP_CAINFO', 'PIP_CERT'],
    ...['DENO_CERT', 'DENO_TLS_CA_STORE', 'UV_NATIVE_TLS', 'UV_SYSTEM_CERTS', 'BUNDLE_SSL_CA_CERT', 'HEX_CACERTS_PATH'],
  ],
  registries: [
    ...['npm_config_registry', 'NPM_CONFIG_REGISTRY', 'npm_config_cache', 'NPM_CONFIG_CACHE', 'YARN_REGISTRY'],
    ...['PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL', 'PIP_CACHE_DIR', 'UV_INDEX_URL', 'UV_DEFAULT_INDEX', 'UV_CACHE_DIR'],
    ...['GOPROXY', 'GOPRIVATE', 'GONOPROXY', 'GOSUMDB', 'GONOSUMDB', 'HEX_MIRROR', 'PUB_HOSTED_URL', 'NUGET_PACKAGES'],
  ],
  versionManagers: ['MISE_*', 'ASDF_*', 'PROTO_HOME', 'AQUA_ROOT_DIR', 'HOMEBREW_*', 'SDKMAN_*'],
  nix: ['NIX_*', 'IN_NIX_SHELL'],
  javascript: [
    ...['NVM_*', 'FNM_*', 'VOLTA_HOME', 'NODENV_*', 'N_PREFIX', 'PNPM_HOME', 'COREPACK_*', 'BUN_INSTALL'],
    ...['DENO_DIR', 'DENO_INSTALL', 'PLAYWRIGHT_BROWSERS_PATH', 'PUPPETEER_EXECUTABLE_PATH', 'PUPPETEER_CACHE_DIR'],
    ...['CYPRESS_CACHE_FOLDER', 'CHROME_BIN', 'CHROME_PATH'],
  ],
  python: [
    ...['PYENV_*', 'VIRTUAL_ENV', 'VIRTUAL_ENV_PROMPT', 'CONDA_*', 'MAMBA_*', 'WORKON_HOME', 'PIPX_HOME'],
    ...['PIPX_BIN_DIR', 'POETRY_HOME', 'POETRY_CACHE_DIR', 'UV_PYTHON', 'UV_PYTHON_INSTALL_DIR', 'UV_TOOL_DIR'],
  ],
  go: [
    'GOPATH',
    'GOROOT',
    'GOBIN',
    'GOCACHE',
    'GOMODCACHE',
    'GOTOOLCHAIN',
    'GOOS',
    'GOARCH',
    'CGO_ENABLED',
    'GVM_ROOT',
  ],
  rust: ['CARGO_HOME', 'CARGO_TARGET_DIR', 'RUSTUP_*', 'RUST_BACKTRACE'],
  jvm: [
    ...['JAVA_HOME', 'JAVA_HOME_*', 'JDK_HOME', 'MAVEN_HOME', 'M2_HOME', 'GRADLE_HOME', 'GRADLE_USER_HOME', 'ANT_HOME'],
    ...['KOTLIN_HOME', 'SCALA_HOME', 'COURSIER_CACHE', 'JENV_ROOT'],
  ],
  mobile: [
    ...['ANDROID_HOME', 'ANDROID_SDK_ROOT', 'ANDROID_NDK_HOME', 'ANDROID_NDK_ROOT', 'ANDROID_USER_HOME'],
    ...['ANDROID_AVD_HOME', 'FLUTTER_ROOT', 'PUB_CACHE', 'DEVELOPER_DIR', 'SDKROOT', 'TOOLCHAINS'],
    ...['MACOSX_DEPLOYMENT_TARGET', 'SWIFTLY_HOME_DIR', 'SWIFTLY_BIN_DIR'],
  ],
  ruby: ['RBENV_*', 'rvm_path', 'rvm_bin_path', 'rvm_prefix', 'MY_RUBY_HOME', 'RUBY_ROOT', 'GEM_*', 'BUNDLE_PATH'],
  php: ['COMPOSER_HOME', 'COMPOSER_CACHE_DIR', 'COMPOSER_ALLOW_SUPERUSER', 'PHPENV_ROOT', 'PHPBREW_ROOT'],
  dotnet: ['DOTNET_ROOT', 'DOTNET_ROOT_*', 'DOTNET_CLI_HOME', 'DOTNET_NOLOGO', 'DOTNET_CLI_TELEMETRY_OPTOUT'],
  others: [
    ...['MIX_HOME', 'HEX_HOME', 'GHCUP_*', 'STACK_ROOT', 'CABAL_DIR', 'OPAMROOT', 'OPAM_SWITCH_PREFIX'],
    ...['ZIG_GLOBAL_CACHE_DIR', 'JULIA_DEPOT_PATH', 'R_HOME', 'R_LIBS_USER', 'PERLBREW_*', 'PLENV_ROOT'],
    ...['CC', 'CXX', 'PKG_CONFIG_PATH', 'CMAKE_PREFIX_PATH', 'VCPKG_ROOT', 'CUDA_HOME', 'CUDA_PATH'],
  ],
  windows: ['WSL_*', 'WSLENV'],
};

/** How to reach the network, in both spellings that programs read. A password in such an address is passed on too. */
export const PROXIES: readonly string[] = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'FTP_PROXY', 'NO_PROXY'].flatMap(
  (name) => [name, name.toLowerCase()],
);

const TABLE = Object.values(ORDINARY).flat();

/** Set when the caller is itself a git hook; they would point the agent at another index or work tree. */
const FOREIGN_GIT = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
]);

/** Every shell sets these itself, so the loop's values are not needed. */
const SHELL_OWN = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL']);

/** Names of secrets: `MISE_GITHUB_TOKEN`, `XDG_ACTIVATION_TOKEN`, `npm_config__authToken`, `GEM_HOST_API_KEY`. */
const SECRET_NAME =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|KEYS?(?:$|_|\d)|(?:^|_)(?:PASS|AUTH|PAT|CREDS?|COOKIE)(?:$|_)/i;

/** An address that contains a password: `https://user:password@registry.example`. */
const PASSWORD_IN_ADDRESS = /:\/\/[^\s/@:]*:[^\s/@]*@/;

/**
 * The variables of the user's environment that the agents and checks of a run get: the ordinary ones, those that
 * `agents` need for their login, and those that `env.pass` of the configuration names. Decided only here, so that the
 * agent's own test run and the loop's agree.
 */
export function passedEnvironment(
  env: Env,
  config: Pick<Config, 'env'>,
  agents: readonly Pick<AgentAdapter, 'environment'>[],
): Record<string, string> {
  return allowedEnvironment(env, patternsOf(config, agents));
}

/**
 * Names (sorted, never values) of the variables that {@link passedEnvironment} leaves out, for a user who looks for the
 * cause of a failing check. Excludes the loop's own variables and those that every shell sets itself.
 */
export function droppedNames(
  env: Env,
  config: Pick<Config, 'env'>,
  agents: readonly Pick<AgentAdapter, 'environment'>[],
): readonly string[] {
  const passed = passedEnvironment(env, config, agents);
  return Object.keys(env)
    .filter((name) => env[name] !== undefined && !Object.hasOwn(passed, name) && !SHELL_OWN.has(name) && !isOurs(name))
    .sort();
}

/**
 * The ordinary variables of `env` and those that `patterns` name (`NAME`, or `PREFIX*` for any ending). A variable that
 * looks like a secret passes only by a pattern, never as an ordinary variable; the loop's own variables and those of an
 * outer git never pass.
 */
export function allowedEnvironment(env: Env, patterns: readonly string[]): Record<string, string> {
  const isNamed = matcher(patterns);
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || isOurs(name) || FOREIGN_GIT.has(name)) continue;
    if (isNamed(name) || isOrdinary(name, value)) allowed[name] = value;
  }
  return allowed;
}

function patternsOf(config: Pick<Config, 'env'>, agents: readonly Pick<AgentAdapter, 'environment'>[]): string[] {
  return [...agents.flatMap(({ environment }) => environment), ...config.env.pass];
}

const isProxy = matcher(PROXIES);
const isInTable = matcher(TABLE);

function isOrdinary(name: string, value: string): boolean {
  if (isProxy(name)) return true;
  return isInTable(name) && !FREE_TEXT.has(name) && !SECRET_NAME.test(name) && !PASSWORD_IN_ADDRESS.test(value);
}

/** The loop's settings, and the variables it sets for the processes it starts. */
function isOurs(name: string): boolean {
  return name.startsWith('RALPH_');
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1));
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

/** Variables that a wildcard of the table matches although they hold no location: free text known to hold tokens. */
const FREE_TEXT: ReadonlySet<string> = new Set(['NIX_CONFIG']);
