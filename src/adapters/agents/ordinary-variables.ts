/**
 * The variables that agents and checks get by default: who and where the user is, how text is displayed, how to reach
 * the network, and where tools are installed. A trailing `*` stands for any ending.
 *
 * None of them gives access to anything (an ssh or gpg agent, a display, a session bus, a container engine, a cloud
 * account, a database), and none loads code or options into every program that starts (`NODE_OPTIONS`, `LD_PRELOAD`,
 * `BASH_ENV`, `PYTHONSTARTUP`, `MAVEN_OPTS`, `GOFLAGS`, `PYTHONPATH` …): the user has to name those.
 */
export const ORDINARY: readonly string[] = [
  // person
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'HOSTNAME', 'TMPDIR', 'TMP', 'TEMP', 'XDG_*'],
  // No dates: an outer git hook sets them, and every commit would get the same one.
  // identity
  ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'],
  // text
  ...['LANG', 'LANGUAGE', 'LC_*', 'TZ', 'TZDIR', 'PYTHONUTF8', 'PYTHONIOENCODING'],
  // terminal
  ...['TERM', 'COLORTERM', 'NO_COLOR', 'FORCE_COLOR', 'CLICOLOR', 'CLICOLOR_FORCE', 'CI'],
  // certificates
  ...[
    ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'REQUESTS_CA_BUNDLE'],
    ...['CURL_CA_BUNDLE', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH', 'AWS_CA_BUNDLE', 'CARGO_HTTP_CAINFO', 'PIP_CERT'],
    ...['DENO_CERT', 'DENO_TLS_CA_STORE', 'UV_NATIVE_TLS', 'UV_SYSTEM_CERTS', 'BUNDLE_SSL_CA_CERT', 'HEX_CACERTS_PATH'],
  ],
  // registries
  ...[
    ...['npm_config_registry', 'NPM_CONFIG_REGISTRY', 'npm_config_cache', 'NPM_CONFIG_CACHE', 'YARN_REGISTRY'],
    ...['PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL', 'PIP_CACHE_DIR', 'UV_INDEX_URL', 'UV_DEFAULT_INDEX', 'UV_CACHE_DIR'],
    ...['GOPROXY', 'GOPRIVATE', 'GONOPROXY', 'GOSUMDB', 'GONOSUMDB', 'HEX_MIRROR', 'PUB_HOSTED_URL', 'NUGET_PACKAGES'],
  ],
  // versionManagers
  ...['MISE_*', 'ASDF_*', 'PROTO_HOME', 'AQUA_ROOT_DIR', 'HOMEBREW_*', 'SDKMAN_*'],
  // nix
  ...['NIX_*', 'IN_NIX_SHELL'],
  // javascript
  ...[
    ...['NVM_*', 'FNM_*', 'VOLTA_HOME', 'NODENV_*', 'N_PREFIX', 'PNPM_HOME', 'COREPACK_*', 'BUN_INSTALL'],
    ...['DENO_DIR', 'DENO_INSTALL', 'PLAYWRIGHT_BROWSERS_PATH', 'PUPPETEER_EXECUTABLE_PATH', 'PUPPETEER_CACHE_DIR'],
    ...['CYPRESS_CACHE_FOLDER', 'CHROME_BIN', 'CHROME_PATH'],
  ],
  // python
  ...[
    ...['PYENV_*', 'VIRTUAL_ENV', 'VIRTUAL_ENV_PROMPT', 'CONDA_*', 'MAMBA_*', 'WORKON_HOME', 'PIPX_HOME'],
    ...['PIPX_BIN_DIR', 'POETRY_HOME', 'POETRY_CACHE_DIR', 'UV_PYTHON', 'UV_PYTHON_INSTALL_DIR', 'UV_TOOL_DIR'],
  ],
  // go
  ...['GOPATH', 'GOROOT', 'GOBIN', 'GOCACHE', 'GOMODCACHE', 'GOTOOLCHAIN', 'GOOS', 'GOARCH', 'CGO_ENABLED', 'GVM_ROOT'],
  // rust
  ...['CARGO_HOME', 'CARGO_TARGET_DIR', 'RUSTUP_*', 'RUST_BACKTRACE'],
  // jvm
  ...[
    ...['JAVA_HOME', 'JAVA_HOME_*', 'JDK_HOME', 'MAVEN_HOME', 'M2_HOME', 'GRADLE_HOME', 'GRADLE_USER_HOME', 'ANT_HOME'],
    ...['KOTLIN_HOME', 'SCALA_HOME', 'COURSIER_CACHE', 'JENV_ROOT'],
  ],
  // mobile
  ...[
    ...['ANDROID_HOME', 'ANDROID_SDK_ROOT', 'ANDROID_NDK_HOME', 'ANDROID_NDK_ROOT', 'ANDROID_USER_HOME'],
    ...['ANDROID_AVD_HOME', 'FLUTTER_ROOT', 'PUB_CACHE', 'DEVELOPER_DIR', 'SDKROOT', 'TOOLCHAINS'],
    ...['MACOSX_DEPLOYMENT_TARGET', 'SWIFTLY_HOME_DIR', 'SWIFTLY_BIN_DIR'],
  ],
  // ruby
  ...['RBENV_*', 'rvm_path', 'rvm_bin_path', 'rvm_prefix', 'MY_RUBY_HOME', 'RUBY_ROOT', 'GEM_*', 'BUNDLE_PATH'],
  // php
  ...['COMPOSER_HOME', 'COMPOSER_CACHE_DIR', 'COMPOSER_ALLOW_SUPERUSER', 'PHPENV_ROOT', 'PHPBREW_ROOT'],
  // dotnet
  ...['DOTNET_ROOT', 'DOTNET_ROOT_*', 'DOTNET_CLI_HOME', 'DOTNET_NOLOGO', 'DOTNET_CLI_TELEMETRY_OPTOUT'],
  // others
  ...[
    ...['MIX_HOME', 'HEX_HOME', 'GHCUP_*', 'STACK_ROOT', 'CABAL_DIR', 'OPAMROOT', 'OPAM_SWITCH_PREFIX'],
    ...['ZIG_GLOBAL_CACHE_DIR', 'JULIA_DEPOT_PATH', 'R_HOME', 'R_LIBS_USER', 'PERLBREW_*', 'PLENV_ROOT'],
    ...['CC', 'CXX', 'PKG_CONFIG_PATH', 'CMAKE_PREFIX_PATH', 'VCPKG_ROOT', 'CUDA_HOME', 'CUDA_PATH'],
  ],
  // windows
  ...['WSL_*', 'WSLENV'],
];

/** How to reach the network, in both spellings that programs read. A password in such an address is passed on too. */
export const PROXIES: readonly string[] = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'FTP_PROXY', 'NO_PROXY'].flatMap(
  (name) => [name, name.toLowerCase()],
);
